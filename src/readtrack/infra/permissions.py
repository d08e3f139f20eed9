"""Permissions: who may see or do what.

Pages, API, search, counts and exports all use these checks.
"""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import NotAllowed, NotConfirmed, NotFound, PaperMerged
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import ROLES, Paper, Person

ACTS = {  # Action: (minimum role, token scope).
    "see": ("viewer", "read"),
    "keep": ("viewer", "write"),  # One's own readings, summaries, notifications, replies to assignments and settings.
    "add": ("member", "write"),
    "edit": ("member", "write"),
    "discuss": ("member", "write"),  # Comments, questions, assignments, candidates, votes, meeting notes.
    "import": ("member", "import"),
    "delete": ("editor", "write"),
    "merge": ("editor", "write"),
    "reject": ("editor", "write"),
    "send-webhooks": ("member", "write"),
    "schedule": ("editor", "write"),  # Series, meetings and agendas.
    "close-hosts": ("editor", "write"),
    "commit-others": ("editor", "import"),
    "hide": ("admin", "write"),  # Hide other people's comments; nobody can edit them.
    "manage-people": ("admin", "admin"),  # Also the audit trail.
    "send-team-webhooks": ("admin", "admin"),
    "manage-jobs": ("admin", "admin"),
    "manage-backups": ("admin", "admin"),
}
SCOPES_OF = {  # Maximum scopes of a token, by role.
    "viewer": frozenset({"read", "feed"}),
    "member": frozenset({"read", "write", "import", "feed"}),
    "editor": frozenset({"read", "write", "import", "feed"}),
    "admin": frozenset({"read", "write", "import", "feed", "admin"}),
}
_READ_TOO = frozenset({"write", "import", "admin"})  # Scopes that include "read".


@dataclass(frozen=True)
class CurrentUser:
    """The authenticated user.

    `scopes` is None in a browser session: no restriction beyond the role.
    """

    id: int
    name: str
    role: str
    scopes: frozenset[str] | None = None
    token_id: int | None = None
    sign_in_id: int | None = None
    theme: str = "system"
    density: str = ""  # Of lists; blank: airy.
    variants: bool = False  # Search matches variant forms of Han characters.
    start: str = ""  # Start page, as in Person.start; blank: the home page.
    keys_off: bool = False
    hide_checklist: bool = False  # The first steps on the home page.
    language: str = ""  # Blank: from Accept-Language.
    time_zone: str = ""  # IANA name; blank: UTC.
    address: str = ""  # Client IP address.
    use_due: bool = False  # The stored last use of the session or token is old and should be updated.
    confirmed: bool = False  # Password and code were submitted with this request.


# Command line access; not a row in the person table.
OPERATOR = CurrentUser(0, "the operator", "admin", confirmed=True)


def has_permission(visitor: CurrentUser, action: str) -> bool:
    """Return True if the user's role and token scope allow the action."""
    role, scope = ACTS[action]
    return _at_least(visitor.role, role) and _covers(visitor, scope)


def require(visitor: CurrentUser, action: str) -> None:
    """Raise NotAllowed with the missing role or scope if the action is not allowed."""
    role, scope = ACTS[action]
    if not _at_least(visitor.role, role):
        message = _("This requires the {role} role; yours is {role_2}.").format(role=_(role), role_2=_(visitor.role))
        raise NotAllowed(message)
    if not _covers(visitor, scope):
        message = _("This token lacks the {scope} scope.").format(scope=scope)
        raise NotAllowed(message, code="missing-scope")


def require_browser(visitor: CurrentUser) -> None:
    """Raise NotAllowed for tokens, which may not create tokens or change credentials."""
    if visitor.scopes is not None:
        message = _("Tokens can't do this. Sign in with a browser.")
        raise NotAllowed(message)


