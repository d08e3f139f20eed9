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


def merge_summaries(tx: Write, from_id: int, into_id: int, *, earlier: Sequence[MergeReport]) -> MergeReport:
    """Move or combine the summaries and return what undoing the merge needs.

    Call this after the events have moved. `earlier`: reports of the other papers merged into the survivor.
    """
    told: MergeReport = {"ids": [], "joined": [], "aside": []}
    _move_summaries(tx, _list_summaries(tx, from_id), into_id, told=told, earlier=earlier)
    _index_summaries(tx, [*told["ids"], *told["aside"], *(said["kept"] for said in told["joined"])])
    return told


def unmerge_summaries(
    tx: Write, from_id: int, into_id: int, told: MergeReport, *, others: Sequence[MergeReport]
) -> None:
    """Move summaries back in their present state and split combined ones that were not edited since.

    `others`: reports of the other papers still merged into the survivor; their version numbers are updated.
    """
    elsewhere = {text_id: other["aside"] for other in others if "aside" in other for text_id in other["aside"]}
    here = sa.or_(col(Summary.paper_id) == into_id, col(Summary.id).in_(elsewhere))
    back = sa.select(Summary).where(col(Summary.id).in_(told["ids"]), here)
    rows = tx.scalars(back.execution_options(populate_existing=True)).all()
    aside = told.get("aside", [])
    _return_summaries(tx, rows, from_id, aside=aside, elsewhere=elsewhere)
    _return_displaced(tx, aside, into_id)
    left = [
        text_id for other in others for text_id in _detach_merged_texts(tx, into_id, other, told=told, others=others)
    ]
    for said in told["joined"]:
        _unmerge_summary(tx, said, _list_merged_summaries(others))
    parted = [said[which] for said in told["joined"] for which in ("kept", "gone")]
    _index_summaries(tx, [*(row.id or 0 for row in rows), *aside, *left, *parted])


def _return_summaries(
    tx: Write, rows: Sequence[Summary], from_id: int, *, aside: list[int], elsewhere: Mapping[int, list[int]]
) -> None:
    """Move summaries back to their paper, swapping places with a private summary that was put there.

    `elsewhere`: for displaced summaries, the `aside` list of the report that names them.
    """
    there = {row.person_id: row for row in _list_summaries(tx, from_id)}
    for row in rows:
        row_id, private = row.id or 0, there.get(row.person_id)
        gave_way = elsewhere.get(row_id)
        if gave_way is not None:
            gave_way.remove(row_id)
        if private is None:
            row.paper_id = from_id
            continue
        _swap_papers(tx, row, private)
        if gave_way is not None:
            gave_way.append(private.id or 0)
            aside.remove(private.id or 0)
    tx.flush()


def _index_summaries(tx: Write, ids: Sequence[int]) -> None:
    """Update the search index and references of these summaries."""
    text_saved(tx, "summary", ids)


def _detach_merged_texts(
    tx: Write, into_id: int, other: MergeReport, *, told: MergeReport, others: Sequence[MergeReport]
) -> list[int]:
    """Detach texts of another merged paper from summaries that go back; return the changed summaries."""
    here = {row.person_id for row in _list_summaries(tx, into_id)}
    left = [said for said in other["joined"] if said["kept"] in told["ids"]]
    texts = [tx.get(Summary, said["gone"]) for said in left]
    for said, text in zip(left, texts, strict=True):
        other["joined"].remove(said)
        if text is not None:
            text.paper_id = text.paper_id if text.person_id in here else into_id  # its events are on that paper
        _unmerge_summary(tx, said, _list_merged_summaries(others))
    _move_summaries(tx, [text for text in texts if text is not None], into_id, told=other, earlier=others)
    kept = [said["kept"] for said in (*left, *other["joined"])]
    return [*(said["gone"] for said in left), *other["ids"], *other.get("aside", []), *kept]


