"""What can go wrong on purpose. Every message is a sentence for a person: what happened, what was kept, what to do.

ReadtrackError
├── Invalid            422  the input cannot be used; `errors` says where
├── BadRequest         400  the address itself is wrong (a cursor, a limit)
│   └── search.QueryError   words in the search box that cannot be read
├── NotSignedIn        401  nobody is known to be asking
├── NotAllowed         403  known, but not permitted
│   └── NotConfirmed         the password or the code is missing or wrong; `errors` says which
├── NotFound           404  is not there, or may not be known of
│   └── Moved               is part of another now; `paper_id` tells of which: reading doors lead there
├── Conflict           409  would break a rule of the data (refused transition, taken name)
├── Stale              412  somebody saved a newer version (409 on pages)
├── PreconditionNeeded 428  an edit without If-Match
├── TooLarge           413
├── UnsupportedMedia   415
├── TooMany            429  `retry_after` seconds
├── SourceRefused      502  a source said no, asking again is pointless
├── SourceUnavailable  503  a source did not answer; `retry_after` seconds, when it said
│   └── SourceResting       it failed again and again; nothing was asked, so that this is no further failure
└── StorageUnavailable 503  the database cannot do it now
"""

from collections.abc import Sequence
from dataclasses import dataclass

from readtrack.infra.i18n import gettext as _


@dataclass(frozen=True)
class FieldError:
    """One wrong field. `pointer` is a JSON pointer ("/title"), `code` a stable word."""

    pointer: str
    code: str
    detail: str


class SettingsError(Exception):
    """A setting is wrong; the message names it and says what it should be."""


class ReadtrackError(Exception):
    """The root; `code` is the stable word of problem+json."""

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
    return Invalid(_("{detail} Nothing was changed.").format(detail=detail), [FieldError(pointer, code, detail)])


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
    """A paper that became part of another."""

    code = "merged"

    def __init__(self, message: str, *, paper_id: int) -> None:
        super().__init__(message)
        self.paper_id = paper_id


class Conflict(ReadtrackError):
    status = 409
    code = "conflict"

    def __init__(self, message: str, *, code: str | None = None, allowed: Sequence[str] = ()) -> None:
        super().__init__(message, code=code)
        self.allowed = tuple(allowed)


class StaleVersion(ReadtrackError):
    """`current` is what stands there now, so that a page can show both texts."""

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
    """It is not asked at all until `retry_after` seconds have passed."""


class StorageUnavailable(ReadtrackError):
    status = 503
    code = "storage-unavailable"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
