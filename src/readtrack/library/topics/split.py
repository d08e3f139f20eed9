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
from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text import normalize
from readtrack.library.references.index import bind_names, move_references
from readtrack.library.topics import queries
from readtrack.library.topics.assign import delete_topic_if_unused
from readtrack.library.topics.commands import (
    MOST_ALIASES,
    Name,
    TopicCreate,
    add_topic,
    get_topic_for_update,
    list_topic_paper_ids,
)
from readtrack.library.topics.reading_order import append_papers, find_positions, set_positions
from readtrack.library.topics.undo_merge import set_parent
from readtrack.library.topics.versions.store import save_version

MOST_PAPERS = 500  # papers moved at once
OFFERED = 100  # papers on one page of the form


class TopicSplit(TrimmedModel):
    """What to move, and where.

    `into`: any name of a topic, or of a new one, which is created beside this topic, or below it with `under`; `below`:
    slugs of direct subtopics.
    """

    into: Name
    papers: Annotated[list[int], Field(max_length=MOST_PAPERS)] = Field(default_factory=list)
    aliases: Annotated[list[Name], Field(max_length=MOST_ALIASES)] = Field(default_factory=list)
    below: Annotated[list[str], Field(max_length=MOST_PAPERS)] = Field(default_factory=list)
    under: bool = False


class FiledPaper(NamedTuple):
    """A paper that can be moved."""

    id: int
    title: str
    language: str


class SplitPlan(NamedTuple):
    """The effect of a split.

    `into`: slug and name, with slug "" for a new topic; `shared`: papers already in the target; `called`: the alias
    that becomes the new topic's name, or "".
    """

    topic_id: int
    into_id: int | None
    into: tuple[str, str]
    papers: Sequence[FiledPaper]
    shared: Collection[int]
    aliases: Sequence[str]
    below: Sequence[queries.TopicRow]
    called: str


def list_filed_papers(tx: Read, topic_id: int, cut: PageRequest) -> Page[FiledPaper]:
    """Return a page of the topic's own papers, newest first."""
    query = _FILED.where(col(PaperTopic.topic_id) == topic_id).order_by(col(Paper.id).desc()).limit(cut.limit + 1)
    if cut.after is not None:
        query = query.where(col(Paper.id) < cut.after[1])
    rows, more = split_page(tx.rows(query), cut.limit)
    return Page([FiledPaper._make(row) for row in rows], ("", rows[-1].id) if more else None)


def plan_split(tx: Read, me: CurrentUser, slug: str, wanted: TopicSplit) -> SplitPlan:
    """Return the effect of a split.

    Raise Invalid if something does not belong to the topic, or Conflict if limits are exceeded.
    """
    permissions.require(me, "delete")
    topic = queries.get_topic(tx, me, slug)
    if not (wanted.papers or wanted.aliases or wanted.below):
        raise invalid_field("/papers", "nothing-chosen", _("Choose papers, names or topics that go."))
    into_id, into, called = _target(tx, topic, wanted.into)
    aliases = _aliases(topic, wanted.aliases)
    papers = _papers(tx, topic.row.id, wanted.papers)
    _refuse_crowd(tx, into_id, aliases)
    return SplitPlan(
        topic_id=topic.row.id,
        into_id=into_id,
        into=into,
        papers=papers,
        shared=_find_shared_papers(tx, into_id, [paper.id for paper in papers]),
        aliases=[alias for alias in aliases if alias != called],
        below=_below(tx, topic, wanted.below, into_id),
        called=called,
    )


def split_topic(tx: Write, me: CurrentUser, slug: str, wanted: TopicSplit) -> tuple[Topic, int]:
    """Split a topic; return the target and the undo entry's id. Raise the errors of plan_split."""
    permissions.require(me, "delete")
    topic = get_topic_for_update(tx, slug)
    plan = plan_split(tx, me, slug, wanted)
    order = find_positions(tx, topic)
    into = get_topic_for_update(tx, plan.into[0]) if plan.into_id else _new(tx, me, topic, wanted=wanted, plan=plan)
    kept = _build_undo_data(tx, topic, into, plan, order=order)
    _move_papers(tx, topic, into, [paper.id for paper in plan.papers], ordered=list(order))
    _move_names(tx, me, topic, into, plan=plan)
    _set_parent(tx, [row.id for row in plan.below], into.id)
    tx.flush()
    data = {"slug": topic.slug, "name": topic.name, "into": into.slug}
    events.record_event(tx, me, "topic.split", data=data)
    search.update_papers(tx, {*list_topic_paper_ids(tx, topic), *list_topic_paper_ids(tx, into)})
    return into, undo_log.record_undo_entry(tx, me, "topic.split", {**kept, "version": into.version})