def _move_summaries(
    tx: Write, texts: Sequence[Summary], into_id: int, *, told: MergeReport, earlier: Sequence[MergeReport]
) -> None:
    """Move each summary to the survivor, combine it with the one there, or replace a private one.

    A deleted or private summary stays where it is if the author has another on the survivor.
    """
    going = {text.id for text in texts}
    there = {row.person_id: row for row in _list_summaries(tx, into_id) if row.id not in going}
    for text in texts:
        if text.person_id not in there:
            text.paper_id = into_id
            told["ids"].append(text.id or 0)
        elif text.deleted_at is not None or text.private:
            continue
        elif there[text.person_id].private:
            told["ids"].append(text.id or 0)
            told.setdefault("aside", []).append(there[text.person_id].id or 0)
            _swap_papers(tx, text, there[text.person_id])
        else:
            told["joined"].append(_merge_summary(tx, text, there[text.person_id], _list_merged_summaries(earlier)))
    tx.flush()


def _swap_papers(tx: Write, one: Summary, other: Summary) -> None:
    """Swap the papers of two summaries of one person.

    A paper can have only one summary per person, so one row is deleted and reinserted, with the rows that refer to it.
    """
    tx.flush()
    places = one.paper_id, other.paper_id
    of_versions, of_notices = _VERSIONS.c.summary_id == other.id, _NOTICES.c.summary_id == other.id
    row = tx.execute(sa.select(_TEXTS).where(_TEXTS.c.id == other.id)).mappings().one()
    saved = tx.execute(sa.select(_VERSIONS).where(of_versions)).mappings().all()
    told = tx.scalars(sa.select(_NOTICES.c.id).where(of_notices)).all()
    tx.execute(sa.update(_NOTICES).where(of_notices).values(summary_id=None))
    tx.execute(sa.delete(_VERSIONS).where(of_versions))
    tx.execute(sa.delete(_TEXTS).where(_TEXTS.c.id == other.id))
    tx.execute(sa.update(_TEXTS).where(_TEXTS.c.id == one.id).values(paper_id=places[1]))
    tx.execute(sa.insert(_TEXTS).values(**{**row, "paper_id": places[0]}))
    if saved:
        tx.execute(sa.insert(_VERSIONS), [dict(version) for version in saved])
    tx.execute(sa.update(_NOTICES).where(_NOTICES.c.id.in_(told)).values(summary_id=other.id))
    for text in (one, other):
        tx.refresh(text)


def _return_displaced(tx: Write, aside: Sequence[int], into_id: int) -> None:
    """Give displaced private summaries back to the survivor, except where the author has a new one there."""
    here = {row.person_id for row in _list_summaries(tx, into_id)}
    for text in (tx.get(Summary, text_id, populate_existing=True) for text_id in aside):
        if text is not None and text.person_id not in here:
            text.paper_id = into_id
    tx.flush()


def _list_merged_summaries(told: Sequence[MergeReport]) -> list[MergedSummary]:
    return [said for one in told for said in one["joined"]]


def _merge_summary(tx: Write, gone: Summary, kept: Summary, earlier: Sequence[MergedSummary]) -> MergedSummary:
    fresh = [said for said in earlier if (said["kept"], said["number"]) == (kept.id, kept.version)]
    before = fresh[0] if fresh and kept.deleted_at is None else None
    said = MergedSummary(
        gone=gone.id or 0,
        kept=kept.id or 0,
        own=before["own"] if before else kept.version,
        number=0,
        private=before["private"] if before else kept.private,
        deleted=before["deleted"] if before else kept.deleted_at is not None,
        hidden=[],
    )
    parts = (
        [_to_summary_part(gone)] if kept.deleted_at is not None else [_to_summary_part(kept), _to_summary_part(gone)]
    )
    _write_version(tx, kept, parts)
    said["number"] = kept.version
    for other in earlier:
        if _is_same_merge(other, said):
            other["number"] = kept.version
    return said


