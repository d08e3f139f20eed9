"""Pairs of papers that may be one: shown side by side, kept apart or merged. The job in jobs.py finds them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import DuplicatePair, Entry, Identifier, Merge, Paper, Person
from readtrack.infra.models.columns import Moment
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.library.duplicates.evidence import translate_evidence
from readtrack.library.duplicates.merge import merge_papers
from readtrack.library.topics.queries import find_paper_topics
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from readtrack.reading.readings.queries import list_readers
from readtrack.reading.summaries.queries import count_summaries

_one: Any = aliased(Paper)
_other: Any = aliased(Paper)
_SIDE = ("id", "kind", "title", "authors", "year", "venue", "abstract", "version")
_PAIR = ("id", "likeness", "evidence", "state", "found_at", "decided_at", "first_id", "second_id")


class DuplicateSide(NamedTuple):
    """One of the two papers, with the team's data on it that the current user may see."""

    id: int
    kind: str
    title: str
    authors: Sequence[str]
    year: int | None
    venue: str
    abstract: str
    version: int
    added_at: datetime
    identifiers: Sequence[str]
    labels: Sequence[str]  # for display: "arXiv 2305.15778"
    urls: Sequence[str]
    topics: Sequence[tuple[str, str]]  # (slug, name)
    readers: Sequence[str]
    summaries: int
    entries: int  # entries of imported notes


class DuplicateRow(NamedTuple):
    """A pair of possible duplicates with its evidence and the decision."""

    id: int
    likeness: int
    evidence: str
    state: str
    found_at: datetime
    decided_by: str
    decided_at: datetime | None
    one: DuplicateSide
    other: DuplicateSide
    merge_id: int | None  # needed to unmerge them


def cursor_context(state: str) -> str:
    """Return the context that a pagination cursor is bound to."""
    return f"duplicates\0{state}"


def list_duplicates(tx: Read, me: CurrentUser, state: str, page_request: PageRequest) -> Page[DuplicateRow]:
    """Return a page of pairs: open ones by likeness, decided ones by date of the decision."""
    permissions.require(me, "see")
    query = _pairs_query(state).where(col(DuplicatePair.state) == state)
    order = col(DuplicatePair.likeness) if state == "open" else col(DuplicatePair.decided_at)
    if page_request.after is not None:
        value, last_id = page_request.after
        last = value if state == "open" else sa.literal(datetime.fromisoformat(value), Moment())
        query = query.where(sa.tuple_(order, col(DuplicatePair.id)) < sa.tuple_(last, last_id))
    query = query.order_by(order.desc(), col(DuplicatePair.id).desc()).limit(page_request.limit + 1)
    rows, has_more = split_page(tx.execute(query).all(), page_request.limit)
    last_row = rows[-1] if has_more else None
    return Page(
        _build_rows(tx, me, rows),
        last_row and (last_row.likeness if state == "open" else last_row.decided_at, last_row.id),
    )


def get_duplicate(tx: Read, me: CurrentUser, duplicate_id: int) -> DuplicateRow:
    """Return a pair. Raise NotFound, also if one of the papers is deleted."""
    permissions.require(me, "see")
    state = tx.scalar(sa.select(col(DuplicatePair.state)).where(col(DuplicatePair.id) == duplicate_id))
    row = tx.execute(_pairs_query(state or "").where(col(DuplicatePair.id) == duplicate_id)).one_or_none()
    if row is None:
        raise _not_found(duplicate_id)
    return _build_rows(tx, me, [row])[0]


def count_open_duplicates(tx: Read) -> int:
    """Return the number of undecided pairs."""
    count_query = _pairs_query("open").where(col(DuplicatePair.state) == "open").with_only_columns(sa.func.count())
    return tx.scalar(count_query) or 0


def dismiss_duplicate(tx: Write, me: CurrentUser, duplicate_id: int) -> None:
    """Mark a pair as not duplicates, for good. Raise NotFound, or Conflict if they are merged."""
    permissions.require(me, "edit")
    _decide(tx, me, duplicate_id, "distinct")


def reopen(tx: Write, me: CurrentUser, duplicate_id: int) -> None:
    """Undo the decision on a pair. Raise NotFound, or Conflict if they are merged."""
    permissions.require(me, "edit")
    _decide(tx, me, duplicate_id, "open")


def merge_duplicate(tx: Write, me: CurrentUser, duplicate_id: int, *, into_id: int) -> Paper:
    """Merge a pair into the paper `into_id` and return that paper.

    Raise NotFound, Invalid if `into_id` is neither of the two, or Conflict if the pair was marked as distinct.
    """
    permissions.require(me, "merge")
    pair = _get_pair_for_update(tx, duplicate_id)
    paper_ids = {pair.first_id, pair.second_id}
    if into_id not in paper_ids:
        message = _("Paper {into_id} isn't one of these two papers.").format(into_id=into_id)
        raise Invalid(message)
    if pair.state == "distinct":
        message = _("Someone marked these papers as not duplicates. Undo that first.")
        raise Conflict(message, code="decided")
    (from_id,) = paper_ids - {into_id}
    return merge_papers(tx, me, from_id, into_id=into_id)


