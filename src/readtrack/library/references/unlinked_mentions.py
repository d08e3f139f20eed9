"""Backlinks and unlinked mentions of a paper or topic in texts.

Texts about the target itself are left out, and those that the current user may not read.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.models import Comment, Identifier, Paper, Person, Question, Summary, TextReference, Topic
from readtrack.infra.permissions import CurrentUser, has_permission, is_present, shared_or_own
from readtrack.library.references import phrases as references_phrases
from readtrack.library.references.phrases import MAX_PARSED_CHARS, Passage, Phrase, list_phrases
from readtrack.library.references.resolve import Place
from readtrack.markdown import references
from readtrack.reading.summaries.queries import version_seen_by

MAX_SHOWN_ON_PAGE = 5  # shown on the target's own page
MAX_SHOWN = 200  # newest ones shown on the mentions page
MAX_UNLINKED = 20
LOOKED_AT = 60  # candidate texts of each kind that are scanned


class TextMention(NamedTuple):
    """A text that mentions the target.

    `title`: of what the text is on; `url`: its URL; `is_linkable`: the user may insert a link.
    """

    subject: str
    id: int
    title: str
    url: str
    person: str
    created_at: datetime
    version: int
    passage: Passage
    is_linkable: bool


class TextMentionPage(NamedTuple):
    """The newest mentions. `has_more`: there are further ones."""

    items: Sequence[TextMention]
    has_more: bool


class _MentioningText(NamedTuple):
    id: int
    markdown: str
    version: int
    created_at: datetime
    person_id: int | None
    person: str | None
    paper_id: int | None
    paper: str | None
    slug: str | None
    topic: str | None
    question_id: int | None
    question: str | None
    key: str


def list_mentions(tx: Read, me: CurrentUser, target: Place, limit: int = MAX_SHOWN_ON_PAGE) -> TextMentionPage:
    """Return texts that link to the target, newest first, in a fixed number of statements."""
    parameters = {**_viewer_parameters(me), **_place_parameters(target), "keys": _keys(tx, target), "most": limit + 1}
    texts = _newest_first({subject: tx.rows(_linked_texts_query(subject), parameters) for subject in _NUMBERS})
    items = [
        _mention(me, subject, row, references_phrases.passage_around_key(row.markdown, row.key))
        for subject, row in texts[:limit]
    ]
    return TextMentionPage(items, len(texts) > limit)


def list_unlinked_mentions(tx: Read, me: CurrentUser, target: Place) -> TextMentionPage:
    """Return texts that name the target without linking to it, newest first.

    Candidates come from the search index and are then scanned, up to a limit of characters to bound the response time;
    beyond it, `more` is set.
    """
    phrases = list_phrases(tx, target)
    if not phrases:
        return TextMentionPage([], has_more=False)
    parameters = {**_viewer_parameters(me), **_place_parameters(target), "keys": _keys(tx, target), "most": LOOKED_AT}
    unlinked: list[TextMention] = []
    remaining_chars = MAX_PARSED_CHARS
    for subject, row in _newest_first(_find_candidate_texts(tx, phrases, parameters)):
        remaining_chars -= len(row.markdown)
        if remaining_chars < 0 or len(unlinked) > MAX_UNLINKED:
            break
        if passage := references_phrases.passage_around_words(row.markdown, phrases):
            unlinked.append(_mention(me, subject, row, passage))
    return TextMentionPage(unlinked[:MAX_UNLINKED], remaining_chars < 0 or len(unlinked) > MAX_UNLINKED)


def _newest_first(rows: Mapping[str, Iterable[Any]]) -> list[tuple[str, _MentioningText]]:
    """Merge the texts of all kinds, newest first, each with its kind."""
    texts = [(subject, _MentioningText._make(row)) for subject, text_rows in rows.items() for row in text_rows]
    return sorted(texts, key=lambda text: text[1].created_at, reverse=True)


def _find_candidate_texts(tx: Read, phrases: Sequence[Phrase], parameters: dict[str, Any]) -> dict[str, Iterable[Any]]:
    words = [phrase.text for phrase in phrases]
    lower_markdown = sa.func.lower(col(Topic.markdown))
    conditions = {
        "summary": _NUMBERS["summary"].in_(search.select_summaries_containing(tx, words)),
        "comment": _NUMBERS["comment"].in_(search.select_comments_containing(tx, words)),
        "topic": sa.or_(*(lower_markdown.contains(form, autoescape=True) for word in words for form in _forms(word))),
    }
    return {
        subject: tx.rows(_unlinked_texts_query(subject).where(condition), parameters)
        for subject, condition in conditions.items()
    }


def _forms(word: str) -> set[str]:
    """Return lower-case forms of a word, including SQLite's, which only folds ASCII letters."""
    ascii_lowered = {
        "".join(sign.lower() if sign.isascii() else sign for sign in form) for form in (word, word.upper())
    }
    return {word.lower(), *ascii_lowered}


def _mention(me: CurrentUser, subject: str, row: _MentioningText, passage: Passage) -> TextMention:
    title, location = _describe_text(subject, row)
    if subject == "topic":
        is_editable = has_permission(me, "edit")
    else:
        is_editable = row.person_id == me.id and has_permission(me, "keep" if subject == "summary" else "discuss")
    return TextMention(
        subject, row.id, title, location, row.person or "", row.created_at, row.version, passage, is_editable
    )


