"""Parsing of forms, and validation of forms and JSON against the same input models."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json
from python_multipart.multipart import parse_options_header
from starlette.datastructures import UploadFile

from readtrack.infra.errors import FieldError, Invalid, TooLarge, UnsupportedMedia
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text.normalize import clean
from readtrack.infra.validation import validation_message

Model = TypeVar("Model", bound=BaseModel)
MAX_FIELD_BYTES = 6_000_000  # bytes: what the body limit lets through; what a note may have is its command's to say
MAX_FIELDS = 20_000
WRITTEN = ("tldr", "markdown")  # long texts that an error page shows again
MAX_ERRORS = 50  # errors in one response, whose number would otherwise grow with the body
_DIGITS = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class Fields:
    """The fields of a form.

    `values`: the last value of each name; `lists`: all values; `files`: (name, bytes).
    """

    values: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)


@dataclass(frozen=True)
class FormResult(Generic[Model]):
    """The validated value, or None with errors by field.

    `raw_values`: the input, to show in the form again.
    """

    value: Model | None
    errors: Mapping[str, str]
    raw_values: Mapping[str, str]

    def or_raise(self) -> Model:
        """Return the value. Raises Invalid with the errors when there is none."""
        if self.value is None:
            raise Invalid(" ".join(self.errors.values()))
        return self.value


async def read_fields(request: Request) -> Fields:
    """Read the body before the endpoint's thread starts.

    Characters that databases cannot store are replaced.
    """
    await refuse_slow_form(request)
    async with request.form(max_files=5, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD_BYTES) as form:
        values: dict[str, str] = {}
        lists: dict[str, list[str]] = {}
        files: dict[str, tuple[str, bytes]] = {}
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                files[name] = (value.filename or "", await value.read())
            else:
                values[name] = clean(value)
                lists.setdefault(name, []).append(values[name])
    request.state.written = {name: values[name] for name in WRITTEN if values.get(name)}
    return Fields(values, lists, files)


async def refuse_slow_form(request: Request) -> None:
    """Raise UnsupportedMedia or TooLarge for forms that would block the event loop while being parsed.

    Some Python codecs take quadratic time, and each `&` costs a step.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() not in {b"utf-8", b"utf8"}:
        message = _("Send forms as UTF-8.")
        raise UnsupportedMedia(message)
    if kind == b"application/x-www-form-urlencoded" and (await request.body()).count(b"&") > MAX_FIELDS:
        message = _("Too many form fields (limit {most_fields:,}). Send fewer at a time.").format(
            most_fields=MAX_FIELDS
        )
        raise TooLarge(message)


Form = Annotated[Fields, Depends(read_fields)]


def parse_int(text: str) -> int:
    """Parse a non-negative integer; 0, which is no valid id, if the text is none or too long for a column."""
    return int(text) if _DIGITS.fullmatch(text) else 0


def validate_form(model: type[Model], fields: Mapping[str, Any]) -> FormResult[Model]:
    """Validate a form against the input model of a command; blank strings count as missing."""
    raw_values = {name: value for name, value in fields.items() if isinstance(value, str)}
    values = {name: value for name, value in fields.items() if name in model.model_fields and value != ""}
    try:
        return FormResult(model.model_validate(values), {}, raw_values)
    except ValidationError as error:
        return FormResult(
            None, {_field_name(problem): validation_message(problem) for problem in error.errors()}, raw_values
        )


def validate_input(model: type[Model], body: object) -> Model:
    """Validate JSON against the input model of a command: a number in quotes is no number.

    Raise Invalid with a JSON pointer for each error.
    """
    try:
        return model.model_validate_json(to_json(body), strict=True)
    except ValidationError as error:
        raise to_invalid_error(error) from error


def apply_merge_patch(now: Mapping[str, Any], body: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Apply a JSON merge patch (RFC 7396).

    Null clears a field; unknown fields are kept for validation to reject. Raise Invalid if the body is not an object.
    """
    if not isinstance(body, dict):
        message = _("Must be a JSON object.")
        raise Invalid(message)
    return {name: value for name, value in {**now, **body}.items() if value is not None or name not in now}


def to_invalid_error(error: ValidationError) -> Invalid:
    """Convert validation errors to an API error."""
    details = islice(error.errors(include_url=False, include_input=False), MAX_ERRORS)
    problems = [
        FieldError(_pointer(detail), str(detail["type"]).replace("_", "-"), validation_message(detail))
        for detail in details
    ]
    return Invalid(_("Some fields or parameters are invalid."), problems)


def _field_name(problem: Mapping[str, Any]) -> str:
    return str(problem["loc"][0]) if problem["loc"] else ""


def _pointer(detail: Mapping[str, Any]) -> str:
    return "".join(f"/{part}" for part in detail["loc"])
