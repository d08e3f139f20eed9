"""Queries on drafts of the current user."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Draft, Paper, Topic
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.reading.drafts.commands import MAX_DRAFTS, DraftSubject
from readtrack.reading.paper_facts import labels_of

EXCERPT_CHARS = 140  # characters of a draft in a list


class DraftRow(NamedTuple):
    """The draft of a window."""

    id: int
    subject: str
    subject_id: int
    tab: str
    number: int
    version: int | None
    fields: Mapping[str, str]
    saved_at: datetime
    title: str  # of the paper or topic
    slug: str | None  # of the topic

    @property
    def address(self) -> str:
        """The address of the editor that continues the draft."""
        path = f"/topics/{self.slug}" if self.subject == "topic" else f"/papers/{self.subject_id}/summary"
        return f"{path}/edit?draft={self.id}"

    @property
    def beginning(self) -> str:
        """The first words on one line."""
        text = " ".join((self.fields.get("markdown") or self.fields.get("tldr") or "").split())
        return text if len(text) <= EXCERPT_CHARS else f"{text[: EXCERPT_CHARS - 1].rstrip()}…"


def list_drafts(tx: Read, me: CurrentUser, *, limit: int = MAX_DRAFTS) -> list[DraftRow]:
    """List the user's drafts of existing papers and topics, newest first."""
    return _rows(tx, _MINE, {"me": me.id, "most": limit})


def list_drafts_of(tx: Read, me: CurrentUser, subject: DraftSubject, *, limit: int = MAX_DRAFTS) -> list[DraftRow]:
    """List the user's drafts of one text, newest first."""
    return _rows(tx, _OF, {"me": me.id, "subject": subject.subject, "subject_id": subject.id, "most": limit})


def get_draft(tx: Read, me: CurrentUser, draft_id: int) -> DraftRow:
    """Return one of the user's drafts. Raise NotFound for any other."""
    rows = _rows(tx, _ONE, {"me": me.id, "id": draft_id})
    if not rows:
        raise NotFound(_("Draft {number} not found.").format(number=draft_id))
    return rows[0]


def _rows(tx: Read, query: sa.Select[*tuple[Any, ...]], parameters: Mapping[str, Any]) -> list[DraftRow]:
    rows = [DraftRow(*row) for row in tx.rows(query, parameters)]
    labels = labels_of(tx, sorted({row.subject_id for row in rows if not row.title}))
    return [row._replace(title=row.title or labels.get(row.subject_id, "")) for row in rows]


def _drafts_query() -> sa.Select[*tuple[Any, ...]]:
    columns: list[Any] = [Draft.id, Draft.subject, Draft.subject_id, Draft.tab, Draft.number, Draft.version]
    columns += [Draft.fields, Draft.saved_at]
    subject_columns: list[Any] = [sa.func.coalesce(col(Topic.name), col(Paper.title)).label("title"), col(Topic.slug)]
    is_of_paper = sa.and_(col(Draft.subject) == "summary", col(Paper.id) == col(Draft.subject_id), is_present(Paper))
    is_of_topic = sa.and_(col(Draft.subject) == "topic", col(Topic.id) == col(Draft.subject_id))
    query: sa.Select[*tuple[Any, ...]] = (
        sa.select(*map(col, columns), *subject_columns)
        .join(Paper, is_of_paper, isouter=True)
        .join(Topic, is_of_topic, isouter=True)
        .where(col(Draft.person_id) == sa.bindparam("me"))
        .where(sa.or_(col(Paper.id).is_not(None), col(Topic.id).is_not(None)))
        .order_by(col(Draft.saved_at).desc(), col(Draft.id).desc())
    )
    return query


_MINE = _drafts_query().limit(sa.bindparam("most"))
_OF = _MINE.where(col(Draft.subject) == sa.bindparam("subject"), col(Draft.subject_id) == sa.bindparam("subject_id"))
_ONE = _drafts_query().where(col(Draft.id) == sa.bindparam("id"))
