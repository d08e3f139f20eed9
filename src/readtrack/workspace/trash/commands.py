"""Restoring of items from the trash by the command of their kind."""

from collections.abc import Callable, Mapping

from readtrack.infra import permissions, undo_log
from readtrack.infra.db import Write
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.commands import restore_paper
from readtrack.reading.summaries.commands import restore_summary
from readtrack.team.discussion.commands import restore_comment
from readtrack.workspace.saved_searches.commands import restore_view
from readtrack.workspace.trash.restore import restorable_filter, restore_undo_entry


def restore_item(tx: Write, me: CurrentUser, kind: str, number: int) -> str:
    """Restore an item and return its URL. Raise NotFound if it is not in this person's trash."""
    return RESTORING[kind](tx, me, number)


def _restore_paper(tx: Write, me: CurrentUser, paper_id: int) -> str:
    restore_paper(tx, me, paper_id)
    return f"/papers/{paper_id}"


def _restore_summary(tx: Write, me: CurrentUser, summary_id: int) -> str:
    return f"/papers/{restore_summary(tx, me, summary_id).paper_id}"


def _restore_comment(tx: Write, me: CurrentUser, comment_id: int) -> str:
    restore_comment(tx, me, comment_id)
    return f"/comments/{comment_id}"


def _restore_view(tx: Write, me: CurrentUser, view_id: int) -> str:
    restore_view(tx, me, view_id)
    return f"/views/{view_id}"


def _restore_other(tx: Write, me: CurrentUser, undo_id: int) -> str:
    permissions.require(me, "keep")
    return restore_undo_entry(tx, me, undo_log.get_undo_entry(tx, undo_id, restorable_filter(me)))


RESTORING: Mapping[str, Callable[[Write, CurrentUser, int], str]] = {
    "papers": _restore_paper,
    "summaries": _restore_summary,
    "comments": _restore_comment,
    "views": _restore_view,
    "others": _restore_other,
}
