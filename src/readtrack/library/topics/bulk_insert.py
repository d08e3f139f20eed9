"""Bulk insertion for imports: topics for the headings of notes, and papers into topics, in few statements."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.db import Read, Write
from readtrack.infra.models import PaperTopic, Topic, TopicAlias, TopicVersion
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.library.references.index import bind_names
from readtrack.library.topics.commands import free_slug, to_slug, to_topic_name

BATCH_SIZE = 500  # rows in one statement
_TOPICS: sa.Table = Topic.__table__  # type: ignore[attr-defined]
_ALIASES: sa.Table = TopicAlias.__table__  # type: ignore[attr-defined]
_VERSIONS: sa.Table = TopicVersion.__table__  # type: ignore[attr-defined]
_ADD = sa.insert(_TOPICS).returning(_TOPICS.c.id, sort_by_parameter_order=True)
_PUT_UNDER = sa.update(_TOPICS).where(_TOPICS.c.id == sa.bindparam("one")).values(parent_id=sa.bindparam("above"))


class TopicHeading(NamedTuple):
    """A heading that needs a topic.

    `ancestors`: the headings above it, outermost first; a new topic is placed under the nearest one.
    """

    name: str
    ancestors: Sequence[str] = ()


class HeadingTopic(NamedTuple):
    """The topic of a heading. `is_new`: created for this heading; later headings of the name find it."""

    id: int
    is_new: bool


class _NewTopic(NamedTuple):
    """A topic to add. `parent_key`: the key of its parent's name."""

    name: str
    parent_key: str | None


def find_or_add_topics(tx: Write, me: CurrentUser, headings: Sequence[TopicHeading]) -> list[HeadingTopic]:
    """Return the topic of each heading, as if they were processed in order. No heading may be blank.

    If another transaction adds one of the topics concurrently, the insert fails as a whole with IntegrityError.
    """
    permissions.require(me, "edit")
    keys = {
        name: normalize.key(to_topic_name(name))
        for heading_item in headings
        for name in (heading_item.name, *heading_item.ancestors)
    }
    ids_by_key = _find(tx, set(keys.values()))
    new_topics: dict[str, _NewTopic] = {}
    is_new_flags = []
    for heading in headings:
        key = keys[heading.name]
        is_new_flags.append(key not in ids_by_key and key not in new_topics)
        if is_new_flags[-1]:
            ancestor_keys = (keys[name] for name in reversed(heading.ancestors))
            new_topics[key] = _NewTopic(
                to_topic_name(heading.name),
                next(
                    (
                        ancestor_key
                        for ancestor_key in ancestor_keys
                        if ancestor_key in ids_by_key or ancestor_key in new_topics
                    ),
                    None,
                ),
            )
    ids_by_key |= _add(tx, me, new_topics, ids_by_key) if new_topics else {}
    return [
        HeadingTopic(ids_by_key[keys[heading.name]], is_new)
        for heading, is_new in zip(headings, is_new_flags, strict=True)
    ]


def _find(tx: Read, keys: Collection[str]) -> dict[str, int]:
    """Return topics by name key, including aliases."""
    sorted_keys, ids_by_key = sorted(keys), dict[str, int]()
    query = sa.select(col(TopicAlias.alias_key), col(TopicAlias.topic_id))
    for start in range(0, len(sorted_keys), BATCH_SIZE):
        batch_query = query.where(col(TopicAlias.alias_key).in_(sorted_keys[start : start + BATCH_SIZE]))
        ids_by_key.update((row.alias_key, row.topic_id) for row in tx.rows(batch_query))
    return ids_by_key


def _add(
    tx: Write, me: CurrentUser, new_topics: Mapping[str, _NewTopic], known_ids: Mapping[str, int]
) -> dict[str, int]:
    """Insert topics in order and return their ids by key."""
    connection = tx.connection()
    rows: list[dict[str, Any]] = [
        {"slug": slug, "name": topic.name, "created_by": me.id}
        for topic, slug in zip(
            new_topics.values(), _slugs(tx, [topic.name for topic in new_topics.values()]), strict=True
        )
    ]
    ids = dict(zip(new_topics, connection.execute(_ADD, rows).scalars(), strict=True))
    all_ids = {**known_ids, **ids}
    children = [
        {"one": ids[key], "above": all_ids[topic.parent_key]}
        for key, topic in new_topics.items()
        if topic.parent_key is not None
    ]
    if children:
        connection.execute(_PUT_UNDER, children)
    alias_rows = [
        {"topic_id": ids[key], "alias": topic.name, "alias_key": key, "is_canonical": True}
        for key, topic in new_topics.items()
    ]
    connection.execute(sa.insert(_ALIASES), alias_rows)
    version_values = {"number": 1, "markdown": "", "saved_by": me.id}
    versions = [
        {
            "topic_id": ids[key],
            "name": topic.name,
            "parent_id": all_ids[topic.parent_key] if topic.parent_key else None,
            **version_values,
        }
        for key, topic in new_topics.items()
    ]
    connection.execute(sa.insert(_VERSIONS), versions)
    bind_names(tx, [row["name"] for row in rows])
    events.record_events(tx, me, "topic.added", ((None, {"slug": row["slug"], "name": row["name"]}) for row in rows))
    return ids


def _slugs(tx: Write, names: Sequence[str]) -> list[str]:
    """Return a distinct unused slug for each name."""
    slugs = [to_slug(name) for name in names]
    taken_slugs = set[str]()
    for start in range(0, len(slugs), BATCH_SIZE):
        query = sa.select(col(Topic.slug)).where(col(Topic.slug).in_(slugs[start : start + BATCH_SIZE]))
        taken_slugs.update(row.slug for row in tx.rows(query))
    chosen = dict[str, None]()
    for name, slug in zip(names, slugs, strict=True):
        chosen[free_slug(tx, name, reserved=chosen) if slug in taken_slugs or slug in chosen else slug] = None
    return list(chosen)


def add_papers_to_topics(tx: Write, me: CurrentUser, assignments: Sequence[tuple[int, int]]) -> None:
    """Assign papers added in this transaction to topics.

    `assignments`: pairs of paper id and topic id; repetitions are ignored.
    """
    permissions.require(me, "edit")
    pairs = list(dict.fromkeys(assignments))
    if not pairs:
        return
    topics, slugs = sorted({topic_id for _, topic_id in pairs}), dict[int, str]()
    for start in range(0, len(topics), BATCH_SIZE):
        query = sa.select(col(Topic.id), col(Topic.slug)).where(col(Topic.id).in_(topics[start : start + BATCH_SIZE]))
        slugs.update((row.id, row.slug) for row in tx.rows(query))
    rows = [{"paper_id": paper_id, "topic_id": topic_id, "added_by": me.id} for paper_id, topic_id in pairs]
    tx.connection().execute(sa.insert(PaperTopic.__table__), rows)  # type: ignore[attr-defined]
    event_data = ((paper_id, {"slug": slugs[topic_id]}) for paper_id, topic_id in pairs)
    events.record_events(tx, me, "topic.linked", event_data)
    search.update_papers(tx, {paper_id for paper_id, _ in pairs})
