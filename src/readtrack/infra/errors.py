"""Expected errors. Each message tells the user what is wrong and, if it is not obvious, what to do.

ReadtrackError
├── Invalid            422  invalid input; `errors` lists the fields
├── BadRequest         400  invalid URL parameters (a cursor, a limit)
│   └── search.QueryError   syntax error in a search query
├── NotSignedIn        401  no authenticated user
├── NotAllowed         403  authenticated, but not permitted
│   └── NotConfirmed        password or code missing or wrong; `errors` says which
├── NotFound           404  does not exist, or its existence is not disclosed
│   └── PaperMerged         merged into the paper `paper_id`; GET requests redirect to it
├── Gone               410  existed, and will not again
├── Conflict           409  would break a rule of the data (invalid transition, name already in use)
├── StaleVersion       412  a newer version was saved (409 on pages)
├── PreconditionNeeded 428  an edit without If-Match
├── TooLarge           413
├── UnsupportedMedia   415
├── UnknownHost        421  asked by a name that is not readtrack's
├── TooManyRequests    429  `retry_after` seconds
├── SourceRefused      502  permanent error of a source; a retry is pointless
├── SourceUnavailable  503  temporary error of a source; `retry_after` seconds if known
│   └── SourceRateLimited   the source was not contacted (circuit breaker); does not count as a failure
├── StorageUnavailable 503  the database is temporarily unavailable
│   └── NewerSchema         it was created by a newer readtrack
└── DiskFull           507  too little space for what was sent
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldError:
    """One invalid field. `pointer` is a JSON pointer ("/title"), `code` a stable identifier."""

    pointer: str
    code: str
    detail: str


class SettingsError(Exception):
    """An invalid setting. The message names it and the expected value."""


class SettingNotUsableYet(SettingsError):
    """A setting that may be right a moment later, such as a port in use or a file that is not mounted yet."""


class ReadtrackError(Exception):
    """The base class. `code` is the stable identifier in problem+json responses."""

    status = 500
    code = "internal"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code


class Invalid(ReadtrackError):
    status = 422
    code = "invalid"

    def __init__(self, message: str, errors: Sequence[FieldError] = (), *, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.errors = tuple(errors)


def invalid_field(pointer: str, code: str, detail: str) -> Invalid:
    """Return the error of one wrong field."""
    return Invalid(detail, [FieldError(pointer, code, detail)])


class BadRequest(ReadtrackError):
    status = 400
    code = "bad-request"


class NotSignedIn(ReadtrackError):
    status = 401
    code = "not-signed-in"


class NotAllowed(ReadtrackError):
    status = 403
    code = "not-allowed"


class NotConfirmed(NotAllowed):
    code = "confirm-first"

    def __init__(self, message: str, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(message)
        self.errors = tuple(errors)


class NotFound(ReadtrackError):
    status = 404
    code = "not-found"


class PaperMerged(NotFound):
    """The paper was merged into the paper `paper_id`."""

    code = "merged"

    def __init__(self, message: str, *, paper_id: int) -> None:
        super().__init__(message)
        self.paper_id = paper_id


class Gone(ReadtrackError):
    status = 410
    code = "gone"


class Conflict(ReadtrackError):
    status = 409
    code = "conflict"

    def __init__(self, message: str, *, code: str | None = None, allowed: Sequence[str] = ()) -> None:
        super().__init__(message, code=code)
        self.allowed = tuple(allowed)


class StaleVersion(ReadtrackError):
    """The edit is based on an old version.

    `current` is the saved version, so that a page can show both texts.
    """

    status = 412
    code = "stale"

    def __init__(self, message: str, *, current: object = None) -> None:
        super().__init__(message)
        self.current = current


class PreconditionNeeded(ReadtrackError):
    status = 428
    code = "precondition-needed"


class TooLarge(ReadtrackError):
    status = 413
    code = "too-large"


class UnsupportedMedia(ReadtrackError):
    status = 415
    code = "unsupported-media-type"


class UnknownHost(ReadtrackError):
    status = 421
    code = "unknown-host"


class TooManyRequests(ReadtrackError):
    status = 429
    code = "too-many-requests"

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class SourceRefused(ReadtrackError):
    status = 502
    code = "source-refused"


class SourceUnavailable(ReadtrackError):
    status = 503
    code = "source-unavailable"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class SourceRateLimited(SourceUnavailable):
    """The source is not contacted until `retry_after` seconds have passed, because it failed repeatedly."""


class StorageUnavailable(ReadtrackError):
    status = 503
    code = "storage-unavailable"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NewerSchema(StorageUnavailable):
    """The database was created by a newer readtrack."""


class DiskFull(ReadtrackError):
    status = 507
    code = "disk-full"
