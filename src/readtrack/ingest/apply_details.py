"""Application of what exports say about a paper beyond its metadata: a reading, and texts of people.

Nothing that exists is overwritten, and applying the same details again changes nothing. A text keeps its author only if
that is the importing person or, for an admin, someone who cannot sign in or does not exist yet: a person who can sign
in never gets a text that someone else imported. Other texts are kept as comments of the importing person that name
their author.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import ReadtrackError, StorageUnavailable
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import LANGUAGES, RELATIONS, Comment, Person, Question, Relation, Summary, TranslatedTitle
from readtrack.infra.permissions import CurrentUser, has_permission
from readtrack.infra.text import normalize
from readtrack.infra.validation import validation_message
from readtrack.ingest.parser.paper_details import PaperDetails, ReadingDetails, SummaryDetails
from readtrack.library.papers.translated_titles import TranslatedTitleUpdate, set_translated_title
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.reading.readings.commands import ReadingUpdate, set_reading
from readtrack.reading.readings.queries import find_my_reading
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.team.accounts.commands.accounts import new_person, record_audit_event
from readtrack.team.discussion.commands import note_comment
from readtrack.team.discussion.targets import DiscussionTarget
from readtrack.team.questions.commands import answer_question, drop_question, note_question
from readtrack.workspace.export.formats import ExportComment, ExportQuestion, ExportRelation, ExportReply, ExportTitle

MAX_NAME_CHARS = 100
_NO_DATE = date.min  # dates that an export does not state stay blank


def _allow(_verb: str) -> None:
    """Allow what has no quota."""


@dataclass
class DetailsImport:
    """One transaction that applies details of papers.

    `require_quota`: raises TooManyRequests if the person may not do more of this verb. `problems`: a sentence for each
    part that was left out, or kept in another form. `added`: the number of new objects by kind.
    """

    tx: Write
    me: CurrentUser
    require_quota: Callable[[str], None] = _allow
    problems: list[str] = field(default_factory=list)
    added: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def part(self) -> Iterator[None]:
        """Apply a part in a savepoint. If it is refused, add a problem and continue."""
        try:
            with savepoint(self.tx):
                yield
        except StorageUnavailable:
            raise
        except ReadtrackError as problem:
            self.problems.append(problem.message)
        except ValidationError as problem:
            self.problems += dict.fromkeys(map(validation_message, problem.errors()))

    def find_author(self, name: str) -> CurrentUser | None:
        """Return the person to whom a text may be attributed, or None."""
        if not name or normalize.key(name) == normalize.key(self.me.name):
            return self.me
        name = normalize.clean_line(name)[:MAX_NAME_CHARS].strip()
        if not name or not has_permission(self.me, "manage-people"):
            return None
        person = self.tx.scalar(sa.select(Person).where(col(Person.name_key) == normalize.key(name)))
        if person is None:
            self.require_quota("person.added")
            person = new_person(self.tx, name, "", role="viewer", password_hash="")
            person.disabled_at = now()
            record_audit_event(self.tx, self.me, "person.added", person=person.name, role=person.role)
            self.tx.flush()
        return CurrentUser(person.id or 0, person.name, person.role) if person.disabled_at is not None else None


def apply_details(details_import: DetailsImport, paper_id: int, details: PaperDetails) -> None:
    """Add translated titles, summaries, comments and questions to a paper."""
    add_titles(details_import, paper_id, details.titles)
    for summary in details.summaries:
        with details_import.part():
            add_summary(details_import, paper_id, summary)
    add_discussions(details_import, paper_id, details.comments, details.questions)


def add_titles(details_import: DetailsImport, paper_id: int, titles: Iterable[ExportTitle]) -> None:
    """Add titles in languages in which the paper has none."""
    query = sa.select(col(TranslatedTitle.language)).where(col(TranslatedTitle.paper_id) == paper_id)
    languages = set(details_import.tx.scalars(query)) if titles else set()
    for title in titles:
        if title.language in LANGUAGES and title.language not in languages and title.title:
            with details_import.part():
                update = TranslatedTitleUpdate(title=title.title, machine=title.title if title.machine else "")
                set_translated_title(details_import.tx, details_import.me, paper_id, title.language, update=update)


def add_reading(details_import: DetailsImport, paper_id: int, reading: ReadingDetails) -> None:
    """Add the reading of the importing person, unless they have one. Another person's reading is left out."""
    tx, me = details_import.tx, details_import.me
    if not is_own_reading(me, reading):
        message = _("The reading of {name} was left out: only your own readings are imported.")
        details_import.problems.append(message.format(name=reading.person))
    elif find_my_reading(tx, me, paper_id) is None:
        if reading.status == "paused":
            begin = ReadingUpdate.model_validate({"status": "reading", "version": ""})
            set_reading(tx, me, paper_id, begin, changed_on=_NO_DATE)
        set_reading(tx, me, paper_id, _to_update(reading), changed_on=_NO_DATE)


