"""Loading of translated titles, comments, questions and relations, for formats that hold them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Comment, Identifier, Paper, Person, Question, Relation, TranslatedTitle
from readtrack.infra.permissions import is_present
from readtrack.workspace.export.formats import (
    ExportComment,
    ExportPaper,
    ExportQuestion,
    ExportRelation,
    ExportReply,
    ExportTitle,
)

_COMMENT_COLUMNS: Sequence[Any] = (
    *(Comment.id, Comment.parent_id, Comment.paper_id, Comment.question_id),
    *(Comment.markdown, Comment.created_at, Comment.resolved_at),
)


def add_discussions(tx: Read, papers: Sequence[ExportPaper]) -> list[ExportPaper]:
    """Return the papers with their translated titles, relations, comments and questions.

    Deleted and hidden comments are left out.
    """
    ids = [paper.id for paper in papers]
    titles, relations, questions = _find_titles(tx, ids), _find_relations(tx, ids), _find_questions(tx, ids)
    question_ids = [row.id for rows in questions.values() for row in rows]
    answer_ids = {row.answer_id for rows in questions.values() for row in rows if row.answer_id}
    of_papers = _find_threads(tx, col(Comment.paper_id), ids, answer_ids)
    of_questions = _find_threads(tx, col(Comment.question_id), question_ids, answer_ids)
    return [
        replace(
            paper,
            titles=tuple(titles.get(paper.id, ())),
            relations=tuple(relations.get(paper.id, ())),
            comments=tuple(of_papers.get(paper.id, ())),
            questions=tuple(
                ExportQuestion(
                    row.person or "", row.text, row.state, row.created_at, tuple(of_questions.get(row.id, ()))
                )
                for row in questions.get(paper.id, ())
            ),
        )
        for paper in papers
    ]


def _find_titles(tx: Read, paper_ids: Sequence[int]) -> Mapping[int, list[ExportTitle]]:
    columns: Sequence[Any] = (
        *(TranslatedTitle.paper_id, TranslatedTitle.language),
        *(TranslatedTitle.title, TranslatedTitle.machine),
    )
    query = sa.select(*map(col, columns)).where(col(TranslatedTitle.paper_id).in_(paper_ids))
    rows = tx.execute(query.order_by(col(TranslatedTitle.language)))
    return _group((row.paper_id, ExportTitle(row.language, row.title, bool(row.machine))) for row in rows)


def _find_relations(tx: Read, paper_ids: Sequence[int]) -> Mapping[int, list[ExportRelation]]:
    columns: Sequence[Any] = (Relation.from_id, Relation.to_id, Relation.kind, Relation.note)
    query = sa.select(*map(col, columns)).join(Paper, sa.and_(col(Paper.id) == col(Relation.to_id), is_present(Paper)))
    rows = tx.execute(query.where(col(Relation.from_id).in_(paper_ids)).order_by(col(Relation.id))).all()
    identifiers = _find_first_identifiers(tx, sorted({row.to_id for row in rows}))
    return _group(
        (row.from_id, ExportRelation(row.kind, row.to_id, identifiers.get(row.to_id, ""), row.note)) for row in rows
    )


def _find_first_identifiers(tx: Read, paper_ids: Sequence[int]) -> dict[int, str]:
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    rows = tx.execute(query.where(col(Identifier.paper_id).in_(paper_ids)).order_by(col(Identifier.id).desc()))
    return {row.paper_id: f"{row.scheme}:{row.value}" for row in rows}


def _find_questions(tx: Read, paper_ids: Sequence[int]) -> Mapping[int, list[sa.Row[Any]]]:
    columns: Sequence[Any] = (
        *(Question.id, Question.paper_id, Question.text),
        *(Question.state, Question.answer_id, Question.created_at),
    )
    query = sa.select(*map(col, columns), col(Person.name).label("person"))
    query = query.join(Person, col(Person.id) == col(Question.created_by), isouter=True)
    rows = tx.execute(query.where(col(Question.paper_id).in_(paper_ids)).order_by(col(Question.id)))
    return _group((row.paper_id, row) for row in rows)


def _find_threads(
    tx: Read, subject: sa.orm.Mapped[int | None], ids: Sequence[int], answer_ids: set[int]
) -> Mapping[int, list[ExportComment]]:
    """Return the threads of papers or questions. A reply to a comment that is left out begins a thread."""
    query = sa.select(subject.label("subject"), *map(col, _COMMENT_COLUMNS), col(Person.name).label("person"))
    query = query.join(Person, col(Person.id) == col(Comment.person_id)).where(
        subject.in_(ids),
        col(Comment.deleted_at).is_(None),
        col(Comment.hidden_at).is_(None),  # in a file it would come back visible
    )
    rows = tx.execute(query.order_by(col(Comment.id))).all()
    shown_ids = {row.id for row in rows}
    replies = _group((row.parent_id, row) for row in rows if row.parent_id in shown_ids)
    return _group(
        (
            row.subject,
            ExportComment(
                row.person,
                row.markdown,
                row.created_at,
                row.id in answer_ids,
                row.resolved_at is not None,
                tuple(
                    ExportReply(reply.person, reply.markdown, reply.created_at, reply.id in answer_ids)
                    for reply in replies.get(row.id, ())
                ),
            ),
        )
        for row in rows
        if row.parent_id not in shown_ids
    )


def _group(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    groups = defaultdict[Any, list[Any]](list)
    for key, value in pairs:
        groups[key].append(value)
    return groups