def undo_split(tx: Write, me: CurrentUser, split: Mapping[str, Any]) -> Topic:
    """Undo a split: move back what is still in the target, and return the original topic.

    A topic created by the split is deleted unless it was used since. Raise Conflict if either topic is gone.
    """
    permissions.require(me, "delete")
    topic, into = (_get_remaining_topic(tx, split[name]) for name in ("topic", "into"))
    untouched = split["made"] and into.version == split["version"]
    touched = {*list_topic_paper_ids(tx, topic), *list_topic_paper_ids(tx, into)}
    _move_papers_back(tx, split, topic, into)
    theirs = (col(TopicAlias.topic_id) == into.id, sa.not_(col(TopicAlias.is_canonical)))
    mine = (*theirs, col(TopicAlias.alias_key).in_(split["names"]))
    move_references(tx, tx.scalars(sa.select(col(TopicAlias.alias)).where(*mine)), was=into.id or 0, to=topic.id or 0)
    tx.bulk_execute(sa.update(TopicAlias).where(*mine).values(topic_id=topic.id))
    _move_subtopics_back(tx, split, topic, into)
    gone = untouched and delete_topic_if_unused(tx, me, into)
    if gone and split["called"]:
        alias = split["called"]
        tx.add(TopicAlias(topic_id=topic.id or 0, alias=alias, alias_key=normalize.key(alias)))
        bind_names(tx, [alias])
    if split["names"] or (gone and split["called"]):
        _bump_version(tx, me, topic)
    if split["names"] and not gone:
        _bump_version(tx, me, into)
    events.record_event(tx, me, "topic.rejoined", data={"slug": topic.slug, "name": topic.name})
    tx.flush()
    search.update_papers(tx, touched)
    return topic


_FILED = (
    sa.select(col(Paper.id), col(Paper.title), col(Paper.language))
    .join(PaperTopic, col(PaperTopic.paper_id) == col(Paper.id))
    .where(is_listed(Paper))
)


def _target(tx: Read, topic: queries.TopicDetail, name: str) -> tuple[int | None, tuple[str, str], str]:
    """Return the target's id, its (slug, name), and the alias of this topic that the name is, or ""."""
    found = queries.find_name_conflicts(tx, [name])
    if not found:
        return None, ("", name), ""
    taken = found[0]
    if taken.topic_id != topic.row.id:
        return taken.topic_id, (taken.slug, taken.name), ""
    if taken.alias == topic.row.name:
        raise invalid_field("/into", "same-topic", _("That is this topic itself. Name another one, or a new one."))
    return None, ("", name), taken.alias


def _aliases(topic: queries.TopicDetail, wanted: Sequence[str]) -> list[str]:
    mine = {normalize.key(alias): alias for alias in topic.aliases}
    for name in wanted:
        if normalize.key(name) not in mine:
            detail = _("“{name}” is no further name of this topic.").format(name=name)
            raise invalid_field("/aliases", "unknown-alias", detail)
    return list(dict.fromkeys(mine[normalize.key(name)] for name in wanted))


def _papers(tx: Read, topic_id: int, wanted: Sequence[int]) -> list[FiledPaper]:
    here = _FILED.where(col(PaperTopic.topic_id) == topic_id, col(Paper.id).in_(wanted)).order_by(col(Paper.id).desc())
    found = [FiledPaper._make(row) for row in tx.rows(here)]
    for missing in {*wanted} - {paper.id for paper in found}:
        detail = _("Paper {number} is not filed under this very topic.").format(number=missing)
        raise invalid_field("/papers", "not-filed", detail)
    return found


def _find_shared_papers(tx: Read, into_id: int | None, papers: Sequence[int]) -> frozenset[int]:
    there = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == into_id)
    return frozenset(tx.scalars(there.where(col(PaperTopic.paper_id).in_(papers)))) if into_id else frozenset()


def _below(tx: Read, topic: queries.TopicDetail, wanted: Sequence[str], into_id: int | None) -> list[queries.TopicRow]:
    mine = {row.slug: row for row in topic.below}
    line = {above.id for above in queries.list_ancestors(tx, into_id)}
    for slug in wanted:
        if slug not in mine:
            raise invalid_field("/below", "not-below", _("“{name}” is not right below this topic.").format(name=slug))
        if mine[slug].id in line:
            detail = _("A topic cannot lie under itself, nor under a topic below it.")
            raise invalid_field("/below", "bad-parent", detail)
    return [row for slug, row in mine.items() if slug in wanted]


def _refuse_crowd(tx: Read, into_id: int | None, aliases: Sequence[str]) -> None:
    there = sa.select(sa.func.count()).where(col(TopicAlias.topic_id) == into_id, sa.not_(col(TopicAlias.is_canonical)))
    together = len(aliases) + ((tx.scalar(there) or 0) if into_id else 0)
    if together > MOST_ALIASES:
        message = _("That one would have {aliases} aliases; {most} are the most. Nothing was changed.")
        raise Conflict(message.format(aliases=together, most=MOST_ALIASES), code="too-many-aliases")


