"""Commands for topics: add, edit, and assign papers to them. Every version is stored."""

from collections.abc import Collection, Iterable, Mapping
from itertools import count
from types import MappingProxyType
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack import search
from readtrack.infra import action_quotas, events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, FieldError, Invalid, NotFound, StaleVersion, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import PaperTopic, Topic, TopicAlias, TopicVersion
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.saved_texts import text_saved
from readtrack.infra.text import normalize
from readtrack.infra.validation import Markdown, OneLine, TrimmedModel
from readtrack.library.references.index import bind_names
from readtrack.library.topics import queries
from readtrack.library.topics.queries import find_aliases

MAX_NAME_CHARS = 120
MAX_ALIASES = 50
MAX_SLUG_CHARS = 80
NEW: Mapping[str, Any] = MappingProxyType({})
MAX_ATTEMPTS = 5  # attempts, as others may add topics concurrently


def save_version(tx: Write, me: CurrentUser, topic: Topic) -> None:
    """Save the current state as a version.

    Call this for new topics and whenever the version increases.
    """
    tx.flush()
    topic_id = topic.id or 0
    tx.add(
        TopicVersion(
            topic_id=topic_id,
            number=topic.version,
            name=topic.name,
            aliases=list(find_aliases(tx, [topic_id]).get(topic_id, [])),
            markdown=topic.markdown,
            parent_id=topic.parent_id,
            saved_by=me.id,
            saved_at=topic.updated_at,
        )
    )


def delete_versions(tx: Write, topic_ids: Iterable[int]) -> None:
    """Delete the history of topics that are gone for good."""
    statement = sa.delete(TopicVersion).where(col(TopicVersion.topic_id).in_(list(topic_ids)))
    tx.bulk_execute(statement)


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS), OneLine]


class TopicCreate(TrimmedModel):
    """A new topic: name, aliases in any language, slug of the parent topic, description."""

    name: Name
    aliases: Annotated[list[Name], Field(max_length=MAX_ALIASES)] = Field(default_factory=list)
    parent: str | None = None
    markdown: Markdown = ""

    @property
    def names(self) -> list[str]:
        """All names without repetition, the main one first."""
        return list({normalize.key(name): name for name in (*reversed(self.aliases), self.name)}.values())[::-1]


class TopicUpdate(TopicCreate):
    """The edited topic; replaces every field, so an omitted one becomes empty."""


def add_topic(tx: Write, me: CurrentUser, data: TopicCreate, *, fixed_fields: Mapping[str, Any] = NEW) -> Topic:
    """Add a topic. Raise Conflict if one of its names is taken.

    `fixed_fields`: id and version of a topic that is being restored.
    """
    permissions.require(me, "edit")
    action_quotas.require(tx, me, "topic.added")
    require_free_names(tx, data.names, None)
    return _add(tx, me, data, _parent_id(tx, data.parent, None), fixed_fields=fixed_fields)


def get_or_add_topic(tx: Write, me: CurrentUser, name: str) -> int:
    """Return the topic with this name or alias, added if new.

    Unlike imports, this counts towards the quota.
    """
    permissions.require(me, "edit")
    topic_id = queries.find_id(tx, _parse_topic_name(name).name)
    if topic_id is not None:
        return topic_id
    action_quotas.require(tx, me, "topic.added")
    return find_or_add_topic(tx, me, name)


def find_or_add_topic(tx: Write, me: CurrentUser, name: str, *, parent_id: int | None = None) -> int:
    """Return the topic with this name or alias, or add one under the parent.

    Concurrent calls return the same topic. An existing topic keeps its parent.
    """
    permissions.require(me, "edit")
    data = _parse_topic_name(name)
    for _attempt in range(MAX_ATTEMPTS):
        topic_id = queries.find_id(tx, data.name)
        if topic_id is not None:
            return topic_id
        try:
            with tx.begin_nested():
                return _add(tx, me, data, parent_id).id or 0
        except IntegrityError:  # a concurrent transaction took this name or slug
            continue
    message = _("Couldn't add topic “{name}”. Try again.").format(name=data.name)
    raise Conflict(message)


