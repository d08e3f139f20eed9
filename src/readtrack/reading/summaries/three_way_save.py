"""Three-way merge of summaries saved from an old version. Every text stays in the history."""

from typing import Any, NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Write
from readtrack.infra.errors import NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Summary, SummaryVersion
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.diff import is_conflict, merge_texts, merge_value, merged_text
from readtrack.reading.summaries.commands import (
    SummaryConflict,
    SummaryText,
    SummaryUpdate,
    differs,
    edit_summary,
    find_summary_for_update,
    save_next_version,
    store_version,
)

NOTHING = SummaryText("", "", private=False)


class SaveResult(NamedTuple):
    """The result of a save.

    `merged_version`: the concurrent version that it was merged with. `identical_version`: an earlier version with the
    same text, so that nothing was saved. `is_history_only`: the text is only in the history.
    """

    summary: Summary
    merged_version: int | None = None
    identical_version: int | None = None
    is_history_only: bool = False


def save_merged(tx: Write, me: CurrentUser, paper_id: int, edit: SummaryUpdate, *, version: int | None) -> SaveResult:
    """Save the user's summary from any version, merged with a concurrent one.

    Raise StaleVersion if both changed the same lines, or the summary was deleted.
    """
    try:
        return SaveResult(edit_summary(tx, me, paper_id, edit, version=version))
    except StaleVersion as error:
        summary = find_summary_for_update(tx, me, paper_id)
        if summary is None or summary.deleted_at is not None or summary.version == 0:
            raise
        saved_number = _find_same_version(tx, summary, edit, from_number=version or 0)
        if saved_number is not None:
            return SaveResult(summary, identical_version=saved_number)
        current: Any = error.current
        merged = _merge_edits(current, edit)
        if merged is None:
            raise
    return SaveResult(_save_both(tx, me, summary, edit, final_edit=merged), merged_version=current.version)


def save_to_history(tx: Write, me: CurrentUser, paper_id: int, edit: SummaryUpdate, *, version: int) -> Summary:
    """Save the text to the history only, without changing the current one.

    Raise StaleVersion if that is another version.
    """
    permissions.require(me, "keep")
    permissions.lock_present_paper(tx, paper_id)
    summary = find_summary_for_update(tx, me, paper_id)
    if summary is None or summary.deleted_at is not None or summary.version != version:
        return edit_summary(tx, me, paper_id, edit, version=version)  # raises StaleVersion
    current = SummaryUpdate(markdown=summary.markdown, tldr=summary.tldr, private=summary.private)
    return summary if current == edit else _save_both(tx, me, summary, edit, final_edit=current)


def restore_version(tx: Write, me: CurrentUser, summary_id: int, number: int) -> Summary:
    """Make an old version the current one. It is private if either of them is. Raise NotFound."""
    permissions.require(me, "keep")
    query = sa.select(col(Summary.paper_id)).where(col(Summary.id) == summary_id, col(Summary.person_id) == me.id)
    paper_id = tx.scalar(query)
    summary = None
    if paper_id is not None:
        permissions.lock_present_paper(tx, paper_id)
        summary = find_summary_for_update(tx, me, paper_id)
    old_version = _find_version(tx, summary_id, number)
    if summary is None or summary.id != summary_id or summary.deleted_at is not None or old_version is None:
        raise NotFound(_("Version {number} not found.").format(number=number))
    edit = SummaryUpdate(
        markdown=old_version.markdown, tldr=old_version.tldr, private=summary.private or old_version.private
    )
    return edit_summary(tx, me, summary.paper_id, edit, version=summary.version)


def _save_both(
    tx: Write, me: CurrentUser, summary: Summary, edit: SummaryUpdate, *, final_edit: SummaryUpdate
) -> Summary:
    """Save the user's text to the history, then the text that becomes current.

    The text in the history is private if either of them is.
    """
    own_edit = edit.model_copy(update={"private": edit.private or final_edit.private})
    if own_edit != final_edit:
        store_version(tx, summary, own_edit)
    if own_edit != final_edit or differs(summary, final_edit):
        save_next_version(tx, me, summary, final_edit)
    return summary


def _merge_edits(conflict: SummaryConflict, own_edit: SummaryUpdate) -> SummaryUpdate | None:
    """Merge both edits.

    Return None on a conflict or if the result is too long. It is private if either is.
    """
    base = conflict.base or NOTHING
    text = merged_text(merge_texts(base.markdown, conflict.markdown, own_edit.markdown))
    lines = (base.tldr, conflict.tldr, own_edit.tldr)
    if text is None or is_conflict(*lines):
        return None
    try:
        return SummaryUpdate(markdown=text, tldr=merge_value(*lines), private=conflict.private or own_edit.private)
    except ValidationError:
        return None


def _find_same_version(tx: Write, summary: Summary, edit: SummaryUpdate, *, from_number: int) -> int | None:
    """Return the latest version since then with the same text, if any.

    It exists for a repeated request, or if the text was not changed.
    """
    columns = {getattr(SummaryVersion, name): value for name, value in edit.model_dump().items()}
    same_content = [col(column) == value for column, value in columns.items()]
    conditions = (col(SummaryVersion.summary_id) == summary.id, col(SummaryVersion.number) >= from_number)
    return tx.scalar(sa.select(sa.func.max(col(SummaryVersion.number))).where(*conditions, *same_content))


def _find_version(tx: Write, summary_id: int, number: int) -> Any:  # noqa: ANN401 - a row or None
    query = sa.select(col(SummaryVersion.markdown), col(SummaryVersion.tldr), col(SummaryVersion.private))
    return tx.execute(
        query.where(col(SummaryVersion.summary_id) == summary_id, col(SummaryVersion.number) == number)
    ).one_or_none()
