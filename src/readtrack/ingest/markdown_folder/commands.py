"""Import of a Markdown folder in short transactions.

Existing data is matched and never overwritten. What one note may contain is limited, so that importing it takes bounded
time.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import replace
from functools import partial

import structlog
from sqlalchemy.exc import IntegrityError

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.markdown_folder import import_papers, import_topics
from readtrack.ingest.markdown_folder.import_result import (
    IMPORT_FAILED,
    MAX_QUOTED_CHARS,
    FolderImport,
    FolderImportResult,
    ImportStep,
    MarkdownFolder,
)
from readtrack.ingest.markdown_folder.links import from_folder_links, map_paper_names, resolve_note
from readtrack.ingest.markdown_folder.note_format import parse_note
from readtrack.ingest.markdown_folder.notes import ABOUT, FolderNote, PaperNote, TopicNote
from readtrack.library.enrichment import scheduler
from readtrack.markdown import MAX_BYTES
from readtrack.markdown.references import key_of, key_of_name
from readtrack.metadata.sources import parse_ref as named_by

MAX_PARTS = 200  # per kind of part: as many relations as a paper's page shows, and more than anyone writes
BATCH_SIZE = 50  # steps per transaction at most: other writers wait for it
SECONDS_AT_ONCE = 0.1  # a transaction ends after the first step that exceeds this: texts may be long


def refuse_excess(note: FolderNote) -> None:
    """Raise Invalid if the note has too many parts of one kind, or too long an abstract."""
    for kind, count in _count_parts(note):
        if count > MAX_PARTS:
            raise Invalid(
                _("“{kind}” has {count:,} items. The limit is {most}.").format(count=count, kind=kind, most=MAX_PARTS)
            )
    if isinstance(note, PaperNote) and len(note.abstract) > MAX_BYTES:
        raise Invalid(_("The abstract is longer than {most:,} characters.").format(most=MAX_BYTES))


def _count_parts(note: FolderNote) -> Iterator[tuple[str, int]]:
    kinds: tuple[tuple[str, Sized], ...]
    if isinstance(note, PaperNote):
        kinds = (
            ("identifiers", note.identifiers),
            ("links", note.links),
            ("topics", {*note.topics, *note.tags}),
            ("titles", note.translated_titles or {}),
            ("summaries", note.summaries),
            ("relations", note.relations),
            ("comments", note.comments),
            ("questions", note.questions),
        )
    else:
        kinds = (("aliases", note.aliases), ("links", note.links), ("tables", note.tables))
    return ((kind, len(items)) for kind, items in kinds)


log = structlog.get_logger()


def import_folder(
    database: Database, me: CurrentUser, files: Mapping[str, str], *, limited: bool = True
) -> FolderImportResult:
    """Import topics, then papers, then their contents.

    Importing the same folder again changes nothing. Each transaction has a few steps; after an interruption, import the
    folder again. `limited`: apply the person's quotas. Raise NotAllowed if the person may not import.
    """
    permissions.require(me, "import")
    result = FolderImportResult()
    folder = _build_folder(files, result)
    for name in files.keys() - folder.papers.keys() - folder.topics.keys() - {ABOUT, *folder.rejected_files}:
        result.leave_out(_("“{name}” wasn't exported from readtrack. Import it as notes.").format(name=name))
    _run_steps(
        database, partial(FolderImport, me=me, folder=folder, result=result, limited=limited), _iter_steps(folder)
    )
    if result.new:
        with database.write() as tx:
            events.record_event(tx, me, "folder.brought", data=result.new)
    return result


def _iter_steps(folder: MarkdownFolder) -> Iterator[ImportStep]:
    """Yield the steps in order.

    Later steps are built from the results of earlier ones, so each must run before the next.
    """
    for name in _sort_parents_first(folder.topics):
        yield from import_topics.import_steps(name)
    for name in folder.papers:
        yield from import_papers.import_steps(folder, name)
    for name in folder.topic_ids:
        yield from import_topics.content_steps(folder, name)
    for name in folder.paper_ids:
        yield from import_papers.content_steps(folder, name)


def _run_steps(database: Database, open_import: Callable[[Write], FolderImport], steps: Iterator[ImportStep]) -> None:
    """Run the steps in short transactions, so that other writers are not blocked."""
    step = next(steps, None)
    while step is not None:
        with database.write() as tx, search.defer_indexing(tx), scheduler.batch_requests(tx):
            step = _run_batch(open_import(tx), step, steps)
        database.pause()


def _run_batch(folder_import: FolderImport, step: ImportStep | None, steps: Iterator[ImportStep]) -> ImportStep | None:
    """Run the steps of one transaction and return the next step."""
    deadline = time.monotonic() + SECONDS_AT_ONCE
    for number in range(BATCH_SIZE):
        if step is None or (number and time.monotonic() > deadline):
            break
        _run_step(folder_import, *step)
        step = next(steps, None)
    return step


def _run_step(folder_import: FolderImport, name: str, action: Callable[[FolderImport], None]) -> None:
    try:
        with folder_import.part(name):
            action(folder_import)
    except IntegrityError:  # another transaction added the same at this moment: the second attempt finds it
        try:
            with folder_import.part(name):
                action(folder_import)
        except IntegrityError:
            log.exception(IMPORT_FAILED, called=name)
            folder_import.result.leave_out_broken(name)


def _read_notes(files: Mapping[str, str], result: FolderImportResult) -> tuple[dict[str, FolderNote], set[str]]:
    """Return the notes that can be parsed, and the names of those that are rejected."""
    notes, rejected_names = dict[str, FolderNote](), set[str]()
    for name, text in files.items():
        try:
            with queue.isolate_errors("failed to read note in folder", Invalid, called=name) as outcome:
                notes |= _read_note(name, text)
            if outcome.problem is not None:
                rejected_names.add(name)
                result.leave_out_broken(name)
        except Invalid as problem:
            rejected_names.add(name)
            result.leave_out(_("“{name}” skipped: {why}").format(name=name[:MAX_QUOTED_CHARS], why=problem.message))
    return notes, rejected_names


def _read_note(name: str, text: str) -> dict[str, FolderNote]:
    """Return the note by its name, or nothing if readtrack did not write it. Raise Invalid."""
    note = parse_note(text)
    if note is None:
        return {}
    refuse_excess(note)
    return {name: note}


def _build_folder(files: Mapping[str, str], result: FolderImportResult) -> MarkdownFolder:
    """Parse the files and convert the links in their texts to readtrack's form."""
    notes, rejected_names = _read_notes(files, result)
    topics = {name: note for name, note in notes.items() if isinstance(note, TopicNote) and note.name}
    papers = {
        name: note for name, note in notes.items() if isinstance(note, PaperNote) and (note.title or note.identifiers)
    }
    file_by_key = map_paper_names((note.title, name) for name, note in papers.items())
    all_notes: Mapping[str, FolderNote] = {**papers, **topics}
    for name, folder_note in all_notes.items():
        file_by_key.update(dict.fromkeys(_reference_keys(folder_note), name))
    titles = {name: note.title for name, note in papers.items()}
    titles |= {name: note.name for name, note in topics.items()}

    def convert_links(text: str) -> str:
        return from_folder_links(text, lambda name: titles.get(name, ""), lambda name: resolve_note(file_by_key, name))

    return MarkdownFolder(
        papers={
            name: replace(
                note, summaries=tuple(part._replace(markdown=convert_links(part.markdown)) for part in note.summaries)
            )
            for name, note in papers.items()
        },
        topics={name: replace(note, markdown=convert_links(note.markdown)) for name, note in topics.items()},
        rejected_files=rejected_names,
    )


def _reference_keys(note: FolderNote) -> Iterator[str]:
    """Yield the keys by which texts can refer to the note unambiguously."""
    if isinstance(note, TopicNote):
        yield from map(key_of_name, (note.name, *note.aliases))
        return
    yield from (key_of(identifier) for identifier in note.identifiers if named_by(identifier))


def _sort_parents_first(notes: Mapping[str, TopicNote]) -> list[str]:
    """Return the names so that parents come before children.

    A cycle starts at any of its topics.
    """
    order: dict[str, None] = {}
    for name in notes:
        line = {name: None}
        while (parent := notes[next(reversed(line))].parent) in notes and parent not in line and parent not in order:
            line[parent] = None
        order.update(dict.fromkeys(reversed(line)))
    return list(order)
