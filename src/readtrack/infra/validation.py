"""Validation of what comes from outside: base models, types of texts, and the messages for users.

An unknown field is an error. Texts can be stored in both databases and are limited in size. The messages replace
pydantic's.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import combinations
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text import normalize

MAX_BYTES = 100_000  # Of one text.
_TIMESTAMP = N_("Enter a date and time like 2026-03-31T09:30:00Z.")
_PLAIN = {
    "string_too_short": N_("This field is required."),
    "missing": N_("This field is required."),
    "none_required": N_("Leave this blank."),
    "string_too_long": N_("Use at most {max_length} characters."),
    "string_pattern_mismatch": N_("Invalid format."),
    "string_type": N_("Must be text."),
    "string_unicode": N_("Must be text."),
    "int_parsing": N_("Enter a whole number."),
    "int_parsing_size": N_("This number is too large."),
    "int_type": N_("Enter a whole number."),
    "int_from_float": N_("Enter a whole number."),
    "float_parsing": N_("Enter a number."),
    "float_type": N_("Enter a number."),
    "finite_number": N_("Enter a number."),
    "bool_parsing": N_("Must be true or false."),
    "bool_type": N_("Must be true or false."),
    "greater_than_equal": N_("Must be at least {ge}."),
    "less_than_equal": N_("Must be at most {le}."),
    "greater_than": N_("Must be more than {gt}."),
    "less_than": N_("Must be less than {lt}."),
    "literal_error": N_("Must be one of {expected}."),
    "list_type": N_("Must be a list."),
    "tuple_type": N_("Must be a list."),
    "too_long": N_("Use at most {max_length} items."),
    "too_short": N_("Use at least {min_length} items."),
    "dict_type": N_("Must be a JSON object."),
    "model_type": N_("Must be a JSON object."),
    "model_attributes_type": N_("Must be a JSON object."),
    "date_type": N_("Enter a date like 2026-03-31."),
    "date_parsing": N_("Enter a date like 2026-03-31."),
    "date_from_datetime_parsing": N_("Enter a date like 2026-03-31."),
    "date_from_datetime_inexact": N_("Enter a date like 2026-03-31."),
    "datetime_type": _TIMESTAMP,
    "datetime_parsing": _TIMESTAMP,
    "datetime_from_date_parsing": _TIMESTAMP,
    "timezone_aware": _TIMESTAMP,
    "extra_forbidden": N_("Unknown field."),
}
_OURS = "Value error, "  # Pydantic's prefix for ValueErrors of our validators.


class StrictModel(BaseModel):
    """Input without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class TrimmedModel(StrictModel):
    """Input without unknown fields, whose texts are stripped of white space at both ends."""

    model_config = ConfigDict(str_strip_whitespace=True)


def exactly_one_of(*names: str) -> dict[str, Any]:
    """Return the JSON schema of an object with a value for one of these fields; a validator must check it, too."""
    return {"not": {"anyOf": [_without_values(names), *map(_with_values, combinations(names, 2))]}}


def at_least_one_of(*names: str) -> dict[str, Any]:
    """Return the JSON schema of an object with a value for any of these fields; a validator must check it, too.

    By what it is not: generators take the parts of an `anyOf` or a `oneOf` for types of their own, without its fields.
    """
    blank = {"type": ["null", "string"], "not": {"type": "string", "pattern": r"\S"}}
    return {"not": {"properties": dict.fromkeys(names, blank)}}


def _without_values(names: Iterable[str]) -> dict[str, Any]:
    return {"properties": {name: {"type": "null"} for name in names}}


def _with_values(names: Iterable[str]) -> dict[str, Any]:
    return {"required": [*names], "properties": {name: {"not": {"type": "null"}} for name in names}}


class _NeverNull:
    """A type without null in its JSON schema, for what may be left out and is None then.

    With pydantic's SkipJsonSchema[None], errors would point at the types of a union: /title/none instead of /title.
    """

    def __get_pydantic_json_schema__(self, schema: Mapping[str, Any], handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(schema["schema"])


def _one_line(value: Any) -> Any:  # noqa: ANN401 - checked by the model
    return " ".join(normalize.clean(value).split()) if isinstance(value, str) else value


def _lines(value: Any) -> Any:  # noqa: ANN401
    """Remove characters that cannot be stored and convert CRLF and CR, which forms send, to LF."""
    return normalize.clean(value).replace("\r\n", "\n").replace("\r", "\n") if isinstance(value, str) else value


def _parse_timestamp(value: Any) -> Any:  # noqa: ANN401
    """Parse ISO 8601. Pydantic would also accept the seconds since 1970."""
    if not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value.strip().upper())
    except ValueError:
        raise ValueError(_(_TIMESTAMP)) from None


def _to_utc(timestamp: datetime) -> datetime:
    try:
        return (timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise ValueError(_("This date is out of range.")) from None


def _check_size(text: str) -> str:
    octets = len(text.encode())
    if octets > MAX_BYTES:
        message = _("The text is too long: {octets:,} bytes (limit {max_bytes:,}). Split it up.").format(
            octets=octets, max_bytes=MAX_BYTES
        )
        raise ValueError(message)
    return text


def require_match(pattern: str, message: str) -> AfterValidator:
    """Return a validator that says how a text is written if it does not match, unlike pydantic's own `pattern`."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(_(message))
        return text

    return AfterValidator(check)


NOT_BLANK = Field(json_schema_extra={"pattern": r"\S"})  # For names that a command checks and explains.
NeverNull = _NeverNull()
OneLine = BeforeValidator(_one_line)  # Listed last, so that length limits apply to the stored text.
Markdown = Annotated[str, AfterValidator(_check_size), BeforeValidator(_lines)]
Timestamp = Annotated[datetime, AfterValidator(_to_utc), BeforeValidator(_parse_timestamp)]


def validation_message(problem: Mapping[str, Any]) -> str:
    """Return the message for one of pydantic's errors."""
    message = str(problem["msg"])
    kind = problem["type"]
    if message.startswith(_OURS) or kind not in _PLAIN:
        message = message.removeprefix(_OURS)
        return message + ("" if message.endswith((".", "?", "!")) else ".")
    if kind == "too_short" and problem["ctx"]["min_length"] == 1:
        return _("Must not be empty.")
    return _(_PLAIN[kind]).format_map(_format_limits(problem.get("ctx", {}))).replace("'", "")


def _format_limits(limits: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert whole floats to int, so that a limit reads 0 instead of 0.0."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value for name, value in limits.items()
    }
