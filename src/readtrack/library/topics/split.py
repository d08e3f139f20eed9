"""Splitting of topics: move chosen papers, names and subtopics to another topic, new or existing."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import sqlalchemy as sa
from pydantic import Field
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper, PaperTopic, Topic, TopicAlias
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.infra.text import normalize
from readtrack.infra.validation import TrimmedModel
from readtrack.library.references.index import bind_names, move_references
from readtrack.library.topics import queries
from readtrack.library.topics.commands import (
    MAX_ALIASES,
    Name,
    TopicCreate,
    add_topic,
    get_topic_for_update,
    list_topic_paper_ids,
    save_version,
)
from readtrack.library.topics.delete import delete_topic_if_unused
from readtrack.library.topics.reading_order import append_papers, find_positions, set_positions
from readtrack.library.topics.undo_merge import set_parent

MAX_PAPERS = 500  # papers moved at once
PAPERS_PER_PAGE = 100  # papers on one page of the form


class TopicSplit(TrimmedModel):
    """What to move, and where.

    `into`: any name of a topic, or of a new one, which is created beside this topic, or below it with `under`; `below`:
    slugs of direct subtopics.
    """

    into: Name
    papers: Annotated[list[int], Field(max_length=MAX_PAPERS)] = Field(default_factory=list)
    aliases: Annotated[list[Name], Field(max_length=MAX_ALIASES)] = Field(default_factory=list)
    below: Annotated[list[str], Field(max_length=MAX_PAPERS)] = Field(default_factory=list)
    under: bool = False


class FiledPaper(NamedTuple):
    """A paper that can be moved."""

    id: int
    title: str
    language: str


class SplitPlan(NamedTuple):
    """The effect of a split.

    `target`: slug and name, with slug "" for a new topic; `shared`: papers already in the target; `new_name`: the alias
    that becomes the new topic's name, or "".
    """

    topic_id: int
    into_id: int | None
    target: tuple[str, str]
    papers: Sequence[FiledPaper]
    shared: Collection[int]
    aliases: Sequence[str]
    subtopics: Sequence[queries.TopicRow]
    new_name: str


def list_filed_papers(tx: Read, topic_id: int, page_request: PageRequest) -> Page[FiledPaper]:
    """Return a page of the topic's own papers, newest first."""
    query = (
        _FILED.where(col(PaperTopic.topic_id) == topic_id).order_by(col(Paper.id).desc()).limit(page_request.limit + 1)
    )
    if page_request.after is not None:
        query = query.where(col(Paper.id) < page_request.after[1])
    rows, has_more = split_page(tx.rows(query), page_request.limit)
    return Page([FiledPaper._make(row) for row in rows], ("", rows[-1].id) if has_more else None)


def plan_split(tx: Read, me: CurrentUser, slug: str, split: TopicSplit) -> SplitPlan:
    """Return the effect of a split.

    Raise Invalid if something does not belong to the topic, or Conflict if limits are exceeded.
    """
    permissions.require(me, "delete")
    topic = queries.get_topic(tx, me, slug)
    if not (split.papers or split.aliases or split.below):
        raise invalid_field("/papers", "nothing-chosen", _("Select papers, aliases or subtopics to move."))
    into_id, target, alias_name = _target(tx, topic, split.into)
    aliases = _aliases(topic, split.aliases)
    papers = _papers(tx, topic.row.id, split.papers)
    _refuse_crowd(tx, into_id, aliases)
    return SplitPlan(
        topic_id=topic.row.id,
        into_id=into_id,
        target=target,
        papers=papers,
        shared=_find_shared_papers(tx, into_id, [paper.id for paper in papers]),
        aliases=[alias for alias in aliases if alias != alias_name],
        subtopics=_below(tx, topic, split.below, into_id),
        new_name=alias_name,
    )


