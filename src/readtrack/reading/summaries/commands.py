"""Verbs of summaries. Only the author writes; every version that was saved is kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Self

import sqlalchemy as sa
from pydantic import Field, model_validator
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Event, Summary, SummaryVersion
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.saved_texts import TextEdit, text_saved
from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text.input_types import Markdown, OneLine

LONGEST_TLDR = 200
RESTORE_WITHIN = timedelta(days=30)


class SummaryUpdate(TrimmedModel):
    """The whole summary as it shall be: a text, a line that says it all, or both; for the team or for me alone."""

    markdown: Markdown = ""
    tldr: Annotated[str, Field(max_length=LONGEST_TLDR), OneLine] = ""
    private: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.markdown and not self.tldr:
            message = _("Write a text or a one-line summary. To remove a summary, delete it.")
            raise ValueError(message)
        return self


@dataclass(frozen=True)
class SummaryText:
    """What a version says."""

    markdown: str
    tldr: str
    private: bool


@dataclass(frozen=True)
class SummaryConflict:
    """What stands there now, when an edit began from another version (`yours`; None: from nothing).

    `base`: what that version said, None when there is no such version.
    """

    version: int
    yours: int | None
    markdown: str
    tldr: str
    private: bool
    updated_at: datetime
    deleted: bool
    base: SummaryText | None


def edit_summary(tx: Write, me: CurrentUser, paper_id: int, edit: SummaryUpdate, *, version: int | None) -> Summary:
    """Saves my summary of a paper as its next version, beginning from `version`; None means there is none yet.

    Raises Stale, carrying the newer text, when it was saved or deleted in between. A deleted one may be written again.
    """
    permissions.require(me, "keep")
    permissions.lock_present_paper(tx, paper_id)
    summary = find_summary_for_update(tx, me, paper_id) or _create_summary(tx, me, paper_id, version)
    began = None if summary.deleted_at is not None or summary.version == 0 else summary.version
    if version != began:
        raise _stale_error(tx, summary, version)
    if began is None or differs(summary, edit):
        save_next_version(tx, me, summary, edit)
    return summary


def delete_summary(tx: Write, me: CurrentUser, paper_id: int, *, version: int | None = None) -> int:
    """Hides my summary of a paper, with its versions, for thirty days; its number. With `version`, only the newest."""
    permissions.require(me, "keep")
    permissions.lock_present_paper(tx, paper_id)
    summary = find_summary_for_update(tx, me, paper_id)
    if summary is None or summary.deleted_at is not None:
        message = _("You have no summary of this paper. Nothing was changed.")
        raise NotFound(message)
    if version not in {None, summary.version}:
        raise _stale_error(tx, summary, version)
    summary.deleted_at = now()
    events.record_event(
        tx, me, "summary.deleted", paper_id=paper_id, data={"summary": summary.id}, private=summary.private
    )
    tx.flush()
    text_saved(tx, "summary", [summary.id or 0])
    return summary.id or 0


def restore_summary(tx: Write, me: CurrentUser, summary_id: int) -> Summary:
    """Brings back my summary as it was when I deleted it, within thirty days. Raises NotFound, Conflict."""
    permissions.require(me, "keep")
    paper_id = tx.scalar(sa.select(col(Summary.paper_id)).where(col(Summary.id) == summary_id))
    if paper_id is not None:
        permissions.lock_present_paper(tx, paper_id)
    summary = find_summary_for_update(tx, me, paper_id) if paper_id is not None else None
    if summary is None or summary.id != summary_id or summary.deleted_at is None:
        raise NotFound(_("You deleted no summary that has this number. Nothing was changed."))
    if summary.deleted_at < now() - RESTORE_WITHIN:
        raise Conflict(_("This summary was deleted more than 30 days ago. It stays so."))
    summary.deleted_at, summary.updated_at = None, now()
    data = {"summary": summary.id}
    events.record_event(tx, me, "summary.restored", paper_id=summary.paper_id, data=data, private=summary.private)
    tx.flush()
    text_saved(tx, "summary", [summary_id])
    return summary


def find_summary_for_update(tx: Write, me: CurrentUser, paper_id: int) -> Summary | None:
    """My summary of a paper, deleted or not, held until the transaction ends."""
    mine = sa.select(Summary).where(col(Summary.person_id) == me.id, col(Summary.paper_id) == paper_id)
    return tx.scalar(mine.with_for_update().execution_options(populate_existing=True))


def _create_summary(tx: Write, me: CurrentUser, paper_id: int, version: int | None) -> Summary:
    """A summary without a version yet; or the one that another window of mine began at this moment."""
    summary = Summary(person_id=me.id, paper_id=paper_id, version=0)
    if version is not None:
        raise _stale_error(tx, summary, version)
    try:
        with tx.begin_nested():
            tx.add(summary)
    except IntegrityError as error:
        other = find_summary_for_update(tx, me, paper_id)
        raise _stale_error(tx, other or summary, version) from error
    return summary


def save_next_version(tx: Write, me: CurrentUser, summary: Summary, edit: SummaryUpdate) -> None:
    """Makes this what a summary says that this transaction holds: its next version."""
    before = "" if summary.private or summary.deleted_at is not None else summary.markdown
    is_new = summary.version == 0 or not (edit.private or _was_shared(tx, summary))
    summary.markdown, summary.tldr, summary.private = edit.markdown, edit.tldr, edit.private
    summary.updated_at, summary.deleted_at = now(), None
    store_version(tx, summary, edit)
    verb = "summary.added" if is_new else "summary.saved"
    data = {"summary": summary.id}  # not which version it is: others count those that they may read
    events.record_event(tx, me, verb, paper_id=summary.paper_id, data=data, private=edit.private)
    tx.flush()
    if edit.private:
        _hide_events(tx, me, summary.paper_id)
    text_saved(tx, "summary", [summary.id or 0], edit=TextEdit(by=me, before=before))


def store_version(tx: Write, summary: Summary, edit: SummaryUpdate) -> None:
    """A further version in the history of a summary that this transaction holds; what it says is the caller's."""
    summary.version += 1
    tx.add(SummaryVersion(summary_id=summary.id or 0, number=summary.version, **edit.model_dump()))