def is_own_reading(me: CurrentUser, reading: ReadingDetails) -> bool:
    """Return True unless the export says that it is another person's."""
    return not reading.person or normalize.key(reading.person) == normalize.key(me.name)


def _to_update(reading: ReadingDetails) -> ReadingUpdate:
    names = ("depth", "recommendation", "started_on", "finished_on", "reason", "priority", "private")
    values: dict[str, Any] = {name: getattr(reading, name) for name in names if getattr(reading, name)}
    if reading.progress:
        values["progress"] = vars(reading.progress)
    return ReadingUpdate.model_validate({"status": reading.status, "version": reading.version, **values})


def add_summary(details_import: DetailsImport, paper_id: int, summary: SummaryDetails) -> None:
    """Add a summary, unless its author has one."""
    tx, me = details_import.tx, details_import.me
    name = summary.person or me.name
    conditions = (col(Person.name_key) == normalize.key(name), col(Summary.paper_id) == paper_id)
    query = sa.select(Summary).join(Person, col(Person.id) == col(Summary.person_id)).where(*conditions)
    existing = tx.scalar(query.where(col(Summary.deleted_at).is_(None)))
    if existing is not None and existing.private and existing.person_id != me.id:
        existing = None  # its existence must not be revealed
        author = None
    elif existing is not None:
        if not (is_same_text(summary.markdown, existing.markdown) and summary.tldr.strip() == existing.tldr):
            details_import.problems.append(_("Kept the existing summary by {name}.").format(name=name))
        return
    else:
        author = details_import.find_author(name)
    if author is None:
        quote = f"> {summary.tldr}\n\n" if summary.tldr else ""
        text = f"**Summary by {name}**\n\n{quote}{summary.markdown}".strip()
        _add_threads(details_import, _on_paper(paper_id), [ExportComment(me.name, text)])
        details_import.problems.append(_("The summary by {name} was kept as a comment.").format(name=name))
        return
    edit_summary(tx, author, paper_id, SummaryUpdate(markdown=summary.markdown, tldr=summary.tldr), version=None)
    if author.id != me.id:
        events.record_event(tx, me, "summary.brought", paper_id=paper_id, data={"person": author.name})
    details_import.added["summaries"] += 1


def add_discussions(
    details_import: DetailsImport,
    paper_id: int,
    comments: Sequence[ExportComment],
    questions: Sequence[ExportQuestion],
) -> None:
    """Add the comments and questions that the paper does not have."""
    if comments:
        _add_threads(details_import, _on_paper(paper_id), comments)
    if questions:
        query = sa.select(col(Question.text), col(Question.id)).where(col(Question.paper_id) == paper_id)
        existing_ids = defaultdict[str, list[int]](list)
        for text, question_id in details_import.tx.execute(query.order_by(col(Question.id))):
            existing_ids[text].append(question_id)
        for question in questions:
            with details_import.part():
                _add_question(details_import, paper_id, question, existing_ids[question.text])


def _add_question(
    details_import: DetailsImport, paper_id: int, question: ExportQuestion, existing_ids: list[int]
) -> None:
    """Add a question with its discussion, or only the missing comments if one of `existing_ids` is this question."""
    tx, me = details_import.tx, details_import.me
    if existing_ids:
        question_id = existing_ids.pop(0)
        _add_threads(details_import, _on_question(question_id), question.comments)
        return
    author = details_import.find_author(question.person)
    question_id = note_question(
        tx,
        me,
        question.text,
        paper_id=paper_id,
        author_id=author.id if author else me.id,
        asked_at=_past(question.asked_at),
    )
    attribution = [] if author else [ExportComment(me.name, f"Asked by {question.person}.", question.asked_at)]
    answer_id = _add_threads(details_import, _on_question(question_id), [*attribution, *question.comments])
    details_import.added["questions"] += 1
    if question.state == "answered" and answer_id is not None:
        answer_question(tx, me, question_id, answer_id)
    elif question.state == "dropped":
        drop_question(tx, me, question_id)


