"""Annotated types for user input in pydantic models: storable in both databases and limited in size."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from readtrack.infra.i18n import gettext as _
from readtrack.infra.text import normalize

MAX_BYTES = 100_000  # Of one text.


def _one_line(value: Any) -> Any:  # noqa: ANN401 - checked by the model
    return " ".join(normalize.clean(value).split()) if isinstance(value, str) else value


def _lines(value: Any) -> Any:  # noqa: ANN401
    """Remove characters that cannot be stored and convert CRLF and CR, which forms send, to LF."""
    return normalize.clean(value).replace("\r\n", "\n").replace("\r", "\n") if isinstance(value, str) else value


def _check_size(text: str) -> str:
    octets = len(text.encode())
    if octets > MAX_BYTES:
        message = _(
            "The text has {octets:,} bytes; {max_bytes:,} is the most for one text. Divide it into several."
        ).format(octets=octets, max_bytes=MAX_BYTES)
        raise ValueError(message)
    return text


OneLine = BeforeValidator(_one_line)  # Listed last, so that length limits apply to the stored text.
Markdown = Annotated[str, AfterValidator(_check_size), BeforeValidator(_lines)]
