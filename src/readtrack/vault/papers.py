"""The papers of a folder become papers here, with what hangs between them and what was written of them."""

from datetime import date
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import names, sources
from readtrack.clock import now
from readtrack.db import Write
from readtrack.languages import gettext as _
from readtrack.models import LANGUAGES, LINK_ROLES, PAPER_KINDS, RELATIONS, Gloss, Paper, Person, Summary
from readtrack.papers import meant
from readtrack.papers.adding_many import New, Said, add_papers
from readtrack.papers.commands import add_links, add_title, seen_again
from readtrack.papers.glosses import GlossSet, set_gloss
from readtrack.papers.relations import RelationAdd, add_relation
from readtrack.people.commands.accounts import new_person, tell
from readtrack.policy import Visitor, may, survivor_of
from readtrack.sources import Ref, WebLink
from readtrack.summaries.commands import SummaryEdit, edit_summary
from readtrack.topics.commands import link_topic
from readtrack.vault.form import PaperNote, Part, Related

if TYPE_CHECKING:
    from readtrack.vault.commands import Brought, Folder

LONGEST_TITLE = 1_000


def bring(tx: Write, me: Visitor, folder: "Folder", name: str, brought: "Brought") -> None:
    """The paper of that note: the one that has one of its identifiers, or else its title, or a new one."""
    note = folder.papers[name]
    refs = list(dict.fromkeys(ref for identifier in note.identifiers if (ref := sources.named(identifier))))
    known = meant.find_by_refs(tx, refs)
    links = tuple(WebLink(link.url, link.kind if link.kind in LINK_ROLES else "landing") for link in note.links)
    if known:
        paper_id = seen_again(tx, me, next(known[ref] for ref in refs if ref in known), note.title)
        paper_id = survivor_of(tx, paper_id) or paper_id
        add_links(tx, paper_id, links)
        brought.papers_known += 1
    else:
        paper_id = _add(tx, me, note, refs, links, brought)
    folder.paper_ids[name] = paper_id
    for file in note.topics:
        if file in folder.topic_ids:
            link_topic(tx, me, paper_id, folder.topic_ids[file])


def _add(
    tx: Write, me: Visitor, note: PaperNote, refs: list[Ref], links: tuple[WebLink, ...], brought: "Brought"
) -> int:
    if not refs and meant.find_by_title(tx, note.title) is not None:
        brought.papers_known += 1
        return add_title(tx, me, note.title)[0]
    (paper_id,) = add_papers(tx, me, [New(tuple(refs), _said(note), links)])
    tx.get_one(Paper, paper_id).language = note.language
    brought.papers_added += 1
    return paper_id


def _said(note: PaperNote) -> Said:
    said: Said = {"title": note.title[:LONGEST_TITLE], "authors": note.authors, "venue": note.venue, "year": note.year}
    said["abstract"], said["published_on"] = note.abstract, _day(note.published)
    if note.kind in PAPER_KINDS:
        said["kind"] = note.kind
    return said


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def say(tx: Write, me: Visitor, folder: "Folder", name: str, brought: "Brought") -> None:
    """Titles in other languages, relations, and what people wrote."""
    note, paper_id = folder.papers[name], folder.paper_ids[name]
    here = {*tx.scalars(sa.select(col(Gloss.language)).where(col(Gloss.paper_id) == paper_id))}
    for language, title in (note.glosses or {}).items():
        if language in LANGUAGES and language not in here and title:
            set_gloss(tx, me, paper_id, language, GlossSet(title=title[:500]))
    for related in note.relations:
        brought.relations += _relate(tx, me, folder, paper_id, related)
    for part in note.summaries:
        _summarise(tx, me, paper_id, part._replace(markdown=folder.inward(part.markdown)), brought)


def _relate(tx: Write, me: Visitor, folder: "Folder", paper_id: int, related: Related) -> bool:
    """Whether the relation is new here."""
    ref = sources.named(related.to)
    to = folder.paper_ids.get(related.to) or (meant.find_by_ref(tx, ref) if ref else None)
    if to is None or to == paper_id or related.kind not in RELATIONS:
        return False
    wanted: dict[str, Any] = {"to": to, "kind": related.kind, "note": related.note[:300]}
    return add_relation(tx, me, paper_id, RelationAdd(**wanted))


def _summarise(tx: Write, me: Visitor, paper_id: int, part: Part, brought: "Brought") -> None:
    author = _author(tx, me, part.person)
    if author is None:
        sentence = _(
            "A summary by {name} was left out: people write their own. An admin may bring in those of people who are "
            "not here."
        )
        brought.leave_out(sentence.format(name=part.person))
        return
    mine = (col(Summary.person_id) == author.id, col(Summary.paper_id) == paper_id, col(Summary.deleted_at).is_(None))
    there = tx.execute(sa.select(col(Summary.markdown), col(Summary.tldr)).where(*mine)).one_or_none()
    if there is None:
        edit = SummaryEdit(markdown=part.markdown, tldr=part.tldr)
        edit_summary(tx, author, paper_id, edit, version=None)
        brought.summaries += 1
    elif tuple(there) != (part.markdown, part.tldr):
        brought.leave_out(_("{name} has another summary of this paper here, which stays.").format(name=part.person))


def _author(tx: Write, me: Visitor, name: str) -> Visitor | None:
    """Who wrote it, as far as I may bring it in: I myself; for an admin also who cannot sign in, or is not here yet.

    Nobody who can sign in gets a text that they did not write.
    """
    if names.key(name) == names.key(me.name):
        return me
    if not may(me, "manage-people"):
        return None
    person = tx.scalar(sa.select(Person).where(col(Person.name_key) == names.key(name)))
    if person is None:
        person = new_person(tx, names.clean(name)[:100], "", role="viewer", password_hash="")
        person.disabled_at = now()
        tell(tx, me, "person.added", person=person.name, role=person.role)
        tx.flush()
    return Visitor(person.id or 0, person.name, person.role) if person.disabled_at is not None else None
