"""Commands of summaries. Only the author may change one; every saved version is kept."""

from dataclasses import dataclass
from datetime import datetime
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
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.infra.validation import Markdown, OneLine, TrimmedModel

MAX_TLDR_CHARS = 200


class SummaryUpdate(TrimmedModel):
    """The complete summary: a text, a one-line summary (TL;DR), or both; shared or private."""

    markdown: Markdown = ""
    tldr: Annotated[str, Field(max_length=MAX_TLDR_CHARS), OneLine] = ""
    private: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.markdown and not self.tldr:
            message = _("Enter a text or a one-line summary.")
            raise ValueError(message)
        return self


@dataclass(frozen=True)
class SummaryText:
    """The text of a version."""

    markdown: str
    tldr: str
    private: bool


@dataclass(frozen=True)
class SummaryConflict:
    """The current summary, for an edit that began from another version.

    `base_version`: the version that the edit began from, None for a new summary. `base`: the text of that version, None
    if it does not exist.
    """

    version: int
    base_version: int | None
    markdown: str
    tldr: str
    private: bool
    updated_at: datetime
    deleted: bool
    base: SummaryText | None


def edit_summary(tx: Write, me: CurrentUser, paper_id: int, edit: SummaryUpdate, *, version: int | None) -> Summary:
    """Save the user's summary as the next version.

    `version`: the one that the edit began from, None for a new summary. Raise StaleVersion with the current text after
    a concurrent change or deletion. A deleted summary can be written again.
    """
    permissions.require(me, "keep")
    permissions.lock_present_paper(tx, paper_id)
    summary = find_summary_for_update(tx, me, paper_id) or _create_summary(tx, me, paper_id, edit, version)
    current_version = None if summary.deleted_at is not None or summary.version == 0 else summary.version
    if version != current_version:
        raise _stale_error(tx, summary, version)
    if current_version is None or differs(summary, edit):
        save_next_version(tx, me, summary, edit)
    return summary


def delete_summary(tx: Write, me: CurrentUser, paper_id: int, *, version: int | None = None) -> int:
    """Delete the user's summary for 30 days and return its id.

    Raise NotFound if there is none, and StaleVersion if `version` is given and not the latest.
    """
    permissions.require(me, "keep")
    permissions.lock_present_paper(tx, paper_id)
    summary = find_summary_for_update(tx, me, paper_id)
    if summary is None or summary.deleted_at is not None:
        message = _("You haven't summarized this paper yet.")
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
    """Restore the user's deleted summary within 30 days. Raise NotFound, or Conflict after that."""
    permissions.require(me, "keep")
    paper_id = tx.scalar(sa.select(col(Summary.paper_id)).where(col(Summary.id) == summary_id))
    if paper_id is not None:
        permissions.lock_present_paper(tx, paper_id)
    summary = find_summary_for_update(tx, me, paper_id) if paper_id is not None else None
    if summary is None or summary.id != summary_id or summary.deleted_at is None:
        raise NotFound(_("Summary not found."))
    if summary.deleted_at < now() - UNDO_PERIOD:
        raise Conflict(_("It was deleted more than 30 days ago and can't be restored."))
    summary.deleted_at, summary.updated_at = None, now()
    data = {"summary": summary.id}
    events.record_event(tx, me, "summary.restored", paper_id=summary.paper_id, data=data, private=summary.private)
    tx.flush()
    text_saved(tx, "summary", [summary_id])
    return summary


def find_summary_for_update(tx: Write, me: CurrentUser, paper_id: int) -> Summary | None:
    """Return the user's summary, deleted or not, locked until the transaction ends."""
    query = sa.select(Summary).where(col(Summary.person_id) == me.id, col(Summary.paper_id) == paper_id)
    return tx.scalar(query.with_for_update().execution_options(populate_existing=True))


