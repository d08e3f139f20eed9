"""Brings something back from the trash, by the command of its own concept."""

from collections.abc import Callable, Mapping

from readtrack.infra import permissions, undo_log
from readtrack.infra.db import Write
from readtrack.infra.permissions import Visitor
from readtrack.library.papers.commands import restore_paper
from readtrack.reading.summaries.commands import restore_summary
from readtrack.team.discussion.commands import restore_comment
from readtrack.workspace.saved_searches.commands import restore_view
from readtrack.workspace.trash.restore import put_back, puttable


def bring_back(tx: Write, me: Visitor, kind: str, number: int) -> str:
    """The address where it stands now. Raises NotFound when it is not in the trash for this person."""
    return RESTORING[kind](tx, me, number)


def _paper(tx: Write, me: Visitor, paper_id: int) -> str:
    restore_paper(tx, me, paper_id)
    return f"/papers/{paper_id}"


def _summary(tx: Write, me: Visitor, summary_id: int) -> str:
    return f"/papers/{restore_summary(tx, me, summary_id).paper_id}"


def _comment(tx: Write, me: Visitor, comment_id: int) -> str:
    restore_comment(tx, me, comment_id)
    return f"/comments/{comment_id}"


def _view(tx: Write, me: Visitor, view_id: int) -> str:
    restore_view(tx, me, view_id)
    return f"/views/{view_id}"


def _other(tx: Write, me: Visitor, deed_id: int) -> str:
    permissions.require(me, "keep")
    return put_back(tx, me, undo_log.held(tx, deed_id, puttable(me)))


RESTORING: Mapping[str, Callable[[Write, Visitor, int], str]] = {
    "papers": _paper,
    "summaries": _summary,
    "comments": _comment,
    "views": _view,
    "others": _other,
}