def _decide(tx: Write, me: CurrentUser, duplicate_id: int, state: str) -> None:
    pair = _get_pair_for_update(tx, duplicate_id)
    if pair.state == "merged":
        message = _("These papers are merged. Unmerge them first.")
        raise Conflict(message, code="decided")
    if pair.state == state:
        return
    pair.state = state
    pair.decided_by, pair.decided_at = (None, None) if state == "open" else (me.id, now())
    verb = "duplicate.reopened" if state == "open" else "duplicate.kept_apart"
    for paper_id, other_id in ((pair.first_id, pair.second_id), (pair.second_id, pair.first_id)):
        events.record_event(tx, me, verb, paper_id=paper_id, data={"duplicate": pair.id, "other": other_id})
    tx.flush()


def _get_pair_for_update(tx: Write, duplicate_id: int) -> DuplicatePair:
    """Lock and return a pair.

    Lock its papers first, in the same order as a merge does, to avoid deadlocks.
    """
    pair = tx.get(DuplicatePair, duplicate_id)
    if pair is None:
        raise _not_found(duplicate_id)
    paper_query = sa.select(col(Paper.id)).where(col(Paper.id).in_((pair.first_id, pair.second_id)))
    tx.execute(paper_query.order_by(col(Paper.id)).with_for_update())
    pair = tx.get(DuplicatePair, duplicate_id, with_for_update=True, populate_existing=True)
    if pair is None:  # removed by undoing the merge that created it
        raise _not_found(duplicate_id)
    return pair


def _not_found(duplicate_id: int) -> NotFound:
    return NotFound(_("Possible duplicate {duplicate_id} not found.").format(duplicate_id=duplicate_id))


def _pairs_query(state: str) -> sa.Select[Any]:
    """Return the query for pairs whose papers both exist; of a merged pair, one is merged into the other."""
    columns: Sequence[Any] = [*(getattr(DuplicatePair, name) for name in _PAIR), Person.name]
    conditions = (is_present(paper) if state != "merged" else paper.deleted_at.is_(None) for paper in (_one, _other))
    return (
        sa.select(*map(col, columns))
        .join(_one, _one.id == col(DuplicatePair.first_id))
        .join(_other, _other.id == col(DuplicatePair.second_id))
        .join(Person, col(Person.id) == col(DuplicatePair.decided_by), isouter=True)
        .where(*conditions)
    )


def _build_rows(tx: Read, me: CurrentUser, rows: Sequence[sa.Row[Any]]) -> list[DuplicateRow]:
    sides = _build_sides(tx, me, {paper_id for row in rows for paper_id in (row.first_id, row.second_id)})
    merges = _find_merges(tx, [row for row in rows if row.state == "merged"])
    return [
        DuplicateRow(
            id=row.id,
            likeness=row.likeness,
            evidence=translate_evidence(row.evidence),
            state=row.state,
            found_at=row.found_at,
            decided_by=row.name or "",
            decided_at=row.decided_at,
            one=sides[row.first_id],
            other=sides[row.second_id],
            merge_id=merges.get(frozenset((row.first_id, row.second_id))),
        )
        for row in rows
    ]


def _build_sides(tx: Read, me: CurrentUser, ids: Iterable[int]) -> dict[int, DuplicateSide]:
    """Load both sides of all pairs in a fixed number of statements (no N+1)."""
    ids = list(ids)
    if not ids:
        return {}
    columns: Sequence[Any] = [getattr(Paper, name) for name in (*_SIDE, "created_at")]
    papers = tx.execute(sa.select(*columns).where(col(Paper.id).in_(ids))).all()
    refs, topics, entries = _find_refs(tx, ids), find_paper_topics(tx, ids), _count_entries(tx, ids)
    readers, summaries = list_readers(tx, me, ids), count_summaries(tx, me, ids)
    return {
        row.id: DuplicateSide(
            **{name: getattr(row, name) for name in _SIDE},
            added_at=row.created_at,
            identifiers=[str(ref) for ref in refs[row.id]],
            labels=[sources.by_name(ref.scheme).label(ref.key) for ref in refs[row.id]],
            urls=[sources.by_name(ref.scheme).url(ref.key) for ref in refs[row.id]],
            topics=topics.get(row.id, ()),
            readers=readers.get(row.id, ()),
            summaries=summaries.get(row.id, 0),
            entries=entries.get(row.id, 0),
        )
        for row in papers
    }


def _find_refs(tx: Read, ids: Sequence[int]) -> defaultdict[int, list[Ref]]:
    refs: defaultdict[int, list[Ref]] = defaultdict(list)
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    for row in tx.execute(query.where(col(Identifier.paper_id).in_(ids)).order_by(col(Identifier.id))):
        refs[row.paper_id].append(Ref(row.scheme, row.value))
    return refs


def _count_entries(tx: Read, ids: Sequence[int]) -> dict[int, int]:
    query = sa.select(col(Entry.paper_id), sa.func.count()).where(col(Entry.paper_id).in_(ids))
    return {row[0]: row[1] for row in tx.execute(query.group_by(col(Entry.paper_id))) if row[0] is not None}


def _find_merges(tx: Read, rows: Sequence[sa.Row[Any]]) -> dict[frozenset[int], int]:
    if not rows:
        return {}
    ids = {paper_id for row in rows for paper_id in (row.first_id, row.second_id)}
    query = sa.select(col(Merge.id), col(Merge.from_id), col(Merge.into_id))
    in_force = query.where(col(Merge.from_id).in_(ids), col(Merge.undone_at).is_(None)).order_by(col(Merge.id))
    return {frozenset((row.from_id, row.into_id)): row.id for row in tx.execute(in_force) if row.id}