def _new(tx: Write, me: CurrentUser, topic: Topic, *, wanted: TopicSplit, plan: SplitPlan) -> Topic:
    if plan.called:
        mine = (col(TopicAlias.topic_id) == topic.id, col(TopicAlias.alias_key) == normalize.key(plan.called))
        tx.bulk_execute(sa.delete(TopicAlias).where(*mine))
    above = (
        topic.slug if wanted.under else tx.scalar(sa.select(col(Topic.slug)).where(col(Topic.id) == topic.parent_id))
    )
    return add_topic(tx, me, TopicCreate(name=wanted.into, parent=above))


def _build_undo_data(
    tx: Write, topic: Topic, into: Topic, plan: SplitPlan, *, order: Mapping[int, int]
) -> dict[str, Any]:
    """Return the data to undo the split. Call this before papers are moved."""
    there = find_positions(tx, into)
    going = [paper.id for paper in plan.papers]
    return {
        "title": f"{topic.name} → {into.name}",
        "topic": topic.id,
        "into": into.id,
        "made": plan.into_id is None,
        "called": plan.called,
        "papers": going,
        "shared": sorted(plan.shared),
        "order": [(paper_id, place) for paper_id, place in order.items() if paper_id in going],
        "unplaced": [paper_id for paper_id in sorted(plan.shared) if paper_id not in there],
        "names": [normalize.key(alias) for alias in plan.aliases],
        "below": [row.id for row in plan.below],
    }


def _move_papers(tx: Write, topic: Topic, into: Topic, going: Sequence[int], *, ordered: Sequence[int]) -> None:
    """Move papers; those in a reading order are appended to the target's."""
    mine = (col(PaperTopic.topic_id) == topic.id, col(PaperTopic.paper_id).in_(going))
    there = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == into.id)
    tx.bulk_execute(sa.delete(PaperTopic).where(*mine, col(PaperTopic.paper_id).in_(there)))
    tx.bulk_execute(sa.update(PaperTopic).where(*mine).values(topic_id=into.id, position=None))
    tx.expire_all()
    append_papers(tx, into, [paper_id for paper_id in ordered if paper_id in set(going)])


def _move_names(tx: Write, me: CurrentUser, topic: Topic, into: Topic, *, plan: SplitPlan) -> None:
    keys = [normalize.key(alias) for alias in plan.aliases]
    mine = (
        col(TopicAlias.topic_id) == topic.id,
        sa.not_(col(TopicAlias.is_canonical)),
        col(TopicAlias.alias_key).in_(keys),
    )
    tx.bulk_execute(sa.update(TopicAlias).where(*mine).values(topic_id=into.id))
    move_references(tx, [*plan.aliases, plan.called], was=topic.id or 0, to=into.id or 0)
    if keys or plan.called:
        _bump_version(tx, me, topic)
    if keys:
        _bump_version(tx, me, into)


def _set_parent(tx: Write, topic_ids: Sequence[int], parent_id: int | None) -> None:
    tx.bulk_execute(sa.update(Topic).where(col(Topic.id).in_(topic_ids)).values(parent_id=parent_id))


def _bump_version(tx: Write, me: CurrentUser, topic: Topic) -> None:
    """Save a new version, since the names changed."""
    topic.version, topic.updated_at = topic.version + 1, now()
    save_version(tx, me, topic)


def _get_remaining_topic(tx: Write, topic_id: int) -> Topic:
    topic = tx.get(Topic, topic_id, with_for_update=True, populate_existing=True)
    if topic is None:
        raise Conflict(_("One of the two topics is gone by now. Nothing was changed; bring it back first."))
    return topic


def _move_papers_back(tx: Write, split: Mapping[str, Any], topic: Topic, into: Topic) -> None:
    """Move back papers still in the target; those removed there since stay removed."""
    still = {*list_topic_paper_ids(tx, into)} & {*split["papers"]}
    here, shared = {*list_topic_paper_ids(tx, topic)}, {*split["shared"]}
    theirs = sa.update(PaperTopic).where(col(PaperTopic.topic_id) == into.id)
    tx.bulk_execute(
        theirs.where(col(PaperTopic.paper_id).in_(still - shared - here)).values(topic_id=topic.id, position=None)
    )
    twice = sa.delete(PaperTopic).where(col(PaperTopic.topic_id) == into.id)
    tx.bulk_execute(twice.where(col(PaperTopic.paper_id).in_((still & here) - shared)))
    tx.expire_all()
    tx.add_all(PaperTopic(paper_id=one, topic_id=topic.id or 0) for one in sorted((still & shared) - here))
    tx.flush()
    set_positions(tx, topic, {paper_id: place for paper_id, place in split["order"] if paper_id in still - here})
    set_positions(tx, into, dict.fromkeys(split["unplaced"]))


def _move_subtopics_back(tx: Write, split: Mapping[str, Any], topic: Topic, into: Topic) -> None:
    lower = sa.select(Topic).where(col(Topic.id).in_(split["below"]), col(Topic.parent_id) == into.id)
    for each in tx.scalars(lower.with_for_update()).all():
        set_parent(tx, each, topic.id)