def add_aliases(tx: Write, me: CurrentUser, topic_id: int, aliases: Iterable[str]) -> list[queries.TopicNameConflict]:
    """Add aliases to a topic; return those that other topics have."""
    permissions.require(me, "edit")
    topic = tx.get_one(Topic, topic_id, with_for_update=True)
    aliases_by_key = {normalize.key(alias.name): alias for alias in map(_parse_topic_name, aliases)}
    conflicts = queries.find_name_conflicts(tx, [alias.name for alias in aliases_by_key.values()])
    free_aliases = [
        alias
        for key, alias in aliases_by_key.items()
        if key not in {normalize.key(conflict.alias) for conflict in conflicts}
    ]
    for alias in free_aliases:
        tx.add(TopicAlias(topic_id=topic_id, alias=alias.name, alias_key=normalize.key(alias.name)))
        tx.flush()  # one by one, because aliases are shown in the order of their ids
    if free_aliases:
        bind_names(tx, [alias.name for alias in free_aliases])
        data = {"slug": topic.slug, "name": topic.name, "version": topic.version}
        events.record_event(tx, me, "topic.edited", data=data, before={"markdown": topic.markdown})
        topic.version, topic.updated_at = topic.version + 1, now()
        save_version(tx, me, topic)
        search.update_papers(tx, list_topic_paper_ids(tx, topic))
    return [conflict for conflict in conflicts if conflict.topic_id != topic_id]


def edit_topic(tx: Write, me: CurrentUser, slug: str, edit: TopicUpdate, *, version: int) -> Topic:
    """Replace names, parent and text of a topic; the slug stays.

    Raise StaleVersion if it was saved in the meantime. Each version is kept. An edit without changes creates none.
    """
    permissions.require(me, "edit")
    topic = get_topic_for_update(tx, slug)
    if topic.version != version:
        raise _build_stale_error(tx, topic, version)
    require_free_names(tx, edit.names, topic.id)
    parent_id = _parent_id(tx, edit.parent, topic.id)
    names_changed = edit.names != [topic.name, *queries.find_aliases(tx, [topic.id or 0]).get(topic.id or 0, [])]
    if not names_changed and (topic.markdown, topic.parent_id) == (edit.markdown, parent_id):
        return topic
    data = {"slug": slug, "name": edit.name, "version": version}
    old_values, new_values = topic_event_data(topic), {"name": edit.name, "markdown": edit.markdown}
    events.record_event(tx, me, "topic.edited", data=data, before=old_values, after=new_values)
    topic.name, topic.markdown, topic.parent_id = edit.name, edit.markdown, parent_id
    topic.version, topic.updated_at = version + 1, now()
    if names_changed:
        tx.execute(sa.delete(TopicAlias).where(col(TopicAlias.topic_id) == topic.id))
        _add_names(tx, topic, edit)
        search.update_papers(tx, list_topic_paper_ids(tx, topic))
    save_version(tx, me, topic)
    text_saved(tx, "topic", [topic.id or 0])
    return topic


def link_topic(tx: Write, me: CurrentUser, paper_id: int, topic: int | str) -> None:
    """Assign a paper to a topic given by id or slug. Do nothing if it is assigned already."""
    permissions.require(me, "edit")
    permissions.lock_present_paper(tx, paper_id)
    topic_id, slug = _named_topic(tx, topic)
    if tx.get(PaperTopic, (paper_id, topic_id)) is not None:
        return
    try:
        with tx.begin_nested():
            tx.add(PaperTopic(paper_id=paper_id, topic_id=topic_id, added_by=me.id))
    except IntegrityError:  # a concurrent transaction did the same or deleted the topic
        _named_topic(tx, slug)
        return
    events.record_event(tx, me, "topic.linked", paper_id=paper_id, data={"slug": slug})
    search.update_papers(tx, [paper_id])


