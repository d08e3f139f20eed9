"""Old versions of topics: list them, restore one, and save an edit of one by a three-way merge.

Every text is kept in the history.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Person, Topic, TopicVersion
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, require
from readtrack.infra.text import normalize
from readtrack.infra.text.diff import is_conflict, merge_texts, merge_value, merged_text
from readtrack.library.topics.commands import TopicUpdate, edit_topic, get_topic_for_update, to_edit_fields

_FURTHER: Sequence[Any] = (TopicVersion.markdown, Person.name, TopicVersion.saved_at)
NOTHING: Mapping[str, Any] = {"name": "", "aliases": (), "parent": None, "markdown": ""}


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
        raise NotFound(_("Version {number} not found.").format(number=number))
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
        raise NotFound(_("Topic “{slug}” not found.").format(slug=slug))
    return topic_id


def _versions(topic_id: int) -> sa.Select[*tuple[Any, ...]]:
    query: sa.Select[*tuple[Any, ...]] = sa.select(*_COLUMNS, *_FURTHER)
    query = query.outerjoin(Person, col(Person.id) == col(TopicVersion.saved_by))
    query = query.outerjoin(_above, _above.id == col(TopicVersion.parent_id))
    return query.where(col(TopicVersion.topic_id) == topic_id)


class TopicSaveResult(NamedTuple):
    """The result of saving.

    `merged_version`: the concurrent version it was merged with; `identical_version`: an earlier version with the same
    content, so nothing was saved; `is_history_only`: saved to the history only.
    """

    topic: Topic
    merged_version: int | None = None
    identical_version: int | None = None
    is_history_only: bool = False


def save_with_merge(tx: Write, me: CurrentUser, slug: str, edit: TopicUpdate, *, version: int) -> TopicSaveResult:
    """Save a topic edited from any version, merging it with changes made in the meantime.

    My edit becomes a version of its own first, then the merged one. Raise StaleVersion if both changed the same part.
    """
    try:
        return TopicSaveResult(edit_topic(tx, me, slug, edit, version=version))
    except StaleVersion as error:
        topic = get_topic_for_update(tx, slug)
        saved_number = _find_same_version(tx, topic, edit, from_number=version)
        if saved_number is not None:
            return TopicSaveResult(topic, identical_version=saved_number)
        current: Any = error.current
        merged = _merge_edits(current, edit)
        if merged is None:
            raise
    return TopicSaveResult(_both(tx, me, topic, edit, final_edit=merged), merged_version=current["version"])


def save_to_history(tx: Write, me: CurrentUser, slug: str, edit: TopicUpdate, *, version: int) -> Topic:
    """Save my edit to the history without changing the current content.

    Raise StaleVersion if the current version is not `version`.
    """
    topic = get_topic_for_update(tx, slug)
    current = TopicUpdate(**to_edit_fields(tx, topic))
    if topic.version != version:
        return edit_topic(tx, me, slug, edit, version=version)  # raises StaleVersion
    return _both(tx, me, topic, edit, final_edit=current)


def restore_version(tx: Write, me: CurrentUser, slug: str, number: int) -> Topic:
    """Restore names and text of an old version; the parent is not changed."""
    require(me, "edit")
    topic = get_topic_for_update(tx, slug)
    old_version = get_topic_version(tx, me, slug, number)
    fields = {"name": old_version.name, "aliases": old_version.aliases, "markdown": old_version.markdown}
    return edit_topic(tx, me, slug, TopicUpdate(**{**to_edit_fields(tx, topic), **fields}), version=topic.version)


def _both(tx: Write, me: CurrentUser, topic: Topic, own_edit: TopicUpdate, *, final_edit: TopicUpdate) -> Topic:
    edit_topic(tx, me, topic.slug, own_edit, version=topic.version)
    return edit_topic(tx, me, topic.slug, final_edit, version=topic.version)


def _merge_edits(current: Mapping[str, Any], own_edit: TopicUpdate) -> TopicUpdate | None:
    """Merge two edits; None if they conflict or exceed the limits together."""
    base = current["base"] or NOTHING
    values = {
        field: (base[field], current[field], getattr(own_edit, field)) for field in ("name", "parent", "markdown")
    }
    text = merged_text(merge_texts(*values["markdown"]))
    if text is None or is_conflict(*values["name"]) or is_conflict(*values["parent"]):
        return None
    aliases = merge_names(base["aliases"], current["aliases"], own_edit.names[1:])
    merged = {field: merge_value(*values[field]) for field in ("name", "parent")}
    try:
        return TopicUpdate(**merged, aliases=aliases, markdown=text)
    except ValidationError:
        return None


def merge_names(base: Sequence[str], theirs: Sequence[str], mine: Sequence[str]) -> list[str]:
    """Merge lists of aliases: theirs without those I removed, plus those I added."""
    base_keys, own_keys = {*map(normalize.key, base)}, {*map(normalize.key, mine)}
    added = [alias for alias in mine if normalize.key(alias) not in base_keys]
    return [
        *(alias for alias in theirs if normalize.key(alias) in own_keys or normalize.key(alias) not in base_keys),
        *added,
    ]


def _find_same_version(tx: Write, topic: Topic, edit: TopicUpdate, *, from_number: int) -> int | None:
    """Return the latest version with identical content: the request was repeated or changed nothing."""
    parent_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == edit.parent))
    conditions = (col(TopicVersion.topic_id) == topic.id, col(TopicVersion.number) >= from_number)
    same_content = (col(TopicVersion.name) == edit.name, col(TopicVersion.markdown) == edit.markdown)
    rows = tx.execute(
        sa.select(col(TopicVersion.number), col(TopicVersion.aliases), col(TopicVersion.parent_id))
        .where(*conditions, *same_content)
        .order_by(col(TopicVersion.number).desc())
    )
    return next((row.number for row in rows if (row.aliases, row.parent_id) == (edit.names[1:], parent_id)), None)
