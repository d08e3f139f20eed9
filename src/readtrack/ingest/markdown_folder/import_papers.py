"""Import of a folder's papers, with their topics, relations and summaries."""

from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    LANGUAGES,
    LINK_ROLES,
    PAPER_KINDS,
    RELATIONS,
    Paper,
    Person,
    Summary,
    TranslatedTitle,
)
from readtrack.infra.permissions import CurrentUser, find_surviving_paper, has_permission
from readtrack.infra.text import normalize
from readtrack.ingest.markdown_folder.front_matter import PaperNote, RelatedNote, SummaryPart
from readtrack.ingest.markdown_folder.import_result import FolderImport, ImportStep, MarkdownFolder, is_same_text
from readtrack.library.papers import lookup
from readtrack.library.papers.commands import add_links, add_title, update_known_paper
from readtrack.library.papers.create import NewPaper, PaperFields, add_papers
from readtrack.library.papers.translated_titles import TranslatedTitleUpdate, set_translated_title
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.library.topics.commands import find_or_add_topic, link_topic
from readtrack.library.topics.queries import find_id
from readtrack.metadata import registry
from readtrack.metadata.types import Ref, WebLink
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.team.accounts.commands.accounts import new_person, record_audit_event

LONGEST_TITLE = 1_000


def import_steps(folder: MarkdownFolder, name: str) -> Iterator[ImportStep]:
    """Yield the steps that create the paper of a note and then file it under its topics."""
    yield name, partial(_import_paper, name=name)
    note = folder.papers[name]
    for file in dict.fromkeys((*note.topics, *note.tags)):
        yield name, partial(_file_paper, name=name, file=file)


def content_steps(folder: MarkdownFolder, name: str) -> Iterator[ImportStep]:
    """Yield the steps for translated titles, relations and summaries."""
    note = folder.papers[name]
    if note.glosses:
        yield name, partial(_import_translated_titles, name=name)
    for related in note.relations:
        yield name, partial(_import_relation, name=name, related=related)
    for part in note.summaries:
        yield name, partial(_import_summary, name=name, part=part)


def _file_paper(to: FolderImport, name: str, file: str) -> None:
    """File the paper under the topic of that note or name.

    A topic that was rejected is not created by name.
    """
    refused = file in to.folder.refused or (file in to.folder.topics and file not in to.folder.topic_ids)
    if name in to.folder.paper_ids and not refused:
        link_topic(to.tx, to.me, to.folder.paper_ids[name], _find_or_add_note_topic(to, file))


def _import_paper(to: FolderImport, name: str) -> None:
    """Find the paper of that note by identifier or else by title, or add a new one."""
    note = to.folder.papers[name]
    refs = list(dict.fromkeys(ref for identifier in note.identifiers if (ref := registry.parse_ref(identifier))))
    known = _find_known_paper(to, note, refs)
    links = tuple(WebLink(link.url, link.kind if link.kind in LINK_ROLES else "landing") for link in note.links)
    if known is None:
        paper_id = _add_paper(to, NewPaper(tuple(refs), _to_paper_fields(note), links), note.language)
    else:
        paper_id = known
        add_links(to.tx, paper_id, links)
    to.report_unplaced_text(name, note)
    to.folder.paper_ids[name] = paper_id
    to.brought.papers_known += known is not None
    to.brought.papers_added += known is None


def _find_known_paper(to: FolderImport, note: PaperNote, refs: list[Ref]) -> int | None:
    """Return the existing paper, or None."""
    found = lookup.find_by_refs(to.tx, refs)
    here = {
        find_surviving_paper(to.tx, number) or number: None for number in (found[ref] for ref in refs if ref in found)
    }
    if len(here) > 1:
        sentence = _("“{title}” is {count} papers here, and stays so; what was written of it is with the first.")
        to.brought.leave_out(sentence.format(title=note.title, count=len(here)))
    if here:
        paper_id = update_known_paper(to.tx, to.me, next(found[ref] for ref in refs if ref in found), note.title)
        return find_surviving_paper(to.tx, paper_id) or paper_id
    if not refs and lookup.find_by_title(to.tx, note.title) is not None:
        return add_title(to.tx, to.me, note.title)[0]
    return None


def _find_or_add_note_topic(to: FolderImport, named: str) -> int:
    """Return the topic of that note or name, created if needed.

    Tags have hyphens instead of spaces.
    """
    known = to.folder.topic_ids.get(named) or find_id(to.tx, named) or find_id(to.tx, named.replace("-", " "))
    if known is not None:
        return known
    to.require_quota("topic.added")
    number = find_or_add_topic(to.tx, to.me, named)
    to.brought.topics_added += 1
    return number