class _CommentKey(NamedTuple):
    """What makes a comment of an export one that exists: its author's name and its text."""

    person: str
    text: str


def _add_threads(
    details_import: DetailsImport, target: DiscussionTarget, threads: Sequence[ExportComment]
) -> int | None:
    """Add the comments that the discussion does not have. Return the id of the one that answers its question."""
    existing_ids = _find_comments(details_import, target)
    answer_id = None
    for thread in threads:
        with details_import.part():
            root_id = _add_comment(details_import, target, thread, existing_ids)
            answer_id = root_id if thread.is_answer else answer_id
            for reply in thread.replies:
                reply_id = _add_comment(details_import, target, reply, existing_ids, root_id)
                answer_id = reply_id if reply.is_answer else answer_id
    return answer_id


def _add_comment(
    details_import: DetailsImport,
    target: DiscussionTarget,
    comment: ExportReply,
    existing_ids: dict[_CommentKey, list[int]],
    root_id: int | None = None,
) -> int:
    """Return the id of the comment, which is added unless it exists."""
    tx, me = details_import.tx, details_import.me
    name = comment.person or me.name
    attributed_text = f"**{name}:** {comment.markdown}"
    for key in (_comment_key(name, comment.markdown), _comment_key(me.name, attributed_text)):
        if existing_ids[key]:
            return existing_ids[key].pop(0)
    author = details_import.find_author(name)
    comment_id = note_comment(
        tx,
        me,
        target,
        comment.markdown if author else attributed_text,
        author_id=author.id if author else me.id,
        parent_id=root_id,
        written_at=_past(comment.written_at),
        is_resolved=isinstance(comment, ExportComment) and comment.is_resolved,
    )
    details_import.added["comments"] += 1
    if author is None:
        details_import.problems.append(_("A comment by {name} was kept as yours, with their name.").format(name=name))
    return comment_id


def _find_comments(details_import: DetailsImport, target: DiscussionTarget) -> dict[_CommentKey, list[int]]:
    """Return the ids of the comments of a discussion in order, deleted ones included: they are not added again."""
    query = sa.select(col(Comment.id), col(Comment.markdown), col(Person.name))
    query = query.join(Person, col(Person.id) == col(Comment.person_id))
    query = query.where(getattr(Comment, target.column) == target.id)
    ids = defaultdict[_CommentKey, list[int]](list)
    for comment_id, markdown, name in details_import.tx.execute(query.order_by(col(Comment.id))):
        ids[_comment_key(name, markdown)].append(comment_id)
    return ids


def add_relations(
    details_import: DetailsImport,
    paper_id: int,
    relations: Iterable[ExportRelation],
    find_paper: Callable[[ExportRelation], int | None],
) -> None:
    """Add the relations of a paper to papers that are in the library. Existing ones are not changed."""
    query = sa.select(col(Relation.to_id), col(Relation.kind)).where(col(Relation.from_id) == paper_id)
    existing_pairs = {(row.to_id, row.kind) for row in details_import.tx.execute(query)}
    for relation in relations:
        other_id = find_paper(relation)
        if other_id in {None, paper_id} or relation.kind not in RELATIONS:
            continue
        if (other_id, relation.kind) not in existing_pairs:
            with details_import.part():
                fields: dict[str, Any] = {"to": other_id, "kind": relation.kind, "note": relation.note}
                details_import.added["relations"] += add_relation(
                    details_import.tx, details_import.me, paper_id, RelationCreate(**fields)
                )


def is_same_text(text: str, existing: str) -> bool:
    """Return True if two texts differ only in line ends and surrounding whitespace."""
    return _without_line_ends(text) == _without_line_ends(existing)


def _without_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _comment_key(name: str, markdown: str) -> _CommentKey:
    return _CommentKey(normalize.key(name), _without_line_ends(markdown))


def _past(moment: datetime | None) -> datetime:
    """Return a moment of an export, or now if it gives none or one in the future."""
    if moment is None:
        return now()
    try:
        return min(moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC), now())
    except OverflowError:  # the first hours of year 1, east of Greenwich
        return now()


def _on_paper(paper_id: int) -> DiscussionTarget:
    return DiscussionTarget("paper", paper_id, str(paper_id))


def _on_question(question_id: int) -> DiscussionTarget:
    return DiscussionTarget("question", question_id, str(question_id))