def split_topic(tx: Write, me: CurrentUser, slug: str, split: TopicSplit) -> tuple[Topic, int]:
    """Split a topic; return the target and the undo entry's id. Raise the errors of plan_split."""
    permissions.require(me, "delete")
    topic = get_topic_for_update(tx, slug)
    plan = plan_split(tx, me, slug, split)
    order = find_positions(tx, topic)
    target = get_topic_for_update(tx, plan.target[0]) if plan.into_id else _new(tx, me, topic, split=split, plan=plan)
    undo_data = _build_undo_data(tx, topic, target, plan, order=order)
    _move_papers(tx, topic, target, [paper.id for paper in plan.papers], ordered_ids=list(order))
    _move_names(tx, me, topic, target, plan=plan)
    _set_parent(tx, [row.id for row in plan.subtopics], target.id)
    tx.flush()
    data = {"slug": topic.slug, "name": topic.name, "into": target.slug}
    events.record_event(tx, me, "topic.split", data=data)
    search.update_papers(tx, {*list_topic_paper_ids(tx, topic), *list_topic_paper_ids(tx, target)})
    return target, undo_log.record_undo_entry(tx, me, "topic.split", {**undo_data, "version": target.version})


def undo_split(tx: Write, me: CurrentUser, undo_data: Mapping[str, Any]) -> Topic:
    """Undo a split: move back what is still in the target, and return the original topic.

    A topic created by the split is deleted unless it was used since. Raise Conflict if either topic is gone.
    """
    permissions.require(me, "delete")
    topic, target = (_get_remaining_topic(tx, undo_data[name]) for name in ("topic", "into"))
    is_unchanged = undo_data["made"] and target.version == undo_data["version"]
    affected_papers = {*list_topic_paper_ids(tx, topic), *list_topic_paper_ids(tx, target)}
    _move_papers_back(tx, undo_data, topic, target)
    target_aliases = (col(TopicAlias.topic_id) == target.id, sa.not_(col(TopicAlias.is_canonical)))
    moved_aliases = (*target_aliases, col(TopicAlias.alias_key).in_(undo_data["names"]))
    move_references(
        tx,
        tx.scalars(sa.select(col(TopicAlias.alias)).where(*moved_aliases)),
        from_topic_id=target.id or 0,
        to_topic_id=topic.id or 0,
    )
    tx.bulk_execute(sa.update(TopicAlias).where(*moved_aliases).values(topic_id=topic.id))
    _move_subtopics_back(tx, undo_data, topic, target)
    is_deleted = is_unchanged and delete_topic_if_unused(tx, me, target)
    if is_deleted and undo_data["called"]:
        alias = undo_data["called"]
        tx.add(TopicAlias(topic_id=topic.id or 0, alias=alias, alias_key=normalize.key(alias)))
        bind_names(tx, [alias])
    if undo_data["names"] or (is_deleted and undo_data["called"]):
        _bump_version(tx, me, topic)
    if undo_data["names"] and not is_deleted:
        _bump_version(tx, me, target)
    events.record_event(tx, me, "topic.rejoined", data={"slug": topic.slug, "name": topic.name})
    tx.flush()
    search.update_papers(tx, affected_papers)
    return topic


_FILED = (
    sa.select(col(Paper.id), col(Paper.title), col(Paper.language))
    .join(PaperTopic, col(PaperTopic.paper_id) == col(Paper.id))
    .where(is_listed(Paper))
)


def _target(tx: Read, topic: queries.TopicDetail, name: str) -> tuple[int | None, tuple[str, str], str]:
    """Return the target's id, its (slug, name), and the alias of this topic that the name is, or ""."""
    conflicts = queries.find_name_conflicts(tx, [name])
    if not conflicts:
        return None, ("", name), ""
    conflict = conflicts[0]
    if conflict.topic_id != topic.row.id:
        return conflict.topic_id, (conflict.slug, conflict.name), ""
    if conflict.alias == topic.row.name:
        raise invalid_field("/into", "same-topic", _("Choose a different topic."))
    return None, ("", name), conflict.alias


