"""What of a note is in the library already: by identifier, by a telling title, or because these words came before."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.pair_match import is_one_of_pairs
from readtrack.infra.models import Entry, Identifier, NoteRevision, Paper
from readtrack.infra.permissions import is_present
from readtrack.infra.text import normalize
from readtrack.library.papers.title_lookup import find_papers_by_title, is_distinctive, to_title_key
from readtrack.metadata.types import Ref

CHUNK = 500  # values in one IN (…)
FILE = "file:"  # a file beside the note: another note's `a.pdf` is another one, so it names nothing here

# Asked for every entry that is known, so made once: making one takes longer than its answer.
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


@dataclass(frozen=True)
class ExistingPaper:
    """A paper that is here. `present`: neither deleted nor merged into another."""

    id: int
    present: bool


def persistent_identifiers(identifiers: Iterable[str]) -> list[str]:
    """The identifiers that name a paper for ever."""
    return [name for name in identifiers if not name.startswith(FILE)]


def find_existing_papers(tx: Read, identifiers: Collection[str]) -> dict[str, ExistingPaper]:
    """The papers that have these identifiers, by identifier."""
    refs = sorted({Ref.parse(identifier) for identifier in persistent_identifiers(identifiers)})
    portions = (refs[start : start + CHUNK] for start in range(0, len(refs), CHUNK))
    return {name: known for portion in portions for name, known in _iter_existing_papers(tx, portion)}


def find_existing_by_title(tx: Read, titles: Iterable[tuple[str, str]]) -> dict[tuple[str, str], ExistingPaper]:
    """The papers of these kinds and titles, by both; only titles that one work alone may have are looked for."""
    telling = {(kind, title) for kind, title in titles if is_distinctive(title)}
    found = find_papers_by_title(tx, {title for _, title in telling}) if telling else {}
    here = {(kind, title): found.get((kind, to_title_key(title))) for kind, title in telling}
    return {wanted: ExistingPaper(paper.id, paper.present) for wanted, paper in here.items() if paper}


def find_paper_in_note(tx: Read, note_id: int, kind: str, title: str) -> int | None:
    """The paper of that title that an entry of this very note became: here a short name is enough."""
    whole = sa.func.coalesce(col(Paper.merged_into), col(Paper.id))
    named = (
        sa.select(col(Entry.id))
        .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
        .where(col(Entry.paper_id) == whole, col(NoteRevision.note_id) == note_id)
    )
    same = (col(Paper.title_key) == normalize.key(title), col(Paper.kind) == kind)
    return tx.scalar(sa.select(whole).where(*same, named.exists()).order_by(col(Paper.id)).limit(1))


def find_notes_by_fingerprint(tx: Read, fingerprints: Sequence[str]) -> dict[str, set[int]]:
    """Those of entries that an import has carried out already, with whatever result; in which notes."""
    done: dict[str, set[int]] = {}
    query = sa.select(col(Entry.fingerprint), col(NoteRevision.note_id)).distinct()
    query = query.join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
    for start in range(0, len(fingerprints), CHUNK):
        these = col(Entry.fingerprint).in_(fingerprints[start : start + CHUNK])
        for fingerprint, note_id in tx.execute(query.where(these, col(Entry.done_at).is_not(None))):
            done.setdefault(fingerprint, set()).add(note_id)
    return done


def find_previous_paper(tx: Read, fingerprint: str, note_id: int | None) -> int | None:
    """The paper, if it is still there, that the same words became the last time; in that note, or in any.

    What a person joined to another entry became what that one became.
    """
    if note_id is None:
        return tx.scalar(_BEFORE, {"fingerprint": fingerprint})
    return tx.scalar(_BEFORE_IN_NOTE, {"fingerprint": fingerprint, "note_id": note_id})


def _iter_existing_papers(tx: Read, refs: Sequence[Ref]) -> Iterator[tuple[str, ExistingPaper]]:
    named = is_one_of_pairs(col(Identifier.scheme), col(Identifier.value), [(ref.scheme, ref.key) for ref in refs])
    columns = (Identifier.scheme, Identifier.value, Identifier.paper_id)
    query = sa.select(*(col(column) for column in columns), is_present(Paper).label("present"))
    for row in tx.execute(query.join(Paper, col(Paper.id) == col(Identifier.paper_id)).where(named)):
        yield f"{row.scheme}:{row.value}", ExistingPaper(row.paper_id, bool(row.present))