def unlink_topic(tx: Write, me: CurrentUser, paper_id: int, topic: int | str) -> PaperTopic | None:
    """Remove a paper from a topic; return the removed assignment, or None."""
    permissions.require(me, "edit")
    permissions.lock_present_paper(tx, paper_id)
    topic_id, slug = _named_topic(tx, topic)
    # Locked, so that only one of two concurrent removals succeeds
    link = tx.get(PaperTopic, (paper_id, topic_id), with_for_update=True)
    if link is not None:
        tx.delete(link)
        events.record_event(tx, me, "topic.unlinked", paper_id=paper_id, data={"slug": slug})
        search.update_papers(tx, [paper_id])
    return link


def get_topic_for_update(tx: Write, slug: str) -> Topic:
    """Return the topic and lock it for update; texts may still refer to it. Raise NotFound."""
    return _get_locked_topic(tx, slug, sa.select(Topic).with_for_update(key_share=True))


def get_topic_for_deletion(tx: Write, slug: str) -> Topic:
    """Return the topic and lock it for deletion, so that new references to it wait. Raise NotFound."""
    return _get_locked_topic(tx, slug, sa.select(Topic).with_for_update())


def _get_locked_topic(tx: Write, slug: str, topics: sa.Select[Topic]) -> Topic:
    query = topics.where(col(Topic.slug) == slug)
    topic = tx.scalar(query.execution_options(populate_existing=True))
    if topic is None:
        raise _not_found(slug)
    return topic


def list_topic_paper_ids(tx: Write, topic: Topic) -> list[int]:
    """Return the papers assigned to the topic itself."""
    return list(tx.scalars(sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == topic.id)))


def _parse_topic_name(name: str) -> TopicCreate:
    line = to_topic_name(name)
    if not line:
        detail = _("Enter a topic name.")
        raise invalid_field("/name", "missing", detail)
    return TopicCreate(name=line)


def to_topic_name(heading: str) -> str:
    """Return a heading as a topic name, truncated to the maximum length; "" if it has no text."""
    line = " ".join(normalize.clean(heading).split())
    return line if len(line) <= MAX_NAME_CHARS else f"{line[: MAX_NAME_CHARS - 1].rstrip()}…"


def _add(
    tx: Write, me: CurrentUser, data: TopicCreate, parent_id: int | None, *, fixed_fields: Mapping[str, Any] = NEW
) -> Topic:
    topic = Topic(
        **fixed_fields,
        slug=free_slug(tx, data.name),
        name=data.name,
        parent_id=parent_id,
        markdown=data.markdown,
        created_by=me.id,
    )
    tx.add(topic)
    tx.flush()
    _add_names(tx, topic, data)
    save_version(tx, me, topic)
    text_saved(tx, "topic", [topic.id or 0])
    events.record_event(tx, me, "topic.added", data={"slug": topic.slug, "name": topic.name})
    return topic


def _add_names(tx: Write, topic: Topic, data: TopicCreate) -> None:
    for position, name in enumerate(data.names):
        tx.add(
            TopicAlias(topic_id=topic.id or 0, alias=name, alias_key=normalize.key(name), is_canonical=position == 0)
        )
        tx.flush()  # one by one, because aliases are shown in the order of their ids
    bind_names(tx, [topic.slug, *data.names])


def to_slug(name: str) -> str:
    """Return the slug for a name, which may be taken."""
    return normalize.slug(name)[:MAX_SLUG_CHARS].rstrip("-_")


