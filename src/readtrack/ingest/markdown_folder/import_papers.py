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
from readtrack.ingest.markdown_folder.import_result import FolderImport, ImportStep, MarkdownFolder, is_same_text
from readtrack.ingest.markdown_folder.notes import PaperNote, RelatedNote, SummaryPart
from readtrack.library.papers import lookup
from readtrack.library.papers.commands import (
    NewPaper,
    PaperFields,
    add_links,
    add_papers,
    add_title,
    update_known_paper,
)
from readtrack.library.papers.translated_titles import TranslatedTitleUpdate, set_translated_title
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.library.topics.commands import find_or_add_topic, link_topic
from readtrack.library.topics.queries import find_id
from readtrack.metadata import sources
from readtrack.metadata.types import Ref, WebLink
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.team.accounts.commands.accounts import new_person, record_audit_event

MAX_TITLE_CHARS = 1_000


def import_steps(folder: MarkdownFolder, name: str) -> Iterator[ImportStep]:
    """Yield the steps that create the paper of a note and then file it under its topics."""
    yield name, partial(_import_paper, name=name)
    note = folder.papers[name]
    for file in dict.fromkeys((*note.topics, *note.tags)):
        yield name, partial(_file_paper, name=name, file=file)


def content_steps(folder: MarkdownFolder, name: str) -> Iterator[ImportStep]:
    """Yield the steps for translated titles, relations and summaries."""
    note = folder.papers[name]
    if note.translated_titles:
        yield name, partial(_import_translated_titles, name=name)
    for related in note.relations:
        yield name, partial(_import_relation, name=name, related=related)
    for part in note.summaries:
        yield name, partial(_import_summary, name=name, part=part)


def _file_paper(folder_import: FolderImport, name: str, file: str) -> None:
    """File the paper under the topic of that note or name.

    A topic that was rejected is not created by name.
    """
    is_refused = file in folder_import.folder.rejected_files or (
        file in folder_import.folder.topics and file not in folder_import.folder.topic_ids
    )
    if name in folder_import.folder.paper_ids and not is_refused:
        link_topic(
            folder_import.tx,
            folder_import.me,
            folder_import.folder.paper_ids[name],
            _find_or_add_note_topic(folder_import, file),
        )


def _import_paper(folder_import: FolderImport, name: str) -> None:
    """Find the paper of that note by identifier or else by title, or add a new one."""
    note = folder_import.folder.papers[name]
    refs = list(dict.fromkeys(ref for identifier in note.identifiers if (ref := sources.parse_ref(identifier))))
    existing_id = _find_known_paper(folder_import, note, refs)
    links = tuple(WebLink(link.url, link.kind if link.kind in LINK_ROLES else "landing") for link in note.links)
    if existing_id is None:
        paper_id = _add_paper(folder_import, NewPaper(tuple(refs), _to_paper_fields(note), links), note.language)
    else:
        paper_id = existing_id
        add_links(folder_import.tx, paper_id, links)
    folder_import.report_unplaced_text(name, note)
    folder_import.folder.paper_ids[name] = paper_id
    folder_import.result.papers_known += existing_id is not None
    folder_import.result.papers_added += existing_id is None


def _find_known_paper(folder_import: FolderImport, note: PaperNote, refs: list[Ref]) -> int | None:
    """Return the existing paper, or None."""
    ids_by_ref = lookup.find_by_refs(folder_import.tx, refs)
    paper_ids = {
        find_surviving_paper(folder_import.tx, number) or number: None
        for number in (ids_by_ref[ref] for ref in refs if ref in ids_by_ref)
    }
    if len(paper_ids) > 1:
        sentence = _("“{title}” matches {count} papers. Its content was added to the first.")
        folder_import.result.leave_out(sentence.format(title=note.title, count=len(paper_ids)))
    if paper_ids:
        paper_id = update_known_paper(
            folder_import.tx, folder_import.me, next(ids_by_ref[ref] for ref in refs if ref in ids_by_ref), note.title
        )
        return find_surviving_paper(folder_import.tx, paper_id) or paper_id
    if not refs and lookup.find_by_title(folder_import.tx, note.title) is not None:
        return add_title(folder_import.tx, folder_import.me, note.title)[0]
    return None


def _find_or_add_note_topic(folder_import: FolderImport, name: str) -> int:
    """Return the topic of that note or name, created if needed.

    Tags have hyphens instead of spaces.
    """
    existing_id = (
        folder_import.folder.topic_ids.get(name)
        or find_id(folder_import.tx, name)
        or find_id(folder_import.tx, name.replace("-", " "))
    )
    if existing_id is not None:
        return existing_id
    folder_import.require_quota("topic.added")
    topic_id = find_or_add_topic(folder_import.tx, folder_import.me, name)
    folder_import.result.topics_added += 1
    return topic_id


