"""Import of a folder's papers, with their topics, relations and summaries."""

from collections.abc import Iterator
from datetime import date
from functools import partial

from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    LINK_ROLES,
    PAPER_KINDS,
    PUBLICATION_TYPES,
)
from readtrack.infra.permissions import find_surviving_paper
from readtrack.ingest.apply_details import add_discussions, add_reading, add_relations, add_summary, add_titles
from readtrack.ingest.markdown_folder.import_result import FolderImport, ImportStep, MarkdownFolder
from readtrack.ingest.markdown_folder.notes import PaperNote, RelatedNote, SummaryPart
from readtrack.ingest.parser.paper_details import SummaryDetails
from readtrack.library.papers import lookup
from readtrack.library.papers.commands import (
    NewPaper,
    PaperFields,
    add_links,
    add_papers,
    update_known_paper,
)
from readtrack.library.topics.commands import find_or_add_topic, link_topic
from readtrack.library.topics.queries import find_id
from readtrack.metadata import sources
from readtrack.metadata.types import Ref, WebLink
from readtrack.workspace.export.formats import ExportRelation, ExportTitle

MAX_TITLE_CHARS = 1_000


def import_steps(folder: MarkdownFolder, name: str) -> Iterator[ImportStep]:
    """Yield the steps that create the paper of a note and then file it under its topics."""
    yield name, partial(_import_paper, name=name)
    note = folder.papers[name]
    for file in dict.fromkeys((*note.topics, *note.tags)):
        yield name, partial(_file_paper, name=name, file=file)


def content_steps(folder: MarkdownFolder, name: str) -> Iterator[ImportStep]:
    """Yield the steps for translated titles, relations, the reading, summaries, comments and questions."""
    note = folder.papers[name]
    if note.translated_titles:
        yield name, partial(_import_titles, name=name)
    if note.reading:
        yield name, partial(_import_reading, name=name)
    for related in note.relations:
        yield name, partial(_import_relation, name=name, related=related)
    for part in note.summaries:
        yield name, partial(_import_summary, name=name, part=part)
    if note.comments or note.questions:
        yield name, partial(_import_discussions, name=name)


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
        paper_id = _add_paper(folder_import, NewPaper(tuple(refs), _to_paper_fields(note), links))
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
        known_id = next(ids_by_ref[ref] for ref in refs if ref in ids_by_ref)
        paper_id = update_known_paper(folder_import.tx, folder_import.me, known_id, _to_paper_fields(note))
        return find_surviving_paper(folder_import.tx, paper_id) or paper_id
    titled_id = None if refs else lookup.find_by_title(folder_import.tx, note.title)
    if titled_id is None:
        return None
    return update_known_paper(folder_import.tx, folder_import.me, titled_id, _to_paper_fields(note))


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


def _add_paper(folder_import: FolderImport, new_paper: NewPaper) -> int:
    folder_import.require_quota("paper.added")
    (paper_id,) = add_papers(folder_import.tx, folder_import.me, [new_paper])
    return paper_id


def _to_paper_fields(note: PaperNote) -> PaperFields:
    fields: PaperFields = {
        "title": note.title[:MAX_TITLE_CHARS],
        "authors": note.authors,
        "venue": note.venue,
        "year": note.year,
        "language": note.language,
    }
    fields["abstract"], fields["published_on"] = note.abstract, _parse_date(note.published)
    if note.kind in PAPER_KINDS:
        fields["kind"] = note.kind
    if note.publication_type in PUBLICATION_TYPES:
        fields["publication_type"] = note.publication_type
    return fields


def _parse_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _import_titles(folder_import: FolderImport, name: str) -> None:
    note = folder_import.folder.papers[name]
    titles = [
        ExportTitle(language, title, language in note.drafted)
        for language, title in (note.translated_titles or {}).items()
    ]
    with folder_import.details(name) as details_import:
        add_titles(details_import, folder_import.folder.paper_ids[name], titles)


def _import_relation(folder_import: FolderImport, name: str, related: RelatedNote) -> None:
    def find_paper(relation: ExportRelation) -> int | None:
        ref = sources.parse_ref(relation.identifier)
        return folder_import.folder.paper_ids.get(related.to) or (
            lookup.find_by_ref(folder_import.tx, ref) if ref else None
        )

    relation = ExportRelation(related.kind, identifier=related.to, note=related.note)
    with folder_import.details(name) as details_import:
        add_relations(details_import, folder_import.folder.paper_ids[name], [relation], find_paper)


def _import_reading(folder_import: FolderImport, name: str) -> None:
    reading = folder_import.folder.papers[name].reading
    if reading is not None:
        with folder_import.details(name) as details_import:
            add_reading(details_import, folder_import.folder.paper_ids[name], reading)


def _import_summary(folder_import: FolderImport, name: str, part: SummaryPart) -> None:
    with folder_import.details(name) as details_import:
        add_summary(details_import, folder_import.folder.paper_ids[name], SummaryDetails(*part))


def _import_discussions(folder_import: FolderImport, name: str) -> None:
    note = folder_import.folder.papers[name]
    with folder_import.details(name) as details_import:
        add_discussions(details_import, folder_import.folder.paper_ids[name], note.comments, note.questions)
