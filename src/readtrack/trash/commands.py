"""Brings something back from the trash, by the command of its own concept."""

from collections.abc import Callable, Mapping

from readtrack import deeds, policy
from readtrack.db import Write
from readtrack.discussion.commands import restore_comment
from readtrack.papers.commands import restore_paper
from readtrack.policy import Visitor
from readtrack.summaries.commands import restore_summary
from readtrack.trash.putting_back import put_back, puttable
from readtrack.views.commands import restore_view


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
    policy.require(me, "keep")
    return put_back(tx, me, deeds.held(tx, deed_id, puttable(me)))


RESTORING: Mapping[str, Callable[[Write, Visitor, int], str]] = {
    "papers": _paper,
    "summaries": _summary,
    "comments": _comment,
    "views": _view,
    "others": _other,
}
