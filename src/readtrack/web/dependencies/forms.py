"""Forms: the fields as sent, and their check against the same input models that JSON uses."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError
from python_multipart.multipart import parse_options_header
from starlette.datastructures import UploadFile

from readtrack.infra.errors import FieldError, Invalid, TooLarge, UnsupportedMedia
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text.normalize import clean
from readtrack.infra.validation_messages import validation_message

Model = TypeVar("Model", bound=BaseModel)
MAX_FIELD_BYTES = 6_000_000  # bytes: what the body limit lets through; what a note may have is its command's to say
MAX_FIELDS = 20_000
WRITTEN = ("tldr", "markdown")  # what people take their time to write: a page that refuses it shows it again
MAX_ERRORS = 50  # problems that one answer tells: a body may have as many as it has bytes
_DIGITS = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class Fields:
    """What a form sent: the last value of each name, all values of repeated ones, and files as (name, bytes)."""

    values: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)


@dataclass(frozen=True)
class FormResult(Generic[Model]):
    """The value, or None with the errors by field; `typed` is what the person typed, for the form to show again."""

    value: Model | None
    errors: Mapping[str, str]
    typed: Mapping[str, str]

    def or_raise(self) -> Model:
        """Return the value. Raises Invalid with the errors when there is none."""
        if self.value is None:
            raise Invalid(_("{detail} Nothing was changed.").format(detail=" ".join(self.errors.values())))
        return self.value


async def read_fields(request: Request) -> Fields:
    """Reads the body once, before the endpoint's thread starts. What no database can hold is replaced."""
    await _refuse_slow(request)
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


async def _refuse_slow(request: Request) -> None:
    """Forms are read on the event loop, so none may take long there: some codecs of Python's are quadratic, and each
    `&` is a step. Raises UnsupportedMedia or TooLarge.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() not in {b"utf-8", b"utf8"}:
        message = _("Send forms as UTF-8. Nothing was changed.")
        raise UnsupportedMedia(message)
    if kind == b"application/x-www-form-urlencoded" and (await request.body()).count(b"&") > MAX_FIELDS:
        message = _("A form may have {most_fields:,} fields. Nothing was changed; send it in parts.").format(
            most_fields=MAX_FIELDS
        )
        raise TooLarge(message)


Form = Annotated[Fields, Depends(read_fields)]


def parse_int(text: str) -> int:
    """The number a text says; 0, which is nobody's, when it says none, or one that no column could hold."""
    return int(text) if _DIGITS.fullmatch(text) else 0


def validate_form(model: type[Model], fields: Mapping[str, Any]) -> FormResult[Model]:
    """The input model of a command, filled from a form; blank strings count as not given."""
    typed = {name: value for name, value in fields.items() if isinstance(value, str)}
    known = {name: value for name, value in fields.items() if name in model.model_fields and value != ""}
    try:
        return FormResult(model.model_validate(known), {}, typed)
    except ValidationError as error:
        return FormResult(
            None, {_field_name(problem): validation_message(problem) for problem in error.errors()}, typed
        )


def validate_input(model: type[Model], body: object) -> Model:
    """The input model of a command, filled from JSON; raises Invalid with pointers to what is wrong."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise to_invalid_error(error) from error


def apply_merge_patch(now: Mapping[str, Any], body: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """What stands there with the fields of a merge patch (RFC 7396): null empties one; unknown ones stay to be refused.

    Raises Invalid for what is no patch.
    """
    if not isinstance(body, dict):
        message = _("The body must be an object with the fields to change. Nothing was changed.")
        raise Invalid(message)
    return {name: value for name, value in {**now, **body}.items() if value is not None or name not in now}


def to_invalid_error(error: ValidationError) -> Invalid:
    """The same problems as an error for the API."""
    told = islice(error.errors(include_url=False, include_input=False), MAX_ERRORS)
    problems = [FieldError(_pointer(p), str(p["type"]).replace("_", "-"), validation_message(p)) for p in told]
    return Invalid(_("Some of the fields cannot be used. Nothing was changed."), problems)


def _field_name(problem: Mapping[str, Any]) -> str:
    return str(problem["loc"][0]) if problem["loc"] else ""


def _pointer(problem: Mapping[str, Any]) -> str:
    return "".join(f"/{part}" for part in problem["loc"])
