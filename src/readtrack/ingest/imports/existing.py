"""Lookup of a note's papers in the library, by identifier, distinctive title or previous import."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_text_list
from readtrack.infra.models import Entry, Identifier, MetadataRecord, NoteRevision, Paper, TranslatedTitle
from readtrack.infra.permissions import is_present
from readtrack.infra.text import normalize
from readtrack.infra.text.titles.compare import are_same_authors
from readtrack.library.papers.lookup import find_papers_by_title, is_distinctive, to_title_key
from readtrack.metadata.types import Ref

PAPER = "paper:"  # a paper of the library, as the twin of an entry
FILE = "file:"  # a file next to the note: `a.pdf` of another note is a different file, so it identifies no paper

_head: Any = aliased(Entry)
_BEFORE = (
    sa.select(col(Paper.id))
    .select_from(Entry)
    .join(
        _head,
        sa.and_(_head.revision_id == col(Entry.revision_id), _head.position == col(Entry.joined_to)),
        isouter=True,
    )
    .join(Paper, col(Paper.id) == sa.func.coalesce(col(Entry.paper_id), _head.paper_id))
    .where(col(Entry.fingerprint) == sa.bindparam("fingerprint"), is_present(Paper))
    .order_by(col(Entry.id).desc())
    .limit(1)
)
_BEFORE_IN_NOTE = _BEFORE.join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id)).where(
    col(NoteRevision.note_id) == sa.bindparam("note_id")
)
_EXISTING = (
    sa.select(col(Identifier.value), col(Identifier.paper_id), is_present(Paper).label("present"))
    .join(Paper, col(Paper.id) == col(Identifier.paper_id))
    .where(col(Identifier.scheme) == sa.bindparam("scheme"), in_text_list(col(Identifier.value), "values"))
)
_IMPORTED = (
    sa.select(col(Entry.fingerprint), col(NoteRevision.note_id))
    .distinct()
    .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
    .where(in_text_list(col(Entry.fingerprint), "fingerprints"), col(Entry.done_at).is_not(None))
)


@dataclass(frozen=True)
class ExistingPaper:
    """An existing paper. `is_present`: neither deleted nor merged into another."""

    id: int
    is_present: bool


def persistent_identifiers(identifiers: Iterable[str]) -> list[str]:
    """Return the identifiers without local files."""
    return [name for name in identifiers if not name.startswith(FILE)]


def find_existing_papers(tx: Read, identifiers: Collection[str]) -> dict[str, ExistingPaper]:
    """Return the papers that have these identifiers, by identifier. Papers of the library may be named by their id."""
    values_by_scheme: defaultdict[str, set[str]] = defaultdict(set)
    names = persistent_identifiers(identifiers)
    for ref in (Ref.parse(name) for name in names if not name.startswith(PAPER)):
        values_by_scheme[ref.scheme].add(ref.key)
    papers = {
        f"{scheme}:{row.value}": ExistingPaper(row.paper_id, bool(row.present))
        for scheme, values in sorted(values_by_scheme.items())
        for row in tx.rows(_EXISTING, {"scheme": scheme, "values": sorted(values)})
    }
    ids = sorted({int(name.removeprefix(PAPER)) for name in names if name.startswith(PAPER)})
    if ids:
        query = sa.select(col(Paper.id), is_present(Paper).label("present")).where(col(Paper.id).in_(ids))
        papers |= {f"{PAPER}{row.id}": ExistingPaper(row.id, bool(row.present)) for row in tx.execute(query)}
    return papers


def find_titles(tx: Read, paper_ids: Collection[int]) -> dict[int, str]:
    """Return the titles of papers by their ids."""
    query = sa.select(col(Paper.id), col(Paper.title)).where(col(Paper.id).in_(sorted(paper_ids)))
    return {row.id: row.title for row in tx.execute(query)} if paper_ids else {}


def find_further_titles(tx: Read, paper_ids: Collection[int]) -> dict[int, list[str]]:
    """Return what papers are titled elsewhere: in their records, as papers merged into them, and translated."""
    ids = sorted(paper_ids)
    queries = (
        sa.select(paper_id, title).where(paper_id.in_(ids))
        for paper_id, title in (
            (col(MetadataRecord.paper_id), col(MetadataRecord.title)),
            (col(Paper.merged_into), col(Paper.title)),
            (col(TranslatedTitle.paper_id), col(TranslatedTitle.title)),
        )
    )
    titles: defaultdict[int, list[str]] = defaultdict(list)
    for paper_id, title in (row for query in queries for row in tx.execute(query)) if ids else ():
        titles[paper_id].append(title)
    return titles


def find_matches(tx: Read, rows: Iterable[Any]) -> dict[int, sa.Row[Any]]:
    """Return the papers of the library that rows of a preview are or look like, with id and title, by position."""
    names = {row.position: _list_matching_names(row) for row in rows}
    papers = find_existing_papers(tx, {name for own_names in names.values() for name in own_names})
    ids = {
        position: next((papers[name].id for name in own_names if name in papers and papers[name].is_present), 0)
        for position, own_names in names.items()
    }
    if not any(ids.values()):
        return {}
    query = sa.select(col(Paper.id), col(Paper.title)).where(col(Paper.id).in_(set(ids.values())))
    titles = {row.id: row for row in tx.execute(query)}
    return {position: titles[paper_id] for position, paper_id in ids.items() if paper_id}


def _list_matching_names(row: Any) -> list[str]:  # noqa: ANN401 - a row of the query
    """Return the names under which the library has the paper of a row, or one like it."""
    if row.twin.startswith(PAPER):
        return [row.twin]
    return row.identifiers if row.decision in {"known", "review"} else []


class TitledWork(NamedTuple):
    """A work of a note that is looked up by its title."""

    kind: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None


def find_existing_by_title(
    tx: Read, works: Iterable[TitledWork], *, any_title: bool = False
) -> dict[TitledWork, ExistingPaper]:
    """Return the papers of the library that have the very title of a work. A short title needs the same authors, too.

    `any_title`: short titles suffice, for records of readtrack's own exports, which state titles exactly.
    """
    matches = _find_same_titles(tx, works)
    short = {} if any_title else {work: paper for work, paper in matches.items() if not is_distinctive(work.title)}
    others = short.keys() - _list_same_authors(tx, short)
    return {work: paper for work, paper in matches.items() if work not in others}


def find_namesakes(tx: Read, works: Iterable[TitledWork]) -> dict[TitledWork, ExistingPaper]:
    """Return the papers with the short title of a work, such as "Gemini": they may be other works."""
    return _find_same_titles(tx, (work for work in works if not is_distinctive(work.title)))


def _find_same_titles(tx: Read, works: Iterable[TitledWork]) -> dict[TitledWork, ExistingPaper]:
    unique = set(works)
    papers = find_papers_by_title(tx, {work.title for work in unique}) if unique else {}
    matches = {work: papers.get((work.kind, to_title_key(work.title))) for work in unique}
    return {work: ExistingPaper(paper.id, paper.exists) for work, paper in matches.items() if paper}


def _list_same_authors(tx: Read, matches: Mapping[TitledWork, ExistingPaper]) -> set[TitledWork]:
    """Return the works whose authors the matching paper has, in the same year if both are known."""
    query = sa.select(col(Paper.id), col(Paper.authors), col(Paper.year)).where(
        col(Paper.id).in_({paper.id for paper in matches.values()})
    )
    papers = {row.id: row for row in tx.execute(query)} if matches else {}
    return {
        work
        for work, paper in matches.items()
        if are_same_authors(work.authors, papers[paper.id].authors)
        and len({work.year, papers[paper.id].year} - {None}) < 2
    }


def find_paper_in_note(tx: Read, note_id: int, kind: str, title: str) -> int | None:
    """Return the paper of that title that came from this note.

    Within one note a short title is enough.
    """
    paper_id = sa.func.coalesce(col(Paper.merged_into), col(Paper.id))
    entries = (
        sa.select(col(Entry.id))
        .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
        .where(col(Entry.paper_id) == paper_id, col(NoteRevision.note_id) == note_id)
    )
    conditions = (col(Paper.title_key) == normalize.key(title), col(Paper.kind) == kind)
    return tx.scalar(sa.select(paper_id).where(*conditions, entries.exists()).order_by(col(Paper.id)).limit(1))


def find_notes_by_fingerprint(tx: Read, fingerprints: Sequence[str]) -> dict[str, set[int]]:
    """Return, for each fingerprint already imported with any result, the ids of its notes."""
    note_ids: defaultdict[str, set[int]] = defaultdict(set)
    for fingerprint, note_id in tx.rows(_IMPORTED, {"fingerprints": fingerprints}) if fingerprints else ():
        note_ids[fingerprint].add(note_id)
    return note_ids


def find_previous_paper(tx: Read, fingerprint: str, note_id: int | None) -> int | None:
    """Return the paper that the same words became in the last import of that note, or of any note.

    An entry merged into another leads to the paper of that entry. Papers no longer present are ignored.
    """
    if note_id is None:
        return tx.scalar(_BEFORE, {"fingerprint": fingerprint})
    return tx.scalar(_BEFORE_IN_NOTE, {"fingerprint": fingerprint, "note_id": note_id})
