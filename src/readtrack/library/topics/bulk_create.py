"""Bulk lookup and creation of topics for the headings of notes, in a fixed number of statements."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.db import Read, Write
from readtrack.infra.models import Topic, TopicAlias, TopicVersion
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.library.references.index import bind_names
from readtrack.library.topics.commands import free_slug, to_slug, to_topic_name

AT_ONCE = 500  # names in one statement
_TOPICS: sa.Table = Topic.__table__  # type: ignore[attr-defined]
_ALIASES: sa.Table = TopicAlias.__table__  # type: ignore[attr-defined]
_VERSIONS: sa.Table = TopicVersion.__table__  # type: ignore[attr-defined]
_ADD = sa.insert(_TOPICS).returning(_TOPICS.c.id, sort_by_parameter_order=True)
_PUT_UNDER = sa.update(_TOPICS).where(_TOPICS.c.id == sa.bindparam("one")).values(parent_id=sa.bindparam("above"))


class TopicHeading(NamedTuple):
    """A heading that needs a topic.

    `above`: the headings above it, outermost first; a new topic is placed under the nearest one.
    """

    name: str
    above: Sequence[str] = ()


class HeadingTopic(NamedTuple):
    """The topic of a heading. `made`: created for this heading; later headings of the name find it."""

    id: int
    made: bool


class _NewTopic(NamedTuple):
    """A topic to add. `above`: the key of its parent's name."""

    name: str
    above: str | None


def find_or_add_topics(tx: Write, me: CurrentUser, headings: Sequence[TopicHeading]) -> list[HeadingTopic]:
    """Return the topic of each heading, as if they were processed in order. No heading may be blank.

    If another transaction adds one of the topics concurrently, the insert fails as a whole with IntegrityError.
    """
    permissions.require(me, "edit")
    keys = {name: normalize.key(to_topic_name(name)) for each in headings for name in (each.name, *each.above)}
    here = _find(tx, set(keys.values()))
    new: dict[str, _NewTopic] = {}
    made = []
    for heading in headings:
        key = keys[heading.name]
        made.append(key not in here and key not in new)
        if made[-1]:
            above = (keys[name] for name in reversed(heading.above))
            new[key] = _NewTopic(
                to_topic_name(heading.name), next((one for one in above if one in here or one in new), None)
            )
    here |= _add(tx, me, new, here) if new else {}
    return [HeadingTopic(here[keys[heading.name]], first) for heading, first in zip(headings, made, strict=True)]


def _find(tx: Read, keys: Collection[str]) -> dict[str, int]:
    """Return topics by name key, including aliases."""
    asked, found = sorted(keys), dict[str, int]()
    here = sa.select(col(TopicAlias.alias_key), col(TopicAlias.topic_id))
    for start in range(0, len(asked), AT_ONCE):
        these = here.where(col(TopicAlias.alias_key).in_(asked[start : start + AT_ONCE]))
        found.update((row.alias_key, row.topic_id) for row in tx.rows(these))
    return found


def _add(tx: Write, me: CurrentUser, new: Mapping[str, _NewTopic], here: Mapping[str, int]) -> dict[str, int]:
    """Insert topics in order and return their ids by key."""
    to = tx.connection()
    rows: list[dict[str, Any]] = [
        {"slug": slug, "name": one.name, "created_by": me.id}
        for one, slug in zip(new.values(), _slugs(tx, [one.name for one in new.values()]), strict=True)
    ]
    ids = dict(zip(new, to.execute(_ADD, rows).scalars(), strict=True))
    places = {**here, **ids}
    lower = [{"one": ids[key], "above": places[one.above]} for key, one in new.items() if one.above is not None]
    if lower:
        to.execute(_PUT_UNDER, lower)
    own = [
        {"topic_id": ids[key], "alias": one.name, "alias_key": key, "is_canonical": True} for key, one in new.items()
    ]
    to.execute(sa.insert(_ALIASES), own)
    said = {"number": 1, "markdown": "", "saved_by": me.id}
    versions = [
        {"topic_id": ids[key], "name": one.name, "parent_id": places[one.above] if one.above else None, **said}
        for key, one in new.items()
    ]
    to.execute(sa.insert(_VERSIONS), versions)
    bind_names(tx, [row["name"] for row in rows])
    events.record_events(tx, me, "topic.added", ((None, {"slug": row["slug"], "name": row["name"]}) for row in rows))
    return ids


def _slugs(tx: Write, wanted: Sequence[str]) -> list[str]:
    """Return a distinct unused slug for each name."""
    plain = [to_slug(name) for name in wanted]
    taken = set[str]()
    for start in range(0, len(plain), AT_ONCE):
        here = sa.select(col(Topic.slug)).where(col(Topic.slug).in_(plain[start : start + AT_ONCE]))
        taken.update(row.slug for row in tx.rows(here))
    given = dict[str, None]()
    for name, slug in zip(wanted, plain, strict=True):
        given[free_slug(tx, name, besides=given) if slug in taken or slug in given else slug] = None
    return list(given)