def _add_paper(folder_import: FolderImport, new_paper: NewPaper, language: str) -> int:
    folder_import.require_quota("paper.added")
    (paper_id,) = add_papers(folder_import.tx, folder_import.me, [new_paper])
    folder_import.tx.get_one(Paper, paper_id).language = language
    return paper_id


def _to_paper_fields(note: PaperNote) -> PaperFields:
    fields: PaperFields = {
        "title": note.title[:MAX_TITLE_CHARS],
        "authors": note.authors,
        "venue": note.venue,
        "year": note.year,
    }
    fields["abstract"], fields["published_on"] = note.abstract, _parse_date(note.published)
    if note.kind in PAPER_KINDS:
        fields["kind"] = note.kind
    return fields


def _parse_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _import_translated_titles(folder_import: FolderImport, name: str) -> None:
    note, paper_id = folder_import.folder.papers[name], folder_import.folder.paper_ids[name]
    languages = {
        *folder_import.tx.scalars(
            sa.select(col(TranslatedTitle.language)).where(col(TranslatedTitle.paper_id) == paper_id)
        )
    }
    for language, title in (note.translated_titles or {}).items():
        if language in LANGUAGES and language not in languages and title:
            with folder_import.part(name):
                machine = title if language in note.drafted else ""
                set_translated_title(
                    folder_import.tx,
                    folder_import.me,
                    paper_id,
                    language,
                    update=TranslatedTitleUpdate(title=title, machine=machine),
                )


def _import_relation(folder_import: FolderImport, name: str, related: RelatedNote) -> None:
    paper_id, ref = folder_import.folder.paper_ids[name], sources.parse_ref(related.to)
    other_id = folder_import.folder.paper_ids.get(related.to) or (
        lookup.find_by_ref(folder_import.tx, ref) if ref else None
    )
    if other_id is not None and other_id != paper_id and related.kind in RELATIONS:
        fields: dict[str, Any] = {"to": other_id, "kind": related.kind, "note": related.note}
        folder_import.result.relations += add_relation(
            folder_import.tx, folder_import.me, paper_id, RelationCreate(**fields)
        )


def _import_summary(folder_import: FolderImport, name: str, part: SummaryPart) -> None:
    paper_id, title = folder_import.folder.paper_ids[name], folder_import.folder.papers[name].title
    conditions = (col(Person.name_key) == normalize.key(part.person), col(Summary.paper_id) == paper_id)
    query = sa.select(Summary).join(Person, col(Person.id) == col(Summary.person_id)).where(*conditions)
    existing = folder_import.tx.scalar(query.where(col(Summary.deleted_at).is_(None)))
    # a private summary: its existence must not be revealed
    is_hidden = existing is not None and existing.private and existing.person_id != folder_import.me.id
    if existing and not is_hidden and is_same_text(part.markdown, existing.markdown) and part.tldr == existing.tldr:
        return
    author = None if is_hidden else _find_author(folder_import, part.person)
    if author is None:
        sentence = _(
            "Summary of “{title}” by {name} skipped. You can import your own summaries; admins can "
            "also import those of people who can't sign in."
        )
        folder_import.result.leave_out(sentence.format(title=title, name=part.person))
    elif existing is None:
        edit = SummaryUpdate(markdown=part.markdown, tldr=part.tldr)
        edit_summary(folder_import.tx, author, paper_id, edit, version=None)
        if author.id != folder_import.me.id:
            events.record_event(
                folder_import.tx, folder_import.me, "summary.brought", paper_id=paper_id, data={"person": author.name}
            )
        folder_import.result.summaries += 1
    else:
        sentence = _("Kept the existing summary of “{title}” by {name}.")
        folder_import.result.leave_out(sentence.format(title=title, name=part.person))


def _find_author(folder_import: FolderImport, name: str) -> CurrentUser | None:
    """Return the person to whom the importing person may attribute the text, or None.

    That is the importing person or, for an admin, someone who cannot sign in or does not exist yet. A person who can
    sign in never gets a text that someone else imported.
    """
    if normalize.key(name) == normalize.key(folder_import.me.name):
        return folder_import.me
    if not has_permission(folder_import.me, "manage-people"):
        return None
    person = folder_import.tx.scalar(sa.select(Person).where(col(Person.name_key) == normalize.key(name)))
    if person is None:
        folder_import.require_quota("person.added")
        person = new_person(folder_import.tx, normalize.clean(name)[:100], "", role="viewer", password_hash="")
        person.disabled_at = now()
        record_audit_event(folder_import.tx, folder_import.me, "person.added", person=person.name, role=person.role)
        folder_import.tx.flush()
    return CurrentUser(person.id or 0, person.name, person.role) if person.disabled_at is not None else None