def _add_paper(to: FolderImport, new: NewPaper, language: str) -> int:
    to.require_quota("paper.added")
    (paper_id,) = add_papers(to.tx, to.me, [new])
    to.tx.get_one(Paper, paper_id).language = language
    return paper_id


def _to_paper_fields(note: PaperNote) -> PaperFields:
    said: PaperFields = {
        "title": note.title[:LONGEST_TITLE],
        "authors": note.authors,
        "venue": note.venue,
        "year": note.year,
    }
    said["abstract"], said["published_on"] = note.abstract, _parse_date(note.published)
    if note.kind in PAPER_KINDS:
        said["kind"] = note.kind
    return said


def _parse_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _import_translated_titles(to: FolderImport, name: str) -> None:
    note, paper_id = to.folder.papers[name], to.folder.paper_ids[name]
    here = {*to.tx.scalars(sa.select(col(TranslatedTitle.language)).where(col(TranslatedTitle.paper_id) == paper_id))}
    for language, title in (note.glosses or {}).items():
        if language in LANGUAGES and language not in here and title:
            with to.part(name):
                drafted = title if language in note.drafted else ""
                set_translated_title(
                    to.tx, to.me, paper_id, language, wanted=TranslatedTitleUpdate(title=title, machine=drafted)
                )


def _import_relation(to: FolderImport, name: str, related: RelatedNote) -> None:
    paper_id, ref = to.folder.paper_ids[name], registry.parse_ref(related.to)
    other = to.folder.paper_ids.get(related.to) or (lookup.find_by_ref(to.tx, ref) if ref else None)
    if other is not None and other != paper_id and related.kind in RELATIONS:
        wanted: dict[str, Any] = {"to": other, "kind": related.kind, "note": related.note}
        to.brought.relations += add_relation(to.tx, to.me, paper_id, RelationCreate(**wanted))


def _import_summary(to: FolderImport, name: str, part: SummaryPart) -> None:
    paper_id, title = to.folder.paper_ids[name], to.folder.papers[name].title
    of_theirs = (col(Person.name_key) == normalize.key(part.person), col(Summary.paper_id) == paper_id)
    query = sa.select(Summary).join(Person, col(Person.id) == col(Summary.person_id)).where(*of_theirs)
    there = to.tx.scalar(query.where(col(Summary.deleted_at).is_(None)))
    # a private summary: its existence must not be revealed
    hidden = there is not None and there.private and there.person_id != to.me.id
    if there and not hidden and is_same_text(part.markdown, there.markdown) and part.tldr == there.tldr:
        return
    author = None if hidden else _find_author(to, part.person)
    if author is None:
        sentence = _(
            "The summary of “{title}” by {name} was left out: people write their own. An admin may bring in those of "
            "people who are not here."
        )
        to.brought.leave_out(sentence.format(title=title, name=part.person))
    elif there is None:
        edit = SummaryUpdate(markdown=part.markdown, tldr=part.tldr)
        edit_summary(to.tx, author, paper_id, edit, version=None)
        if author.id != to.me.id:
            events.record_event(to.tx, to.me, "summary.brought", paper_id=paper_id, data={"person": author.name})
        to.brought.summaries += 1
    else:
        sentence = _("{name} has another summary of “{title}” here, which stays.")
        to.brought.leave_out(sentence.format(title=title, name=part.person))


def _find_author(to: FolderImport, name: str) -> CurrentUser | None:
    """Return the person to whom the importing person may attribute the text, or None.

    That is the importing person or, for an admin, someone who cannot sign in or does not exist yet. A person who can
    sign in never gets a text that someone else imported.
    """
    if normalize.key(name) == normalize.key(to.me.name):
        return to.me
    if not has_permission(to.me, "manage-people"):
        return None
    person = to.tx.scalar(sa.select(Person).where(col(Person.name_key) == normalize.key(name)))
    if person is None:
        to.require_quota("person.added")
        person = new_person(to.tx, normalize.clean(name)[:100], "", role="viewer", password_hash="")
        person.disabled_at = now()
        record_audit_event(to.tx, to.me, "person.added", person=person.name, role=person.role)
        to.tx.flush()
    return CurrentUser(person.id or 0, person.name, person.role) if person.disabled_at is not None else None
