"""Merging of summaries: one for each person, and two again when it is undone.

If a person shared a summary on both papers, the surviving one gets a new version with both texts, and the other stays
unchanged on the merged paper. A private summary stays on the merged paper beside a shared one, so that nothing visible
to others depends on it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.models import Event, Notification, Summary, SummaryVersion
from readtrack.infra.saved_texts import text_saved
from readtrack.markdown import MAX_BYTES

BETWEEN = "\n\n---\n\n"
# Core tables, because the ORM would keep deleted objects in the session.
_TEXTS: sa.Table = Summary.__table__  # type: ignore[attr-defined]
_VERSIONS: sa.Table = SummaryVersion.__table__  # type: ignore[attr-defined]
_NOTICES: sa.Table = Notification.__table__  # type: ignore[attr-defined]


class MergedSummary(TypedDict):
    """The record of two merged summaries of one person.

    `own`: last version of the surviving summary that its author wrote; `number`: version with both texts; `private`,
    `deleted`: state of the author's own version; `hidden`: events that were visible to others.
    """

    gone: int
    kept: int
    own: int
    number: int
    private: bool
    deleted: bool
    hidden: list[int]


class MergeReport(TypedDict):
    """The record of all summaries moved by a merge.

    `ids`: moved unchanged; `joined`: combined with another; `aside`: private summaries of the surviving paper that were
    displaced by a shared one of the same author.
    """

    ids: list[int]
    joined: list[MergedSummary]
    aside: NotRequired[list[int]]


class SummaryPart(NamedTuple):
    """One of the texts that a version combines."""

    tldr: str
    markdown: str
    private: bool


def merge_summaries(tx: Write, from_id: int, into_id: int, *, earlier_reports: Sequence[MergeReport]) -> MergeReport:
    """Move or combine the summaries and return what undoing the merge needs.

    Call this after the events have moved. `earlier_reports`: reports of the other papers merged into the survivor.
    """
    report: MergeReport = {"ids": [], "joined": [], "aside": []}
    _move_summaries(tx, _list_summaries(tx, from_id), into_id, report=report, earlier_reports=earlier_reports)
    _index_summaries(tx, [*report["ids"], *report["aside"], *(merged["kept"] for merged in report["joined"])])
    return report


def unmerge_summaries(
    tx: Write, from_id: int, into_id: int, report: MergeReport, *, other_reports: Sequence[MergeReport]
) -> None:
    """Move summaries back in their present state and split combined ones that were not edited since.

    `other_reports`: reports of the other papers still merged into the survivor; their version numbers are updated.
    """
    displaced_elsewhere = {
        summary_id: other_report["aside"]
        for other_report in other_reports
        if "aside" in other_report
        for summary_id in other_report["aside"]
    }
    is_reachable = sa.or_(col(Summary.paper_id) == into_id, col(Summary.id).in_(displaced_elsewhere))
    query = sa.select(Summary).where(col(Summary.id).in_(report["ids"]), is_reachable)
    rows = tx.scalars(query.execution_options(populate_existing=True)).all()
    displaced = report.get("aside", [])
    _return_summaries(tx, rows, from_id, displaced=displaced, displaced_elsewhere=displaced_elsewhere)
    _return_displaced(tx, displaced, into_id)
    detached = [
        summary_id
        for other_report in other_reports
        for summary_id in _detach_merged_texts(tx, into_id, other_report, report=report, other_reports=other_reports)
    ]
    for merged in report["joined"]:
        _unmerge_summary(tx, merged, _list_merged_summaries(other_reports))
    split_ids = [merged[side] for merged in report["joined"] for side in ("kept", "gone")]
    _index_summaries(tx, [*(row.id or 0 for row in rows), *displaced, *detached, *split_ids])


def _return_summaries(
    tx: Write,
    rows: Sequence[Summary],
    from_id: int,
    *,
    displaced: list[int],
    displaced_elsewhere: Mapping[int, list[int]],
) -> None:
    """Move summaries back to their paper, swapping places with a private summary that was put there.

    `displaced_elsewhere`: for displaced summaries, the `displaced` list of the report that names them.
    """
    summaries = {row.person_id: row for row in _list_summaries(tx, from_id)}
    for row in rows:
        row_id, private_summary = row.id or 0, summaries.get(row.person_id)
        displaced_ids = displaced_elsewhere.get(row_id)
        if displaced_ids is not None:
            displaced_ids.remove(row_id)
        if private_summary is None:
            row.paper_id = from_id
            continue
        _swap_papers(tx, row, private_summary)
        if displaced_ids is not None:
            displaced_ids.append(private_summary.id or 0)
            displaced.remove(private_summary.id or 0)
    tx.flush()


def _index_summaries(tx: Write, ids: Sequence[int]) -> None:
    """Update the search index and references of these summaries."""
    text_saved(tx, "summary", ids)


def _detach_merged_texts(
    tx: Write, into_id: int, other_report: MergeReport, *, report: MergeReport, other_reports: Sequence[MergeReport]
) -> list[int]:
    """Detach texts of another merged paper from summaries that go back; return the changed summaries."""
    author_ids = {row.person_id for row in _list_summaries(tx, into_id)}
    detached = [merged for merged in other_report["joined"] if merged["kept"] in report["ids"]]
    texts = [tx.get(Summary, merged["gone"]) for merged in detached]
    for merged, text in zip(detached, texts, strict=True):
        other_report["joined"].remove(merged)
        if text is not None:
            text.paper_id = text.paper_id if text.person_id in author_ids else into_id  # its events are on that paper
        _unmerge_summary(tx, merged, _list_merged_summaries(other_reports))
    _move_summaries(
        tx, [text for text in texts if text is not None], into_id, report=other_report, earlier_reports=other_reports
    )
    survivor_ids = [merged["kept"] for merged in (*detached, *other_report["joined"])]
    return [
        *(merged["gone"] for merged in detached),
        *other_report["ids"],
        *other_report.get("aside", []),
        *survivor_ids,
    ]


def _move_summaries(
    tx: Write, texts: Sequence[Summary], into_id: int, *, report: MergeReport, earlier_reports: Sequence[MergeReport]
) -> None:
    """Move each summary to the survivor, combine it with the one there, or replace a private one.

    A deleted or private summary stays where it is if the author has another on the survivor.
    """
    moving_ids = {text.id for text in texts}
    summaries = {row.person_id: row for row in _list_summaries(tx, into_id) if row.id not in moving_ids}
    for text in texts:
        if text.person_id not in summaries:
            text.paper_id = into_id
            report["ids"].append(text.id or 0)
        elif text.deleted_at is not None or text.private:
            continue
        elif summaries[text.person_id].private:
            report["ids"].append(text.id or 0)
            report.setdefault("aside", []).append(summaries[text.person_id].id or 0)
            _swap_papers(tx, text, summaries[text.person_id])
        else:
            report["joined"].append(
                _merge_summary(tx, text, summaries[text.person_id], _list_merged_summaries(earlier_reports))
            )
    tx.flush()


def _swap_papers(tx: Write, first: Summary, second: Summary) -> None:
    """Swap the papers of two summaries of one person.

    A paper can have only one summary per person, so one row is deleted and reinserted, with the rows that refer to it.
    """
    tx.flush()
    paper_ids = first.paper_id, second.paper_id
    is_version, is_notification = _VERSIONS.c.summary_id == second.id, _NOTICES.c.summary_id == second.id
    row = tx.execute(sa.select(_TEXTS).where(_TEXTS.c.id == second.id)).mappings().one()
    versions = tx.execute(sa.select(_VERSIONS).where(is_version)).mappings().all()
    notification_ids = tx.scalars(sa.select(_NOTICES.c.id).where(is_notification)).all()
    tx.execute(sa.update(_NOTICES).where(is_notification).values(summary_id=None))
    tx.execute(sa.delete(_VERSIONS).where(is_version))
    tx.execute(sa.delete(_TEXTS).where(_TEXTS.c.id == second.id))
    tx.execute(sa.update(_TEXTS).where(_TEXTS.c.id == first.id).values(paper_id=paper_ids[1]))
    tx.execute(sa.insert(_TEXTS).values(**{**row, "paper_id": paper_ids[0]}))
    if versions:
        tx.execute(sa.insert(_VERSIONS), [dict(version) for version in versions])
    tx.execute(sa.update(_NOTICES).where(_NOTICES.c.id.in_(notification_ids)).values(summary_id=second.id))
    for text in (first, second):
        tx.refresh(text)


def _return_displaced(tx: Write, displaced: Sequence[int], into_id: int) -> None:
    """Give displaced private summaries back to the survivor, except where the author has a new one there."""
    author_ids = {row.person_id for row in _list_summaries(tx, into_id)}
    for text in (tx.get(Summary, summary_id, populate_existing=True) for summary_id in displaced):
        if text is not None and text.person_id not in author_ids:
            text.paper_id = into_id
    tx.flush()


def _list_merged_summaries(reports: Sequence[MergeReport]) -> list[MergedSummary]:
    return [merged for report in reports for merged in report["joined"]]


def _merge_summary(
    tx: Write, merged_summary: Summary, survivor: Summary, earlier: Sequence[MergedSummary]
) -> MergedSummary:
    current_merges = [
        merged for merged in earlier if (merged["kept"], merged["number"]) == (survivor.id, survivor.version)
    ]
    previous = current_merges[0] if current_merges and survivor.deleted_at is None else None
    merged = MergedSummary(
        gone=merged_summary.id or 0,
        kept=survivor.id or 0,
        own=previous["own"] if previous else survivor.version,
        number=0,
        private=previous["private"] if previous else survivor.private,
        deleted=previous["deleted"] if previous else survivor.deleted_at is not None,
        hidden=[],
    )
    parts = (
        [_to_summary_part(merged_summary)]
        if survivor.deleted_at is not None
        else [_to_summary_part(survivor), _to_summary_part(merged_summary)]
    )
    _write_version(tx, survivor, parts)
    merged["number"] = survivor.version
    for earlier_merge in earlier:
        if _is_same_merge(earlier_merge, merged):
            earlier_merge["number"] = survivor.version
    return merged


def _unmerge_summary(tx: Write, merged: MergedSummary, other_merges: Sequence[MergedSummary]) -> None:
    """Rewrite a combined summary without one part.

    Whatever the author has made private since stays private.
    """
    survivor, restored = (tx.get(Summary, merged[side], populate_existing=True) for side in ("kept", "gone"))
    if survivor is None or restored is None:  # deleted together with its author's account
        return
    if survivor.version != merged["number"] or survivor.deleted_at is not None:  # edited or deleted by its author since
        if survivor.private and not restored.private:
            _write_version(tx, restored, [_to_summary_part(restored)._replace(private=True)])
        # Deleting the combined summary meant both parts.
        restored.deleted_at = restored.deleted_at or survivor.deleted_at
        tx.flush()
        return
    remaining = [other_merge for other_merge in other_merges if _is_same_merge(other_merge, merged)]
    remaining_summaries = [tx.get_one(Summary, other_merge["gone"]) for other_merge in remaining]
    own_parts = [] if merged["deleted"] else [_get_own_part(tx, merged)]
    _write_version(
        tx, survivor, [*own_parts, *map(_to_summary_part, remaining_summaries)] or [_get_own_part(tx, merged)]
    )
    if merged["deleted"] and not remaining:
        survivor.deleted_at = now()
    for summary in (survivor, restored):
        if not summary.private:
            statement = sa.update(Event).where(
                col(Event.id).in_(merged["hidden"]), col(Event.paper_id) == summary.paper_id
            )
            tx.execute(statement.values(private=False))
    for other_merge in remaining:
        other_merge["number"] = survivor.version
        other_merge["hidden"] = [*other_merge["hidden"], *merged["hidden"]]
    tx.flush()


def _is_same_merge(first: MergedSummary, second: MergedSummary) -> bool:
    """Return True if both belong to one combined summary with no edit by its author in between."""
    return (first["kept"], first["own"]) == (second["kept"], second["own"])


def _write_version(tx: Write, summary: Summary, parts: Sequence[SummaryPart]) -> None:
    """Save a new version.

    If the combined text is too long, save one version per part, the author's own last.
    """
    combined = _combine_parts(parts)
    texts = [combined] if len(combined.markdown.encode()) <= MAX_BYTES else [*parts[1:], parts[0]]
    private = any(part.private for part in parts)
    for text in texts:
        summary.version, summary.updated_at, summary.deleted_at = summary.version + 1, now(), None
        summary.markdown, summary.tldr, summary.private = text.markdown, text.tldr, private
        values: dict[str, Any] = {"tldr": text.tldr, "markdown": text.markdown, "private": private}
        tx.add(SummaryVersion(summary_id=summary.id or 0, number=summary.version, **values))
    tx.flush()


def _combine_parts(parts: Sequence[SummaryPart]) -> SummaryPart:
    """Combine the texts, separated by a rule. The first TL;DR is kept, others precede their text."""
    if len(parts) == 1:
        return parts[0]
    tldr = next((part.tldr for part in parts if part.tldr), "")
    sections = [
        "\n\n".join(filter(None, (part.tldr if part.tldr != tldr else "", part.markdown.strip("\n")))) for part in parts
    ]
    return SummaryPart(tldr, BETWEEN.join(filter(None, sections)), any(part.private for part in parts))


def _to_summary_part(summary: Summary) -> SummaryPart:
    return SummaryPart(summary.tldr, summary.markdown, summary.private)


def _get_own_part(tx: Read, merged: MergedSummary) -> SummaryPart:
    query = sa.select(col(SummaryVersion.tldr), col(SummaryVersion.markdown))
    own_version = query.where(
        col(SummaryVersion.summary_id) == merged["kept"], col(SummaryVersion.number) == merged["own"]
    )
    row = tx.execute(own_version).one_or_none()  # None if a private version was erased with its author's account
    return SummaryPart(row.tldr if row else "", row.markdown if row else "", merged["private"])


def _list_summaries(tx: Read, paper_id: int) -> Sequence[Summary]:
    query = sa.select(Summary).where(col(Summary.paper_id) == paper_id).order_by(col(Summary.id))
    return tx.scalars(query.with_for_update().execution_options(populate_existing=True)).all()