def _create_summary(tx: Write, me: CurrentUser, paper_id: int, edit: SummaryUpdate, version: int | None) -> Summary:
    """Create a summary without a version; private from the start, as the feed of changes sees every row.

    Raise StaleVersion if another window created one at this moment.
    """
    summary = Summary(person_id=me.id, paper_id=paper_id, private=edit.private, version=0)
    if version is not None:
        raise _stale_error(tx, summary, version)
    try:
        with tx.begin_nested():
            tx.add(summary)
    except IntegrityError as error:
        concurrent = find_summary_for_update(tx, me, paper_id)
        raise _stale_error(tx, concurrent or summary, version) from error
    return summary


def save_next_version(tx: Write, me: CurrentUser, summary: Summary, edit: SummaryUpdate) -> None:
    """Save the next version of a locked summary."""
    old_markdown = "" if summary.private or summary.deleted_at is not None else summary.markdown
    is_new = summary.version == 0 or not (edit.private or _was_shared(tx, summary))
    summary.markdown, summary.tldr, summary.private = edit.markdown, edit.tldr, edit.private
    summary.updated_at, summary.deleted_at = now(), None
    store_version(tx, summary, edit)
    verb = "summary.added" if is_new else "summary.saved"
    data = {"summary": summary.id}  # without the version number: others count only versions visible to them
    events.record_event(tx, me, verb, paper_id=summary.paper_id, data=data, private=edit.private)
    tx.flush()
    if edit.private:
        _hide_events(tx, me, summary.paper_id)
    text_saved(tx, "summary", [summary.id or 0], edit=TextEdit(author=me, before=old_markdown))


def store_version(tx: Write, summary: Summary, edit: SummaryUpdate) -> None:
    """Add a version to the history of a locked summary. The caller sets its text."""
    summary.version += 1
    tx.add(SummaryVersion(summary_id=summary.id or 0, number=summary.version, **edit.model_dump()))


def _was_shared(tx: Write, summary: Summary) -> bool:
    """Return True if any version was shared. If not, the summary is new to others."""
    versions = sa.select(col(SummaryVersion.id)).where(col(SummaryVersion.summary_id) == summary.id)
    return tx.scalar(versions.where(sa.not_(col(SummaryVersion.private))).limit(1)) is not None


def _hide_events(tx: Write, me: CurrentUser, paper_id: int) -> None:
    """Make all events of the summary private, including its creation."""
    statement = sa.update(Event).where(col(Event.person_id) == me.id, col(Event.paper_id) == paper_id)
    tx.execute(statement.where(col(Event.verb).startswith("summary.")).values(private=True))


def differs(summary: Summary, edit: SummaryUpdate) -> bool:
    """Return True if the summary has another text or visibility than the edit."""
    return (summary.markdown, summary.tldr, summary.private) != (edit.markdown, edit.tldr, edit.private)


def _stale_error(tx: Write, summary: Summary, version: int | None) -> StaleVersion:
    deleted = summary.deleted_at is not None or summary.version == 0
    message = (
        _("You deleted this summary in another window or app. What you wrote here isn't saved yet.")
        if deleted
        else _("You saved a newer version in another window or app. What you wrote here isn't saved yet.")
    )
    conflict = SummaryConflict(
        version=summary.version,
        base_version=version,
        markdown=summary.markdown,
        tldr=summary.tldr,
        private=summary.private,
        updated_at=summary.updated_at,
        deleted=deleted,
        base=_find_version_text(tx, summary, version),
    )
    return StaleVersion(message, current=conflict)


def _find_version_text(tx: Write, summary: Summary, number: int | None) -> SummaryText | None:
    columns_query = sa.select(col(SummaryVersion.markdown), col(SummaryVersion.tldr), col(SummaryVersion.private))
    query = columns_query.where(col(SummaryVersion.summary_id) == summary.id, col(SummaryVersion.number) == number)
    row = tx.execute(query).one_or_none()
    return SummaryText(*row) if row else None
