"""Commands of drafts: save, discard, delete once the text is saved, and reassign.

Drafts are reassigned when their subject is merged, split or purged. They stay visible only to their author.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, cast

import sqlalchemy as sa
from pydantic import AfterValidator, Field
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, NotAllowed, NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Draft, Summary, Topic
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.infra.validation import StrictModel

MAX_DRAFTS = 100  # drafts per person
MAX_DRAFT_BYTES = 250_000  # bytes per draft; larger than a text may be, so that text over the limit is not lost either
TAB = r"[0-9A-Za-z]{8,32}"
NEEDS = {"summary": "keep", "topic": "edit"}  # subject: the permission needed to save the text itself
_TOOK = re.compile(r"([0-9]{1,18})\.([0-9]{1,9})")
DraftField = Literal["markdown", "tldr", "private", "name", "aliases", "parent"]


class DraftSubject(NamedTuple):
    """The subject of a draft: the summary of the paper with that id, or the text of the topic."""

    subject: str
    id: int


def _check_draft_size(fields: dict[DraftField, str]) -> dict[DraftField, str]:
    octets = sum(len(text.encode("utf-8", "replace")) for text in fields.values())
    if octets > MAX_DRAFT_BYTES:
        message = _("The draft is too large ({octets:,} bytes). The limit is {most:,} bytes.").format(
            most=MAX_DRAFT_BYTES, octets=octets
        )
        raise ValueError(message)
    return fields


class DraftUpdate(StrictModel):
    """The current fields of a form.

    `version`: the version of the text being edited, None for a new one. `number`: the number returned by the window's
    last save, initially 0. `took`: the draft that the window continues, as "id.number"; it is deleted unless it was
    saved again since. `person`: who opened the window, because another person may have signed in to the browser since.
    """

    fields: Annotated[dict[DraftField, str], AfterValidator(_check_draft_size)]
    version: Annotated[int, Field(ge=0, lt=10**9)] | None = None
    number: Annotated[int, Field(ge=0, lt=10**9)] = 0
    took: Annotated[str, Field(max_length=40)] = ""
    person: int | None = None


def save_draft(tx: Write, me: CurrentUser, subject: DraftSubject, tab: str, *, data: DraftUpdate) -> Draft:
    """Save and return the draft of a window.

    Raise StaleVersion if another window uses the same name, NotAllowed if another person opened the window, and
    Conflict if the user has too many drafts.
    """
    permissions.require(me, NEEDS[subject.subject])
    _check_same_person(me, data.person)
    _lock_subject(tx, subject)
    permissions.lock_person(tx, me)
    query = sa.select(Draft).where(col(Draft.person_id) == me.id, col(Draft.tab) == tab)
    draft = tx.scalar(query.execution_options(populate_existing=True))
    if draft is not None and DraftSubject(draft.subject, draft.subject_id) == subject and draft.fields == data.fields:
        return draft  # a retry after a lost response
    if draft is not None and (DraftSubject(draft.subject, draft.subject_id) != subject or draft.number != data.number):
        message = _("Another window already saved a draft under this name. Use another name.")
        raise StaleVersion(message, current={"number": draft.number})
    if draft is None:
        draft = _create_draft(tx, me, subject, tab)
    draft.fields, draft.version = cast("dict[str, str]", data.fields), data.version
    draft.number, draft.saved_at = data.number + 1, now()
    tx.add(draft)
    tx.flush()
    _delete_superseded(tx, me, data.took, exclude_id=draft.id)
    return draft


def discard_draft(tx: Write, me: CurrentUser, draft_id: int) -> None:
    """Delete one of the user's drafts. Raise NotFound for any other."""
    permissions.require(me, "keep")
    statement = (
        sa.delete(Draft).where(col(Draft.id) == draft_id, col(Draft.person_id) == me.id).returning(col(Draft.id))
    )
    if tx.scalar(statement) is None:
        raise NotFound(_("Draft {number} not found.").format(number=draft_id))


def delete_saved_drafts(
    tx: Write, me: CurrentUser, subject: DraftSubject, tab: str, *, superseded: str, saved_fields: Mapping[str, str]
) -> None:
    """Delete the drafts of a saved text: the window's own, the one it continued, and equal ones."""
    query = sa.select(Draft).where(
        col(Draft.person_id) == me.id, col(Draft.subject) == subject.subject, col(Draft.subject_id) == subject.id
    )
    for draft in tx.scalars(query).all():
        if draft.tab == tab or is_same_text(draft.fields, saved_fields):
            tx.delete(draft)
    tx.flush()
    _delete_superseded(tx, me, superseded, exclude_id=None)


