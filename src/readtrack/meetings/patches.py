"""Merge patches (RFC 7396): what stands there with some of its fields changed. Pure."""

from collections.abc import Mapping
from typing import Any

from readtrack.errors import Invalid


def patched(now: Mapping[str, Any], body: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """What stands there with the fields of a merge patch; null empties a field."""
    if not isinstance(body, dict):
        message = "The body must be an object with the fields to change. Nothing was changed."
        raise Invalid(message)
    return {name: value for name, value in {**now, **body}.items() if value is not None}
