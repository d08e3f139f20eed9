"""Queries for old versions of topics."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Person, Topic, TopicVersion
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser


class TopicVersionRow(NamedTuple):
    """A saved version of a topic.

    `parent`: name of the parent topic if it still exists; `person`: who saved it, None if older than version history.
    """

    number: int
    name: str
    aliases: Sequence[str]
    parent: str | None
    markdown: str
    person: str | None
    saved_at: datetime


_above: Any = aliased(Topic)
_COLUMNS: Sequence[Any] = (TopicVersion.number, TopicVersion.name, TopicVersion.aliases, _above.name)
_FURTHER: Sequence[Any] = (TopicVersion.markdown, Person.name, TopicVersion.saved_at)


def list_topic_versions(tx: Read, _me: CurrentUser, slug: str, page_request: PageRequest) -> Page[TopicVersionRow]:
    """Return a page of versions, newest first. Raise NotFound if the topic does not exist."""
    query = _versions(_topic_id(tx, slug)).order_by(col(TopicVersion.number).desc())
    if page_request.after is not None:
        query = query.where(col(TopicVersion.number) < page_request.after[1])
    rows, has_more = split_page(tx.execute(query.limit(page_request.limit + 1)).all(), page_request.limit)
    versions = [TopicVersionRow(*row) for row in rows]
    return Page(versions, (None, versions[-1].number) if has_more else None)


def get_topic_version(tx: Read, me: CurrentUser, slug: str, number: int) -> TopicVersionRow:
    """Return a version. Raise NotFound."""
    topic_version = find_topic_version(tx, me, slug, number)
    if topic_version is None:
        raise NotFound(_("There is no version {number} of this topic.").format(number=number))
    return topic_version


def find_topic_version(tx: Read, _me: CurrentUser, slug: str, number: int) -> TopicVersionRow | None:
    """Return a version, or None. Raise NotFound if the topic does not exist."""
    query = _versions(_topic_id(tx, slug)).where(col(TopicVersion.number) == number)
    row = tx.execute(query).one_or_none()
    return TopicVersionRow(*row) if row else None


def find_topic_names(tx: Read, slugs: Iterable[str]) -> dict[str, str]:
    """Return the names of topics by slug."""
    query = sa.select(col(Topic.slug), col(Topic.name)).where(col(Topic.slug).in_(list(slugs)))
    return {row.slug: row.name for row in tx.execute(query)}


def _topic_id(tx: Read, slug: str) -> int:
    topic_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == slug))
    if topic_id is None:
        raise NotFound(_("There is no topic “{slug}”. Look at the list of topics, or add it there.").format(slug=slug))
    return topic_id


def _versions(topic_id: int) -> sa.Select[*tuple[Any, ...]]:
    query: sa.Select[*tuple[Any, ...]] = sa.select(*_COLUMNS, *_FURTHER)
    query = query.outerjoin(Person, col(Person.id) == col(TopicVersion.saved_by))
    query = query.outerjoin(_above, _above.id == col(TopicVersion.parent_id))
    return query.where(col(TopicVersion.topic_id) == topic_id)