def _describe_text(subject: str, row: _MentioningText) -> tuple[str, str]:
    title = row.paper or row.topic or row.question or ""
    if subject == "summary":
        return title, f"/papers/{row.paper_id}#summary-{row.id}"
    return title, f"/comments/{row.id}" if subject == "comment" else f"/topics/{quote(row.slug or '')}"


def _keys(tx: Read, target: Place) -> list[str]:
    """Return reference keys that do not depend on the name: the identifiers of papers."""
    kind, number = target
    rows = tx.rows(_IDENTIFIERS, {"paper": number}) if kind == "paper" else ()
    return [f"{references.BY_REF}{row.scheme}:{row.value}" for row in rows]


def _place_parameters(target: Place) -> dict[str, int]:
    kind, number = target
    return {"paper": number if kind == "paper" else -1, "topic": number if kind == "topic" else -1}


def _viewer_parameters(me: CurrentUser) -> dict[str, Any]:
    return {"me": me.id, "hides": has_permission(me, "hide")}


_ME: Any = sa.bindparam("me", type_=sa.Integer())
_PAPER, _TOPIC = (sa.bindparam(name, type_=sa.Integer()) for name in ("paper", "topic"))
_IDENTIFIERS = sa.select(col(Identifier.scheme), col(Identifier.value)).where(col(Identifier.paper_id) == _PAPER)
_NUMBERS = {"summary": col(Summary.id), "comment": col(Comment.id), "topic": col(Topic.id)}
_NONE, _NO_NUMBER = sa.null(), sa.cast(sa.null(), sa.Integer())


def _leads_to_target(subject: str) -> sa.ColumnElement[bool]:
    """Return the condition for references in texts of this kind that lead to the target."""
    return sa.and_(
        col(TextReference.subject) == subject,
        sa.or_(
            col(TextReference.paper_id) == _PAPER,
            col(TextReference.topic_id) == _TOPIC,
            col(TextReference.key).in_(sa.bindparam("keys", expanding=True)),
        ),
    )


def _texts_of(subject: str) -> sa.Select[Any]:
    return {"summary": _summaries, "comment": _comments, "topic": _topics}[subject]()


@cache
def _linked_texts_query(subject: str) -> sa.Select[Any]:
    number, names = _NUMBERS[subject], sa.select(col(TextReference.subject_id)).where(_leads_to_target(subject))
    reference_key = sa.select(sa.func.min(col(TextReference.key))).where(
        _leads_to_target(subject), col(TextReference.subject_id) == number
    )
    return _texts_of(subject).add_columns(reference_key.scalar_subquery()).where(number.in_(names))


@cache
def _unlinked_texts_query(subject: str) -> sa.Select[Any]:
    number, names = _NUMBERS[subject], sa.select(col(TextReference.subject_id)).where(_leads_to_target(subject))
    return _texts_of(subject).add_columns(sa.literal("")).where(number.not_in(names))


def _summaries() -> sa.Select[Any]:
    columns: Iterable[Any] = (
        Summary.id, Summary.markdown, version_seen_by(_ME), Summary.updated_at, Summary.person_id, Person.name,
        Summary.paper_id, Paper.title, _NONE, _NONE, _NO_NUMBER, _NONE,
    )  # fmt: skip
    return (
        sa.select(*columns)
        .join(Person, col(Person.id) == col(Summary.person_id))
        .join(Paper, sa.and_(col(Paper.id) == col(Summary.paper_id), is_present(Paper)))
        .where(col(Summary.deleted_at).is_(None), shared_or_own(Summary, _ME), col(Summary.paper_id) != _PAPER)
        .order_by(col(Summary.updated_at).desc(), col(Summary.id).desc())
        .limit(sa.bindparam("most"))
    )


def _comments() -> sa.Select[Any]:
    columns: Iterable[Any] = (
        Comment.id, Comment.markdown, Comment.version, Comment.updated_at, Comment.person_id, Person.name,
        Comment.paper_id, Paper.title, Topic.slug, Topic.name, Question.id, Question.text,
    )  # fmt: skip
    is_readable = sa.or_(col(Comment.hidden_at).is_(None), col(Comment.person_id) == _ME, _HIDES)
    return (
        sa.select(*columns)
        .join(Person, col(Person.id) == col(Comment.person_id))
        .join(Paper, col(Paper.id) == col(Comment.paper_id), isouter=True)
        .join(Topic, col(Topic.id) == col(Comment.topic_id), isouter=True)
        .join(Question, col(Question.id) == col(Comment.question_id), isouter=True)
        .where(col(Comment.deleted_at).is_(None), is_readable)
        .where(sa.or_(col(Comment.paper_id).is_(None), is_present(Paper)))
        .where(
            sa.func.coalesce(col(Comment.paper_id), 0) != _PAPER, sa.func.coalesce(col(Comment.topic_id), 0) != _TOPIC
        )
        .order_by(col(Comment.updated_at).desc(), col(Comment.id).desc())
        .limit(sa.bindparam("most"))
    )


def _topics() -> sa.Select[Any]:
    columns: Iterable[Any] = (
        Topic.id, Topic.markdown, Topic.version, Topic.updated_at, _NO_NUMBER, _NONE, _NO_NUMBER, _NONE, Topic.slug,
        Topic.name, _NO_NUMBER, _NONE,
    )  # fmt: skip
    return (
        sa.select(*columns)
        .where(col(Topic.id) != _TOPIC)
        .order_by(col(Topic.updated_at).desc(), col(Topic.id).desc())
        .limit(sa.bindparam("most"))
    )


_HIDES: Any = sa.bindparam("hides", type_=sa.Boolean())
