"""The report of an import: the results of all lines, with totals that add up."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Entry
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.commands import STILL_PARSING
from readtrack.ingest.imports.rules import format_rule, list_rules

MAX_WARNINGS = 200
_GONE = "a rule that was removed since"


@dataclass(frozen=True)
class EntryWarning:
    """An entry for a person to review, and why."""

    position: int
    line: int
    title: str
    reason: str
    paper_id: int | None
    is_done: bool  # applied


@dataclass(frozen=True)
class Report:
    """The counts of an import.

    `lines` by kind add up to `line_count`; `decisions` and `kinds` each add up to `entries`, which excludes blank
    lines. `papers`: distinct papers of the entries, `new` if created by this import and `known` if they existed before;
    in a preview, the expected numbers without `undecided` entries, which wait for a person. `rules`: each applied rule
    with its number of entries.
    """

    import_id: int
    state: str
    line_count: int
    entries: int
    lines: Mapping[str, int]
    kinds: Mapping[str, int]
    decisions: Mapping[str, int]
    papers: Mapping[str, int]
    undecided: int
    rules: Sequence[tuple[str, int]]
    warnings: Sequence[EntryWarning]
    warning_count: int


def get_report(tx: Read, import_id: int) -> Report:
    """Return the current report. Raise NotFound, or Conflict while the notes are being parsed."""
    state = queries.get_import(tx, import_id)
    if not state.is_read:
        raise Conflict(_(STILL_PARSING), code="parsing")
    totals = queries.count_by_kind(tx, import_id)
    counts = queries.count_preview_entries(tx, import_id)
    return Report(
        import_id=import_id,
        state=state.state,
        line_count=state.line_count,
        entries=sum(totals["decisions"].values()),
        lines=totals["lines"],
        kinds=counts.kinds,
        decisions=totals["decisions"],
        papers=_count_papers(tx, import_id) if state.state == "committed" else _count_proposed_papers(tx, import_id),
        undecided=state.undecided,
        rules=_count_rule_uses(tx, import_id),
        warnings=_list_warnings(tx, import_id),
        warning_count=totals["decisions"].get("review", 0),
    )


def _active_entry_filter(import_id: int) -> sa.ColumnElement[bool]:
    return sa.and_(col(Entry.revision_id) == import_id, queries.IS_ACTIVE)


def _count_papers(tx: Read, import_id: int) -> dict[str, int]:
    """Count each paper once, as created by this import or existing before."""
    made = sa.func.max(sa.case((col(Entry.made), 1), else_=0)).label("made")
    query = sa.select(col(Entry.paper_id), made).where(
        _active_entry_filter(import_id), col(Entry.paper_id).is_not(None)
    )
    papers = query.group_by(col(Entry.paper_id)).subquery()
    total, new = tx.execute(
        sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(papers.c.made), 0)).select_from(papers)
    ).one()
    return {"new": new, "known": total - new}


def _count_proposed_papers(tx: Read, import_id: int) -> dict[str, int]:
    """Count the papers that would be new or known.

    Mentions are not counted: their paper is an earlier entry.
    """
    new, known = (
        sa.func.coalesce(sa.func.sum(sa.case((col(Entry.decision) == decision, 1), else_=0)), 0)
        for decision in ("add", "known")
    )
    row = tx.execute(sa.select(new, known).where(_active_entry_filter(import_id), col(Entry.kind) == "paper")).one()
    return {"new": row[0], "known": row[1]}


def _count_rule_uses(tx: Read, import_id: int) -> list[tuple[str, int]]:
    """Return the applied rules and their number of entries, most used first."""
    query = sa.select(col(Entry.rules)).where(
        _active_entry_filter(import_id), sa.cast(col(Entry.rules), sa.String) != "[]"
    )
    count = Counter(rule for rules in tx.scalars(query) for rule in rules)
    sentences = {rule.id: format_rule(rule) for rule in list_rules(tx)} if count else {}
    uses: Counter[str] = Counter()
    for rule, entries in count.items():
        uses[sentences.get(rule, _GONE)] += entries
    return uses.most_common()


def _list_warnings(tx: Read, import_id: int) -> list[EntryWarning]:
    columns: tuple[Any, ...] = (Entry.position, Entry.first_line, Entry.title, Entry.raw, Entry.reason)
    columns = (*columns, Entry.paper_id, Entry.done_at)
    query = sa.select(*map(col, columns)).where(_active_entry_filter(import_id), col(Entry.decision) == "review")
    rows = tx.execute(query.order_by(*queries.ENTRY_ORDER).limit(MAX_WARNINGS))
    return [
        EntryWarning(
            row.position,
            row.first_line,
            row.title or row.raw[:200],
            row.reason,
            row.paper_id,
            is_done=row.done_at is not None,
        )
        for row in rows
    ]
