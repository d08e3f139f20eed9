"""What is wrong with an input, in words for people: pydantic's are for programmers."""

from collections.abc import Mapping
from typing import Any

_PLAIN = {
    "string_too_short": "Please fill this in.",
    "missing": "Please fill this in.",
    "none_required": "Please leave this blank.",
    "string_too_long": "This may have at most {max_length} characters.",
    "string_pattern_mismatch": "This has a form that cannot be used.",
    "string_type": "This should be a text.",
    "string_unicode": "This is not readable as a text.",
    "int_parsing": "This should be a whole number.",
    "int_parsing_size": "This number is too large.",
    "int_type": "This should be a whole number.",
    "int_from_float": "This should be a whole number.",
    "float_parsing": "This should be a number.",
    "float_type": "This should be a number.",
    "finite_number": "This should be a number that has an end.",
    "bool_parsing": "This should be true or false (1 or 0).",
    "bool_type": "This should be true or false.",
    "greater_than_equal": "This should be {ge} or more.",
    "greater_than": "This should be more than {gt}.",
    "less_than_equal": "This should be {le} or less.",
    "less_than": "This should be less than {lt}.",
    "literal_error": "This should be one of {expected}.",
    "list_type": "This should be a list.",
    "tuple_type": "This should be a list.",
    "too_long": "This may have at most {max_length} items.",
    "too_short": "This should have {min_length} items or more.",
    "dict_type": "This should be an object with named fields.",
    "model_type": "This should be an object with named fields.",
    "model_attributes_type": "This should be an object with named fields.",
    "date_type": "This should be a date like 2026-03-31.",
    "date_parsing": "This should be a date like 2026-03-31.",
    "date_from_datetime_parsing": "This should be a date like 2026-03-31.",
    "date_from_datetime_inexact": "This should be a date like 2026-03-31.",
    "datetime_type": "This should be a moment like 2026-03-31T09:30:00Z.",
    "datetime_parsing": "This should be a moment like 2026-03-31T09:30:00Z.",
    "datetime_from_date_parsing": "This should be a moment like 2026-03-31T09:30:00Z.",
    "timezone_aware": "This should be a moment with its time zone, like 2026-03-31T09:30:00Z.",
    "extra_forbidden": "There is no such field.",
}
_OURS = "Value error, "  # stands before what validators of readtrack say


def sentence(problem: Mapping[str, Any]) -> str:
    """What is wrong with one field; `problem` is one of pydantic's errors."""
    message = str(problem["msg"])
    if message.startswith(_OURS) or problem["type"] not in _PLAIN:
        message = message.removeprefix(_OURS)
        return message + ("" if message.endswith((".", "?", "!")) else ".")
    return _PLAIN[problem["type"]].format_map(_plain(problem.get("ctx", {}))).replace("'", "")


def _plain(limits: Mapping[str, Any]) -> Mapping[str, Any]:
    """0.0 is 0 for a person."""
    return {name: int(v) if isinstance(v, float) and v.is_integer() else v for name, v in limits.items()}