def _aliases(topic: queries.TopicDetail, names: Sequence[str]) -> list[str]:
    aliases_by_key = {normalize.key(alias): alias for alias in topic.aliases}
    for name in names:
        if normalize.key(name) not in aliases_by_key:
            detail = _("“{name}” doesn't belong to this topic.").format(name=name)
            raise invalid_field("/aliases", "unknown-alias", detail)
    return list(dict.fromkeys(aliases_by_key[normalize.key(name)] for name in names))


def _papers(tx: Read, topic_id: int, paper_ids: Sequence[int]) -> list[FiledPaper]:
    query = _FILED.where(col(PaperTopic.topic_id) == topic_id, col(Paper.id).in_(paper_ids)).order_by(
        col(Paper.id).desc()
    )
    papers = [FiledPaper._make(row) for row in tx.rows(query)]
    for missing_id in {*paper_ids} - {paper.id for paper in papers}:
        detail = _("Paper {number} isn't directly in this topic.").format(number=missing_id)
        raise invalid_field("/papers", "not-filed", detail)
    return papers


def _find_shared_papers(tx: Read, into_id: int | None, papers: Sequence[int]) -> frozenset[int]:
    target_papers = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == into_id)
    return frozenset(tx.scalars(target_papers.where(col(PaperTopic.paper_id).in_(papers)))) if into_id else frozenset()


def _below(tx: Read, topic: queries.TopicDetail, slugs: Sequence[str], into_id: int | None) -> list[queries.TopicRow]:
    subtopics = {row.slug: row for row in topic.subtopics}
    ancestor_ids = {ancestor.id for ancestor in queries.list_ancestors(tx, into_id)}
    for slug in slugs:
        if slug not in subtopics:
            raise invalid_field("/below", "not-below", _("“{name}” doesn't belong to this topic.").format(name=slug))
        if subtopics[slug].id in ancestor_ids:
            detail = _("A topic can't be placed under itself or its subtopics.")
            raise invalid_field("/below", "bad-parent", detail)
    return [row for slug, row in subtopics.items() if slug in slugs]


def _refuse_crowd(tx: Read, into_id: int | None, aliases: Sequence[str]) -> None:
    count_query = sa.select(sa.func.count()).where(
        col(TopicAlias.topic_id) == into_id, sa.not_(col(TopicAlias.is_canonical))
    )
    alias_count = len(aliases) + ((tx.scalar(count_query) or 0) if into_id else 0)
    if alias_count > MAX_ALIASES:
        message = _("The topic would have {aliases} aliases; the maximum is {most}. Remove some first.")
        raise Conflict(message.format(aliases=alias_count, most=MAX_ALIASES), code="too-many-aliases")


def _new(tx: Write, me: CurrentUser, topic: Topic, *, split: TopicSplit, plan: SplitPlan) -> Topic:
    if plan.new_name:
        conditions = (col(TopicAlias.topic_id) == topic.id, col(TopicAlias.alias_key) == normalize.key(plan.new_name))
        tx.bulk_execute(sa.delete(TopicAlias).where(*conditions))
    parent_slug = (
        topic.slug if split.under else tx.scalar(sa.select(col(Topic.slug)).where(col(Topic.id) == topic.parent_id))
    )
    return add_topic(tx, me, TopicCreate(name=split.into, parent=parent_slug))


def _build_undo_data(
    tx: Write, topic: Topic, target: Topic, plan: SplitPlan, *, order: Mapping[int, int]
) -> dict[str, Any]:
    """Return the data to undo the split. Call this before papers are moved."""
    target_positions = find_positions(tx, target)
    moving_ids = [paper.id for paper in plan.papers]
    return {
        "title": f"{topic.name} → {target.name}",
        "topic": topic.id,
        "into": target.id,
        "made": plan.into_id is None,
        "called": plan.new_name,
        "papers": moving_ids,
        "shared": sorted(plan.shared),
        "order": [(paper_id, position) for paper_id, position in order.items() if paper_id in moving_ids],
        "unplaced": [paper_id for paper_id in sorted(plan.shared) if paper_id not in target_positions],
        "names": [normalize.key(alias) for alias in plan.aliases],
        "below": [row.id for row in plan.subtopics],
    }