def require_confirmed(visitor: CurrentUser) -> None:
    """Raise NotConfirmed unless the password was submitted with this request.

    A hijacked session alone must not be enough to change credentials.
    """
    require_browser(visitor)
    if not visitor.confirmed:
        raise NotConfirmed(_("Confirm with your password."))


def shared_or_own(table: Any, person_id: int | None) -> sa.ColumnElement[bool]:  # noqa: ANN401 - any table with `private` and `person_id`
    """Return the condition for rows a person may see: shared rows and their own.

    If `person_id` is None, only shared rows match.
    """
    is_shared = sa.not_(table.private)
    return is_shared if person_id is None else sa.or_(is_shared, table.person_id == person_id)


def is_present(paper: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - the table, or an alias of it
    """Return the condition for papers that are neither deleted nor merged into another."""
    return sa.and_(paper.deleted_at.is_(None), paper.merged_into.is_(None))


def is_listed(paper: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Return the condition for papers shown in lists by default: present and not rejected."""
    return sa.and_(is_present(paper), paper.triage != "rejected")


def is_unlisted(paper: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Return the complement of `is_listed`, phrased like the partial index that covers it.

    Unlisted papers are few, so that counts subtract them instead of filtering all papers.
    """
    is_rejected = paper.triage == sa.literal_column("'rejected'")
    return sa.or_(paper.deleted_at.is_not(None), paper.merged_into.is_not(None), is_rejected)


# Built once because every change uses them: building takes SQLAlchemy longer than SQLite needs for the answer.
_HERE = sa.select(col(Paper.id)).where(col(Paper.id) == sa.bindparam("paper_id"), is_present(Paper))
_HELD = _HERE.with_for_update(read=True, key_share=True)
_SELF = sa.select(col(Person.id)).where(col(Person.id) == sa.bindparam("me")).with_for_update(key_share=True)


def require_present(tx: Read, paper_id: int) -> None:
    """Raise NotFound if the paper does not exist or is deleted, PaperMerged if it is merged into another."""
    if not tx.rows(_HERE, {"paper_id": paper_id}):
        raise missing_paper_error(tx, paper_id)


def lock_present_paper(tx: Write, paper_id: int) -> None:
    """Like `require_present`, but lock the paper until the transaction ends.

    The lock prevents that it is deleted or merged meanwhile.
    """
    if not tx.rows(_HELD, {"paper_id": paper_id}):
        raise missing_paper_error(tx, paper_id)


def lock_person(tx: Write, me: CurrentUser) -> None:
    """Lock the person until the transaction ends, to serialize their concurrent requests."""
    tx.rows(_SELF, {"me": me.id})


def missing_paper_error(tx: Read, paper_id: int) -> NotFound:
    """Return the error for a missing paper: PaperMerged if it is merged into another, else NotFound."""
    survivor = find_surviving_paper(tx, paper_id)
    if survivor is None:
        return NotFound(_("Paper {paper_id} not found.").format(paper_id=paper_id))
    message = _("Paper {paper_id} was merged into paper {survivor}.").format(paper_id=paper_id, survivor=survivor)
    return PaperMerged(message, paper_id=survivor)


def find_surviving_paper(tx: Read, paper_id: int) -> int | None:
    """Return the paper into which the given one was merged, across several merges.

    Return None if it was not merged.
    """
    query = sa.select(col(Paper.merged_into))
    current_id, target_id = paper_id, tx.scalar(query.where(col(Paper.id) == paper_id))
    while target_id is not None:
        current_id, target_id = target_id, tx.scalar(query.where(col(Paper.id) == target_id))
    return None if current_id == paper_id else current_id


def _at_least(role: str, required: str) -> bool:
    return ROLES.index(role) >= ROLES.index(required)


def _covers(visitor: CurrentUser, scope: str) -> bool:
    if visitor.scopes is None:
        return True
    scopes = visitor.scopes & SCOPES_OF[visitor.role]
    return scope in scopes or (scope == "read" and bool(scopes & _READ_TOO))
