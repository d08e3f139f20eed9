"""Who may see or do what. Asked by pages, API, search, counts and exports alike; nothing else decides."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import NotAllowed, NotConfirmed, NotFound, PaperMerged
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import ROLES, Paper, Person

ACTS = {  # act: (least role, scope a token needs)
    "see": ("viewer", "read"),
    "keep": ("viewer", "write"),  # readings, summaries, notices, answers to assignments and settings of one's own
    "add": ("member", "write"),
    "edit": ("member", "write"),
    "discuss": ("member", "write"),  # comments, questions, assignments, candidates, votes, notes of meetings
    "import": ("member", "import"),
    "delete": ("editor", "write"),
    "merge": ("editor", "write"),
    "reject": ("editor", "write"),
    "schedule": ("editor", "write"),  # series, meetings and what they are about
    "close-hosts": ("editor", "write"),
    "commit-others": ("editor", "import"),
    "hide": ("admin", "write"),  # comments of others, out of sight; nobody edits them
    "manage-people": ("admin", "admin"),  # and the audit trail
    "manage-jobs": ("admin", "admin"),
}
SCOPES_OF = {  # what a token of that role may have at most
    "viewer": frozenset({"read", "feed"}),
    "member": frozenset({"read", "write", "import", "feed"}),
    "editor": frozenset({"read", "write", "import", "feed"}),
    "admin": frozenset({"read", "write", "import", "feed", "admin"}),
}
_READ_TOO = frozenset({"write", "import", "admin"})  # "read" is contained in these


@dataclass(frozen=True)
class CurrentUser:
    """Who asks. `scopes` is None for a person at a browser: no narrower than the role."""

    id: int
    name: str
    role: str
    scopes: frozenset[str] | None = None
    token_id: int | None = None
    sign_in_id: int | None = None
    theme: str = "system"
    density: str = ""  # of lists; blank: airy
    variants: bool = False  # a search in one form of a Han character finds the others
    start: str = ""  # where they begin, as Person says it; blank: the home page
    keys_off: bool = False
    language: str = ""  # blank: as the browser asks
    time_zone: str = ""  # IANA; blank: UTC
    address: str = ""  # from where they ask
    use_due: bool = False  # the last noted use of the session or token is long ago
    confirmed: bool = False  # password and code were given with this very request


OPERATOR = CurrentUser(
    0, "the operator", "admin", confirmed=True
)  # whoever has the command line; no person of the library


def has_permission(visitor: CurrentUser, act: str) -> bool:
    """Whether this person, by this token, may do that."""
    role, scope = ACTS[act]
    return _at_least(visitor.role, role) and _covers(visitor, scope)


def require(visitor: CurrentUser, act: str) -> None:
    """Raises NotAllowed, naming what is missing."""
    role, scope = ACTS[act]
    if not _at_least(visitor.role, role):
        message = _("This needs the role {role}; yours is {role_2}. Nothing was changed.").format(
            role=role, role_2=visitor.role
        )
        raise NotAllowed(message)
    if not _covers(visitor, scope):
        message = _("This token lacks the scope {scope}. Nothing was changed.").format(scope=scope)
        raise NotAllowed(message, code="missing-scope")


def require_browser(visitor: CurrentUser) -> None:
    """Some things a token may never do: make tokens, change who signs in."""
    if visitor.scopes is not None:
        message = _("A token cannot do this; sign in with a browser.")
        raise NotAllowed(message)


def require_confirmed(visitor: CurrentUser) -> None:
    """Raise NotConfirmed unless the visitor proved anew who they are: a session alone changes no credentials."""
    require_browser(visitor)
    if not visitor.confirmed:
        raise NotConfirmed(_("Confirm this change with your password. Nothing was changed."))


def shared_or_own(table: Any, person_id: int | None) -> sa.ColumnElement[bool]:  # noqa: ANN401 - any table with `private` and `person_id`
    """The rows a person may see: those not private, and their own. Nobody signed in sees only shared ones."""
    shared = sa.not_(table.private)
    return shared if person_id is None else sa.or_(shared, table.person_id == person_id)


def is_present(paper: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - the table, or an alias of it
    """The papers that everybody sees: neither deleted nor merged into another."""
    return sa.and_(paper.deleted_at.is_(None), paper.merged_into.is_(None))


def is_listed(paper: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Those of them that lists show to who does not ask for others: what the team rejected is not among them."""
    return sa.and_(is_present(paper), paper.triage != "rejected")


def is_unlisted(paper: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """All others, in the words of the index that holds them: few of many, so that counts leave them out one by one."""
    rejected = paper.triage == sa.literal_column("'rejected'")
    return sa.or_(paper.deleted_at.is_not(None), paper.merged_into.is_not(None), rejected)


# Made once, as every change asks them: making a statement takes SQLAlchemy longer than SQLite takes to answer it.
_HERE = sa.select(col(Paper.id)).where(col(Paper.id) == sa.bindparam("paper_id"), is_present(Paper))
_HELD = _HERE.with_for_update(read=True, key_share=True)
_SELF = sa.select(col(Person.id)).where(col(Person.id) == sa.bindparam("me")).with_for_update(key_share=True)


def require_present(tx: Read, paper_id: int) -> None:
    """Raises NotFound when there is no such paper, or it is deleted; Moved when it is merged into another."""
    if not tx.rows(_HERE, {"paper_id": paper_id}):
        raise missing_paper_error(tx, paper_id)


def lock_present_paper(tx: Write, paper_id: int) -> None:
    """The same, and it stays so until the transaction ends: what is written now belongs to the paper that is shown."""
    if not tx.rows(_HELD, {"paper_id": paper_id}):
        raise missing_paper_error(tx, paper_id)


def lock_person(tx: Write, me: CurrentUser) -> None:
    """Until the transaction ends, another that calls this for the same person waits: no change of theirs is doubled."""
    tx.rows(_SELF, {"me": me.id})


def missing_paper_error(tx: Read, paper_id: int) -> NotFound:
    """What to raise of a paper that is not there: Moved, when it is part of another."""
    survivor = find_surviving_paper(tx, paper_id)
    if survivor is None:
        return NotFound(_("There is no paper {paper_id}.").format(paper_id=paper_id))
    message = _("Paper {paper_id} is part of paper {survivor} now. Nothing was changed; do it there.").format(
        paper_id=paper_id, survivor=survivor
    )
    return PaperMerged(message, paper_id=survivor)


def find_surviving_paper(tx: Read, paper_id: int) -> int | None:
    """The paper that a merged one is part of, however often that one was merged itself; None for one that is not."""
    merged = sa.select(col(Paper.merged_into))
    here, above = paper_id, tx.scalar(merged.where(col(Paper.id) == paper_id))
    while above is not None:
        here, above = above, tx.scalar(merged.where(col(Paper.id) == above))
    return None if here == paper_id else here


def _at_least(role: str, least: str) -> bool:
    return ROLES.index(role) >= ROLES.index(least)


def _covers(visitor: CurrentUser, scope: str) -> bool:
    if visitor.scopes is None:
        return True
    granted = visitor.scopes & SCOPES_OF[visitor.role]
    return scope in granted or (scope == "read" and bool(granted & _READ_TOO))