def is_same_text(draft: Mapping[str, str], form: Mapping[str, str]) -> bool:
    """Return True if draft and form have the same text, ignoring privacy, CR LF and outer whitespace."""
    return all(
        _normalize_newlines(text) == _normalize_newlines(form.get(name, ""))
        for name, text in draft.items()
        if name != "private"
    )


def _normalize_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _create_draft(tx: Write, me: CurrentUser, subject: DraftSubject, tab: str) -> Draft:
    count = tx.scalar(sa.select(sa.func.count()).select_from(Draft).where(col(Draft.person_id) == me.id)) or 0
    if count >= MAX_DRAFTS:
        message = _("Limit of {count} reached. Delete some first.")
        raise Conflict(message.format(count=MAX_DRAFTS), code="too-many")
    return Draft(person_id=me.id, subject=subject.subject, subject_id=subject.id, tab=tab)


def _delete_superseded(tx: Write, me: CurrentUser, superseded: str, *, exclude_id: int | None) -> None:
    match = _TOOK.fullmatch(superseded)
    if match is None or int(match[1]) == exclude_id:
        return
    conditions = (col(Draft.id) == int(match[1]), col(Draft.number) == int(match[2]), col(Draft.person_id) == me.id)
    tx.bulk_execute(sa.delete(Draft).where(*conditions))


def _check_same_person(me: CurrentUser, person: int | None) -> None:
    if person not in {None, me.id}:
        message = _("You're signed in as someone else. This draft is saved only in your browser.")
        raise NotAllowed(message, code="another-person")


def _lock_subject(tx: Write, subject: DraftSubject) -> None:
    """Lock the paper or topic until the transaction ends. Raise NotFound."""
    topic_query = sa.select(col(Topic.id)).where(col(Topic.id) == subject.id)
    if subject.subject == "summary":
        permissions.lock_present_paper(tx, subject.id)
    elif tx.scalar(topic_query.with_for_update(read=True, key_share=True)) is None:
        raise NotFound(_("Topic not found."))


def list_draft_ids(tx: Read, subject: DraftSubject) -> list[int]:
    """Return the ids of all people's drafts, for reassigning and not for display."""
    conditions = (col(Draft.subject) == subject.subject, col(Draft.subject_id) == subject.id)
    return [
        draft_id
        for draft_id in tx.scalars(sa.select(col(Draft.id)).where(*conditions).order_by(col(Draft.id)))
        if draft_id
    ]


def move_drafts(tx: Write, subject: DraftSubject, into_id: int) -> list[int]:
    """Move the drafts to the subject that theirs was merged into, and return their ids."""
    ids = list_draft_ids(tx, subject)
    reassign_drafts(tx, ids, subject, to_id=into_id)
    return ids


def reassign_drafts(tx: Write, ids: Sequence[int], subject: DraftSubject, *, to_id: int) -> None:
    """Move these drafts to another subject. Call it after the texts were moved.

    A draft whose text stayed behind loses its version, so that saving it shows the other text as a conflict.
    """
    summary_query = sa.select(col(Summary.id)).where(
        col(Summary.person_id) == col(Draft.person_id), col(Summary.paper_id) == subject.id
    )
    has_stayed = summary_query.exists() if subject.subject == "summary" else sa.true()
    statement = sa.update(Draft).where(
        col(Draft.id).in_(ids), col(Draft.subject) == subject.subject, col(Draft.subject_id) == subject.id
    )
    tx.bulk_execute(
        statement.values(subject_id=to_id, version=sa.case((has_stayed, sa.null()), else_=col(Draft.version)))
    )


def delete_drafts_of_papers(tx: Write, paper_ids: Sequence[int]) -> None:
    """Delete drafts of summaries of purged papers."""
    conditions = (col(Draft.subject) == "summary", col(Draft.subject_id).in_(paper_ids))
    tx.bulk_execute(sa.delete(Draft).where(*conditions))


def delete_old_drafts(tx: Write, *, limit: int) -> int:
    """Delete drafts of topics that can no longer be restored, and return how many."""
    topic_exists = sa.select(col(Topic.id)).where(col(Topic.id) == col(Draft.subject_id)).exists()
    conditions = (col(Draft.subject) == "topic", col(Draft.saved_at) < now() - UNDO_PERIOD, sa.not_(topic_exists))
    ids = list(tx.scalars(sa.select(col(Draft.id)).where(*conditions).order_by(col(Draft.id)).limit(limit)))
    tx.bulk_execute(sa.delete(Draft).where(col(Draft.id).in_(ids)))
    return len(ids)