def _move_papers(
    tx: Write, topic: Topic, target: Topic, moving_ids: Sequence[int], *, ordered_ids: Sequence[int]
) -> None:
    """Move papers; those in a reading order are appended to the target's."""
    conditions = (col(PaperTopic.topic_id) == topic.id, col(PaperTopic.paper_id).in_(moving_ids))
    target_papers = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == target.id)
    tx.bulk_execute(sa.delete(PaperTopic).where(*conditions, col(PaperTopic.paper_id).in_(target_papers)))
    tx.bulk_execute(sa.update(PaperTopic).where(*conditions).values(topic_id=target.id, position=None))
    tx.expire_all()
    append_papers(tx, target, [paper_id for paper_id in ordered_ids if paper_id in set(moving_ids)])


def _move_names(tx: Write, me: CurrentUser, topic: Topic, target: Topic, *, plan: SplitPlan) -> None:
    keys = [normalize.key(alias) for alias in plan.aliases]
    conditions = (
        col(TopicAlias.topic_id) == topic.id,
        sa.not_(col(TopicAlias.is_canonical)),
        col(TopicAlias.alias_key).in_(keys),
    )
    tx.bulk_execute(sa.update(TopicAlias).where(*conditions).values(topic_id=target.id))
    move_references(tx, [*plan.aliases, plan.new_name], from_topic_id=topic.id or 0, to_topic_id=target.id or 0)
    if keys or plan.new_name:
        _bump_version(tx, me, topic)
    if keys:
        _bump_version(tx, me, target)


def _set_parent(tx: Write, topic_ids: Sequence[int], parent_id: int | None) -> None:
    tx.bulk_execute(sa.update(Topic).where(col(Topic.id).in_(topic_ids)).values(parent_id=parent_id))


def _bump_version(tx: Write, me: CurrentUser, topic: Topic) -> None:
    """Save a new version, since the names changed."""
    topic.version, topic.updated_at = topic.version + 1, now()
    save_version(tx, me, topic)


def _get_remaining_topic(tx: Write, topic_id: int) -> Topic:
    topic = tx.get(Topic, topic_id, with_for_update=True, populate_existing=True)
    if topic is None:
        raise Conflict(_("The topic no longer exists. Restore it first."))
    return topic


def _move_papers_back(tx: Write, undo_data: Mapping[str, Any], topic: Topic, target: Topic) -> None:
    """Move back papers still in the target; those removed there since stay removed."""
    remaining_ids = {*list_topic_paper_ids(tx, target)} & {*undo_data["papers"]}
    own_papers, shared_ids = {*list_topic_paper_ids(tx, topic)}, {*undo_data["shared"]}
    update_statement = sa.update(PaperTopic).where(col(PaperTopic.topic_id) == target.id)
    tx.bulk_execute(
        update_statement.where(col(PaperTopic.paper_id).in_(remaining_ids - shared_ids - own_papers)).values(
            topic_id=topic.id, position=None
        )
    )
    deletion = sa.delete(PaperTopic).where(col(PaperTopic.topic_id) == target.id)
    tx.bulk_execute(deletion.where(col(PaperTopic.paper_id).in_((remaining_ids & own_papers) - shared_ids)))
    tx.expire_all()
    tx.add_all(
        PaperTopic(paper_id=shared_id, topic_id=topic.id or 0)
        for shared_id in sorted((remaining_ids & shared_ids) - own_papers)
    )
    tx.flush()
    set_positions(
        tx,
        topic,
        {paper_id: position for paper_id, position in undo_data["order"] if paper_id in remaining_ids - own_papers},
    )
    set_positions(tx, target, dict.fromkeys(undo_data["unplaced"]))


def _move_subtopics_back(tx: Write, undo_data: Mapping[str, Any], topic: Topic, target: Topic) -> None:
    query = sa.select(Topic).where(col(Topic.id).in_(undo_data["below"]), col(Topic.parent_id) == target.id)
    for subtopic in tx.scalars(query.with_for_update()).all():
        set_parent(tx, subtopic, topic.id)
