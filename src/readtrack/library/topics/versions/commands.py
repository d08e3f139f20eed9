"""Saving of topics from an old version by a three-way merge; every text is kept in the history."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra.db import Write
from readtrack.infra.errors import StaleVersion
from readtrack.infra.models import Topic, TopicVersion
from readtrack.infra.permissions import CurrentUser, require
from readtrack.infra.text import normalize
from readtrack.infra.text.diff.merge3 import is_conflict, merge_texts, merge_value, merged_text
from readtrack.library.topics.commands import TopicUpdate, edit_topic, get_topic_for_update, to_edit_fields
from readtrack.library.topics.versions.queries import get_topic_version

NOTHING: Mapping[str, Any] = {"name": "", "aliases": (), "parent": None, "markdown": ""}


class TopicSaveResult(NamedTuple):
    """The result of saving.

    `met`: the concurrent version it was merged with; `already`: an earlier version with the same content, so nothing
    was saved; `aside`: saved to the history only.
    """

    topic: Topic
    met: int | None = None
    already: int | None = None
    aside: bool = False


def save_with_merge(tx: Write, me: CurrentUser, slug: str, edit: TopicUpdate, *, version: int) -> TopicSaveResult:
    """Save a topic edited from any version, merging it with changes made in the meantime.

    My edit becomes a version of its own first, then the merged one. Raise StaleVersion if both changed the same part.
    """
    try:
        return TopicSaveResult(edit_topic(tx, me, slug, edit, version=version))
    except StaleVersion as stale:
        topic = get_topic_for_update(tx, slug)
        already = _find_same_version(tx, topic, edit, since=version)
        if already is not None:
            return TopicSaveResult(topic, already=already)
        newer: Any = stale.current
        both = _merge_edits(newer, edit)
        if both is None:
            raise
    return TopicSaveResult(_both(tx, me, topic, edit, then=both), met=newer["version"])


def save_to_history(tx: Write, me: CurrentUser, slug: str, edit: TopicUpdate, *, version: int) -> Topic:
    """Save my edit to the history without changing the current content.

    Raise StaleVersion if the current version is not `version`.
    """
    topic = get_topic_for_update(tx, slug)
    there = TopicUpdate(**to_edit_fields(tx, topic))
    if topic.version != version:
        return edit_topic(tx, me, slug, edit, version=version)  # raises StaleVersion
    return _both(tx, me, topic, edit, then=there)


def restore_version(tx: Write, me: CurrentUser, slug: str, number: int) -> Topic:
    """Restore names and text of an old version; the parent is not changed."""
    require(me, "edit")
    topic = get_topic_for_update(tx, slug)
    old = get_topic_version(tx, me, slug, number)
    said = {"name": old.name, "aliases": old.aliases, "markdown": old.markdown}
    return edit_topic(tx, me, slug, TopicUpdate(**{**to_edit_fields(tx, topic), **said}), version=topic.version)


def _both(tx: Write, me: CurrentUser, topic: Topic, mine: TopicUpdate, *, then: TopicUpdate) -> Topic:
    edit_topic(tx, me, topic.slug, mine, version=topic.version)
    return edit_topic(tx, me, topic.slug, then, version=topic.version)


def _merge_edits(newer: Mapping[str, Any], mine: TopicUpdate) -> TopicUpdate | None:
    """Merge two edits; None if they conflict or exceed the limits together."""
    base = newer["base"] or NOTHING
    said = {field: (base[field], newer[field], getattr(mine, field)) for field in ("name", "parent", "markdown")}
    text = merged_text(merge_texts(*said["markdown"]))
    if text is None or is_conflict(*said["name"]) or is_conflict(*said["parent"]):
        return None
    aliases = merge_names(base["aliases"], newer["aliases"], mine.names[1:])
    whole = {field: merge_value(*said[field]) for field in ("name", "parent")}
    try:
        return TopicUpdate(**whole, aliases=aliases, markdown=text)
    except ValidationError:
        return None


def merge_names(base: Sequence[str], theirs: Sequence[str], mine: Sequence[str]) -> list[str]:
    """Merge lists of aliases: theirs without those I removed, plus those I added."""
    had, kept = {*map(normalize.key, base)}, {*map(normalize.key, mine)}
    added = [alias for alias in mine if normalize.key(alias) not in had]
    return [*(alias for alias in theirs if normalize.key(alias) in kept or normalize.key(alias) not in had), *added]


def _find_same_version(tx: Write, topic: Topic, edit: TopicUpdate, *, since: int) -> int | None:
    """Return the latest version with identical content: the request was repeated or changed nothing."""
    parent_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == edit.parent))
    mine = (col(TopicVersion.topic_id) == topic.id, col(TopicVersion.number) >= since)
    alike = (col(TopicVersion.name) == edit.name, col(TopicVersion.markdown) == edit.markdown)
    rows = tx.execute(
        sa.select(col(TopicVersion.number), col(TopicVersion.aliases), col(TopicVersion.parent_id))
        .where(*mine, *alike)
        .order_by(col(TopicVersion.number).desc())
    )
    return next((row.number for row in rows if (row.aliases, row.parent_id) == (edit.names[1:], parent_id)), None)
