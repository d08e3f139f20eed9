"""The body of error responses as described by RFC 9457."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from readtrack.infra.i18n import N_

PROBLEM_MEDIA_TYPE = "application/problem+json"
TITLES = {
    400: N_("Invalid request"),
    401: N_("Sign in"),
    403: N_("Permission denied"),
    404: N_("Not found"),
    405: N_("Method not allowed"),
    409: N_("Conflict"),
    410: N_("No longer available"),
    412: N_("A newer version exists"),
    413: N_("Too large"),
    415: N_("Unsupported format"),
    421: N_("Unknown host name"),
    422: N_("Invalid input"),
    428: N_("If-Match header missing"),
    429: N_("Too many requests"),
    500: N_("Something went wrong"),
    502: N_("The source refused the request"),
    503: N_("Temporarily unavailable"),
    507: N_("Not enough disk space"),
}


class FieldProblem(BaseModel):
    """An invalid field or parameter. `pointer`: a JSON pointer; `code`: a stable identifier."""

    pointer: str
    code: str
    detail: str


class Problem(BaseModel):
    """An error. `detail`: a message for people; `code`: a stable identifier.

    A 409 may have `allowed`, the values that are possible now; a 412 has `current`, the newer version, if it helps to
    merge; an invalid search has `position`, `length` and `suggestion`.
    """

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: list[FieldProblem]
    allowed: list[str] = []
    current: Any = None
    position: int = 0
    length: int = 0
    suggestion: str | None = None