def free_slug(tx: Write, name: str, *, reserved: Collection[str] = ()) -> str:
    """Return an unused slug: `checkpointing`, else `checkpointing-2` and so on.

    `reserved`: slugs that are about to be used.
    """
    slug = to_slug(name)
    has_same_prefix = sa.or_(col(Topic.slug) == slug, col(Topic.slug).startswith(f"{slug}-", autoescape=True))
    taken_slugs = {*reserved, *tx.scalars(sa.select(col(Topic.slug)).where(has_same_prefix))}
    return next(
        candidate
        for number in count(1)
        if (candidate := slug if number == 1 else f"{slug}-{number}") not in taken_slugs
    )


def _parent_id(tx: Write, slug: str | None, topic_id: int | None) -> int | None:
    """Return the parent's id. Raise Invalid if it does not exist or is below the topic itself."""
    if not slug:
        return None
    parent_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == slug))
    if topic_id is not None:
        _lock_ancestors(tx, parent_id)
    if problem := queries.parent_problem(tx, slug, topic_id):
        raise Invalid(problem, [FieldError("/parent", "bad-parent", problem)])
    return parent_id


def _lock_ancestors(tx: Write, topic_id: int | None) -> None:
    """Lock a topic and its ancestors, so that concurrent moves cannot create a cycle."""
    ancestor_ids = [row.id for row in queries.list_ancestors(tx, topic_id)]
    query = sa.select(col(Topic.id)).where(col(Topic.id).in_(ancestor_ids)).order_by(col(Topic.id))
    tx.execute(query.with_for_update(key_share=True))


def require_free_names(tx: Write, names: Iterable[str], topic_id: int | None) -> None:
    """Raise Conflict if another topic has one of these names."""
    conflicts = queries.find_name_conflicts(tx, names, except_topic_id=topic_id)
    if conflicts:
        raise Conflict(queries.format_name_conflict(conflicts[0]), code="name-taken")


def _build_stale_error(tx: Write, topic: Topic, version: int) -> StaleVersion:
    message = _("Someone else saved version {version}. Your version isn't saved.").format(version=topic.version)
    base = _version(tx, topic, version)
    current = {"version": topic.version, "yours": version, **to_edit_fields(tx, topic), "base": base}
    return StaleVersion(message, current=current)


def to_edit_fields(tx: Write, topic: Topic) -> dict[str, Any]:
    """Return the topic as the fields of an edit."""
    aliases = queries.find_aliases(tx, [topic.id or 0]).get(topic.id or 0, [])
    fields = {"name": topic.name, "aliases": aliases, "markdown": topic.markdown}
    return {**fields, "parent": _slug(tx, topic.parent_id)}


def _version(tx: Write, topic: Topic, number: int) -> dict[str, Any] | None:
    """Return the version an edit began from as the fields of an edit; None if it does not exist."""
    conditions = (col(TopicVersion.topic_id) == topic.id, col(TopicVersion.number) == number)
    topic_version = tx.scalar(sa.select(TopicVersion).where(*conditions))
    if topic_version is None:
        return None
    fields = {
        "version": number,
        "name": topic_version.name,
        "aliases": topic_version.aliases,
        "markdown": topic_version.markdown,
    }
    return {**fields, "parent": _slug(tx, topic_version.parent_id)}


def _slug(tx: Write, topic_id: int | None) -> str | None:
    return tx.scalar(sa.select(col(Topic.slug)).where(col(Topic.id) == topic_id))


def topic_event_data(topic: Topic) -> dict[str, str]:
    return {"name": topic.name, "markdown": topic.markdown}


def _named_topic(tx: Write, topic: int | str) -> tuple[int, str]:
    condition = col(Topic.id) == topic if isinstance(topic, int) else col(Topic.slug) == topic
    row = tx.execute(sa.select(col(Topic.id), col(Topic.slug)).where(condition)).one_or_none()
    if row is None:
        raise _not_found(str(topic))
    return row.id, row.slug


def _not_found(slug: str) -> NotFound:
    return NotFound(_("Topic “{slug}” not found.").format(slug=slug))
