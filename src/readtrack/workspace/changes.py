"""The feed of changes, from which a program keeps a copy of the library: each resource as the user sees it now.

A resource has one place in the feed, that of its last change, so the feed does not grow with the number of changes, and
read from the beginning it is the whole library. `infra/db/change_triggers.py` says which resources it has.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read, committed_in_order
from readtrack.infra.db.change_triggers import TEAM
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.errors import Gone
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Change, ChangeFeed, Paper
from readtrack.infra.pagination import PageRequest, split_page
from readtrack.infra.permissions import CurrentUser
from readtrack.library.comparisons.queries import find_comparisons
from readtrack.library.papers.detail import PaperDetail, find_papers
from readtrack.library.papers.translated_titles import TranslatedTitleRow, find_translated_titles
from readtrack.library.relations.links import find_relations
from readtrack.library.topics.queries import find_paper_topics, find_topics_by_id
from readtrack.reading.readings.queries import find_passes
from readtrack.reading.summaries.queries import find_summaries
from readtrack.team.assignments.queries import find_assignments
from readtrack.team.discussion.queries import find_comments
from readtrack.team.meetings.view_model import find_meeting_views
from readtrack.team.questions.queries import find_questions


class CopiedPaper(NamedTuple):
    """A paper with all that belongs to it alone. `topics`: slugs."""

    paper: PaperDetail
    topics: Sequence[str]
    translations: Sequence[TranslatedTitleRow]


@dataclass(frozen=True)
class ResourceChange:
    """A resource that has changed.

    `number`: its ID; of a reading the paper, with the `reader`. `row`: as its own query returns it, None if it is not
    there or no longer visible. `merged_into`: the paper that it was merged into.
    """

    kind: str
    number: int
    reader: int
    row: Any
    merged_into: int | None


@dataclass(frozen=True)
class ChangePage:
    """A part of the feed. `next`: where the following one begins; `has_more`: something is there already."""

    items: Sequence[ResourceChange]
    next: tuple[str, int]
    has_more: bool


def list_changes(tx: Read, me: CurrentUser, page_request: PageRequest) -> ChangePage:
    """Return what changed after `page_request.after`, the `next` of an earlier page, in order. No change is skipped.

    Raise Gone if that was before the library was restored from a backup.
    """
    permissions.require(me, "see")
    incarnation = tx.execute(sa.select(col(ChangeFeed.incarnation))).scalar_one()
    asked, last_id = page_request.after or (incarnation, 0)
    if asked != incarnation:
        message = _("The library was restored from a backup. Start again without `since`.")
        raise Gone(message, code="start-again")
    columns = (col(Change.id), col(Change.kind), col(Change.item), col(Change.reader))
    query = sa.select(*columns, committed_in_order(tx, "change").label("settled"))
    query = query.where(col(Change.audience).in_([TEAM, me.id]), col(Change.id) > last_id).order_by(col(Change.id))
    candidates = tx.execute(query.limit(page_request.limit + 1)).all()
    # Stop at the first change whose transaction may still be open.
    rows, has_more = split_page(list(takewhile(lambda row: row.settled, candidates)), page_request.limit)
    return ChangePage(_build_changes(tx, me, rows), (incarnation, rows[-1].id if rows else last_id), has_more)


def _build_changes(tx: Read, me: CurrentUser, rows: Sequence[sa.Row[Any]]) -> list[ResourceChange]:
    """Return the changes with what each resource is now, in a bounded number of statements."""
    keys: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        keys[row.kind].append((row.item, row.reader))
    found = {
        kind: _find_readings(tx, me, of_kind) if kind == "reading" else _find_by_id(tx, me, kind, of_kind)
        for kind, of_kind in keys.items()
    }
    merged = _find_merges(tx, [item for item, reader in keys["paper"] if (item, reader) not in found["paper"]])
    return [
        ResourceChange(
            kind=row.kind,
            number=row.item,
            reader=row.reader,
            row=found[row.kind].get((row.item, row.reader)),
            merged_into=merged.get(row.item) if row.kind == "paper" else None,
        )
        for row in rows
    ]


def _find_by_id(tx: Read, me: CurrentUser, kind: str, keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Any]:
    return {(item, 0): row for item, row in _FIND[kind](tx, me, [item for item, _reader in keys]).items()}


def _find_readings(tx: Read, me: CurrentUser, keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Any]:
    papers, readers = ({key[place] for key in keys} for place in (0, 1))
    return dict(find_passes(tx, me, list(papers), list(readers)))


def _find_papers(tx: Read, me: CurrentUser, paper_ids: Sequence[int]) -> dict[int, CopiedPaper]:
    topics, translations = find_paper_topics(tx, paper_ids), find_translated_titles(tx, paper_ids)
    return {
        paper_id: CopiedPaper(
            paper, sorted(slug for slug, _name in topics.get(paper_id, ())), translations.get(paper_id, ())
        )
        for paper_id, paper in find_papers(tx, me, paper_ids).items()
    }


def _find_merges(tx: Read, paper_ids: Sequence[int]) -> dict[int, int]:
    """Return the paper into which each was merged. That may be merged in turn, which is a change of its own."""
    if not paper_ids:
        return {}
    columns: Sequence[Any] = (col(Paper.id), col(Paper.merged_into))
    query = sa.select(*columns).where(in_id_list(col(Paper.id), "ids"), col(Paper.merged_into).is_not(None))
    return {row.id: row.merged_into for row in tx.rows(query, {"ids": paper_ids})}


_FIND: Mapping[str, Callable[[Read, CurrentUser, Sequence[int]], Mapping[int, Any]]] = {
    "topic": lambda tx, _me, ids: find_topics_by_id(tx, ids),
    "paper": _find_papers,
    "relation": find_relations,
    "summary": find_summaries,
    "question": lambda tx, _me, ids: find_questions(tx, ids),
    "comment": find_comments,
    "comparison": find_comparisons,
    "meeting": find_meeting_views,
    "assignment": find_assignments,
}