def _was_shared(tx: Write, summary: Summary) -> bool:
    """Whether others could read it once: to them it is new otherwise."""
    versions = sa.select(col(SummaryVersion.id)).where(col(SummaryVersion.summary_id) == summary.id)
    return tx.scalar(versions.where(sa.not_(col(SummaryVersion.private))).limit(1)) is not None


def _hide_events(tx: Write, me: CurrentUser, paper_id: int) -> None:
    """What became private leaves no trace for others, not even that it was there."""
    mine = sa.update(Event).where(col(Event.person_id) == me.id, col(Event.paper_id) == paper_id)
    tx.execute(mine.where(col(Event.verb).startswith("summary.")).values(private=True))


def differs(summary: Summary, edit: SummaryUpdate) -> bool:
    """Whether it says something else than this."""
    return (summary.markdown, summary.tldr, summary.private) != (edit.markdown, edit.tldr, edit.private)


def _stale_error(tx: Write, summary: Summary, version: int | None) -> StaleVersion:
    deleted = summary.deleted_at is not None or summary.version == 0
    message = (
        _("You deleted this summary in another window or program. Yours was not saved over it; look at both.")
        if deleted
        else _(
            "You saved version {number} of this summary in another window or program. Yours was not saved over it; "
            "look at both."
        ).format(number=summary.version)
    )
    newer = SummaryConflict(
        version=summary.version,
        yours=version,
        markdown=summary.markdown,
        tldr=summary.tldr,
        private=summary.private,
        updated_at=summary.updated_at,
        deleted=deleted,
        base=_find_version_text(tx, summary, version),
    )
    return StaleVersion(message, current=newer)


def _find_version_text(tx: Write, summary: Summary, number: int | None) -> SummaryText | None:
    said = sa.select(col(SummaryVersion.markdown), col(SummaryVersion.tldr), col(SummaryVersion.private))
    mine = said.where(col(SummaryVersion.summary_id) == summary.id, col(SummaryVersion.number) == number)
    found = tx.execute(mine).one_or_none()
    return SummaryText(*found) if found else None