def _unmerge_summary(tx: Write, said: MergedSummary, others: Sequence[MergedSummary]) -> None:
    """Rewrite a combined summary without one part.

    Whatever the author has made private since stays private.
    """
    kept, back = (tx.get(Summary, said[which], populate_existing=True) for which in ("kept", "gone"))
    if kept is None or back is None:  # deleted together with its author's account
        return
    if kept.version != said["number"] or kept.deleted_at is not None:  # edited or deleted by its author since
        if kept.private and not back.private:
            _write_version(tx, back, [_to_summary_part(back)._replace(private=True)])
        back.deleted_at = back.deleted_at or kept.deleted_at  # deleting the combined summary meant both parts
        tx.flush()
        return
    rest = [other for other in others if _is_same_merge(other, said)]
    gone = [tx.get_one(Summary, other["gone"]) for other in rest]
    own = [] if said["deleted"] else [_get_own_part(tx, said)]
    _write_version(tx, kept, [*own, *map(_to_summary_part, gone)] or [_get_own_part(tx, said)])
    if said["deleted"] and not rest:
        kept.deleted_at = now()
    for summary in (kept, back):
        if not summary.private:
            shown = sa.update(Event).where(col(Event.id).in_(said["hidden"]), col(Event.paper_id) == summary.paper_id)
            tx.execute(shown.values(private=False))
    for other in rest:
        other["number"] = kept.version
        other["hidden"] = [*other["hidden"], *said["hidden"]]
    tx.flush()


def _is_same_merge(one: MergedSummary, other: MergedSummary) -> bool:
    """Return True if both belong to one combined summary with no edit by its author in between."""
    return (one["kept"], one["own"]) == (other["kept"], other["own"])


def _write_version(tx: Write, kept: Summary, parts: Sequence[SummaryPart]) -> None:
    """Save a new version.

    If the combined text is too long, save one version per part, the author's own last.
    """
    whole = _combine_parts(parts)
    texts = [whole] if len(whole.markdown.encode()) <= MAX_BYTES else [*parts[1:], parts[0]]
    private = any(part.private for part in parts)
    for text in texts:
        kept.version, kept.updated_at, kept.deleted_at = kept.version + 1, now(), None
        kept.markdown, kept.tldr, kept.private = text.markdown, text.tldr, private
        saved: dict[str, Any] = {"tldr": text.tldr, "markdown": text.markdown, "private": private}
        tx.add(SummaryVersion(summary_id=kept.id or 0, number=kept.version, **saved))
    tx.flush()


def _combine_parts(parts: Sequence[SummaryPart]) -> SummaryPart:
    """Combine the texts, separated by a rule. The first TL;DR is kept, others precede their text."""
    if len(parts) == 1:
        return parts[0]
    tldr = next((part.tldr for part in parts if part.tldr), "")
    said = [
        "\n\n".join(filter(None, (part.tldr if part.tldr != tldr else "", part.markdown.strip("\n")))) for part in parts
    ]
    return SummaryPart(tldr, BETWEEN.join(filter(None, said)), any(part.private for part in parts))


def _to_summary_part(summary: Summary) -> SummaryPart:
    return SummaryPart(summary.tldr, summary.markdown, summary.private)


def _get_own_part(tx: Read, said: MergedSummary) -> SummaryPart:
    query = sa.select(col(SummaryVersion.tldr), col(SummaryVersion.markdown))
    mine = query.where(col(SummaryVersion.summary_id) == said["kept"], col(SummaryVersion.number) == said["own"])
    row = tx.execute(mine).one_or_none()  # None if a private version was erased with its author's account
    return SummaryPart(row.tldr if row else "", row.markdown if row else "", said["private"])


def _list_summaries(tx: Read, paper_id: int) -> Sequence[Summary]:
    query = sa.select(Summary).where(col(Summary.paper_id) == paper_id).order_by(col(Summary.id))
    return tx.scalars(query.with_for_update().execution_options(populate_existing=True)).all()
