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
