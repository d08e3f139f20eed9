"""Libraries to send round: everything that exports hold, made by the commands that people use."""

from datetime import UTC, datetime
from typing import Any

import readtrack.ingest.imports.commit_job  # noqa: F401 - registers the job handler
from readtrack import search
from readtrack.infra.db import Database, Write
from readtrack.infra.models import Comment, Question
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports.commands import prepare_notes, preview_notes
from readtrack.ingest.imports.queries import get_import
from readtrack.ingest.markdown_folder.file_names import build_folder_names
from readtrack.ingest.markdown_folder.zip_file import pack_folder, unpack_folder
from readtrack.library.papers.citation_keys import adopt_citation_keys
from readtrack.library.papers.commands import NewPaper, add_links, add_papers
from readtrack.library.papers.translated_titles import TranslatedTitleUpdate, set_translated_title
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.library.topics.commands import find_or_add_topic, link_topic
from readtrack.metadata.types import Ref, WebLink
from readtrack.reading.readings.commands import ReadingUpdate, set_reading
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.workspace.export.stream import export_text, find_ids
from tests import make
from tests.sample_library import carry_out

WRITTEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


class Shelf:
    """A library with the people who use it: Ada, an admin, and Bo."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        with self.database.write() as tx:
            search.ensure(tx)
            self.ada = make.visitor(tx, "Ada", role="admin")
            self.bo = make.visitor(tx, "Bo", role="editor")

    def export(self, name: str, me: CurrentUser | None = None) -> str:
        with self.database.read() as tx:
            reader = me or self.ada
            return export_text(tx, reader, name, find_ids(tx, reader, ""))

    def export_folder(self) -> dict[str, str]:
        """The notes of a Markdown folder by name."""
        with self.database.read() as tx:
            names = build_folder_names(tx, self.ada, "")
        return dict(unpack_folder(b"".join(pack_folder(self.database, self.ada, names))))

    def bring_in(self, text: str, me: CurrentUser | None = None, title: str = "file") -> int:
        """Imports a file and carries it out."""
        with self.database.write() as tx:
            import_id, _ = preview_notes(tx, me or self.ada, prepare_notes(text, title))
        carry_out(self.database, me or self.ada, import_id)
        with self.database.read() as tx:
            state = get_import(tx, import_id)
            assert state.state == "committed", state.job
        return import_id


def write_library(database: Database, me: CurrentUser, papers: list[dict[str, Any]]) -> None:
    """Fill a library with papers as a generator describes them."""
    with database.write() as tx:
        ids = [write_paper(tx, me, paper) for paper in papers]
        for paper_id, paper in zip(ids, papers, strict=True):
            for kind, other, note in paper.get("relations", ()):
                if ids[other % len(ids)] != paper_id:
                    add_relation(tx, me, paper_id, RelationCreate(to=ids[other % len(ids)], kind=kind, note=note))


def write_paper(tx: Write, me: CurrentUser, paper: dict[str, Any]) -> int:
    refs = tuple(map(Ref.parse, paper.get("identifiers", ())))
    (paper_id,) = add_papers(tx, me, [NewPaper(refs, paper["fields"])])
    adopt_citation_keys(tx, {paper_id: paper.get("citation_key", "")})
    add_links(tx, paper_id, tuple(WebLink(*link) for link in paper.get("links", ())))
    for topic in paper.get("topics", ()):
        link_topic(tx, me, paper_id, find_or_add_topic(tx, me, topic))
    for language, title, machine in paper.get("titles", ()):
        update = TranslatedTitleUpdate(title=title, machine=title if machine else "")
        set_translated_title(tx, me, paper_id, language, update=update)
    for change in paper.get("reading", ()):
        set_reading(tx, me, paper_id, ReadingUpdate.model_validate(change))
    if summary := paper.get("summary"):
        edit_summary(tx, me, paper_id, SummaryUpdate.model_validate(summary), version=None)
    for text, replies, is_resolved in paper.get("comments", ()):
        write_thread(tx, me, text, replies, is_resolved=is_resolved, paper_id=paper_id)
    for text, state, thread in paper.get("questions", ()):
        question = make.added(tx, Question(text=text, paper_id=paper_id, created_by=me.id, created_at=WRITTEN))
        root = write_thread(tx, me, thread, (), question_id=question.id) if thread or state == "answered" else None
        question.state, question.answer_id = state, root if state == "answered" else None
    tx.flush()
    return paper_id


def write_thread(
    tx: Write, me: CurrentUser, text: str, replies: Any, *, is_resolved: bool = False, **subject: Any
) -> int:
    times: dict[str, Any] = {"created_at": WRITTEN, "updated_at": WRITTEN}
    ended = WRITTEN if is_resolved else None
    root = make.added(tx, Comment(person_id=me.id, markdown=text or "Yes.", resolved_at=ended, **times, **subject))
    for reply in replies:
        make.added(tx, Comment(person_id=me.id, markdown=reply, parent_id=root.id, **times, **subject))
    return root.id or 0
