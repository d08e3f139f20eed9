"""Verbs of citations: having services asked, adding what is cited often, saying that it is not wanted."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Citation, CitedWork, Paper
from readtrack.infra.permissions import Visitor
from readtrack.library.citations.jobs import ask_later, asked
from readtrack.library.citations.queries import can_ask, job_of
from readtrack.library.papers.commands import add_paper, visible
from readtrack.library.papers.lists import found_by
from readtrack.library.topics.queries import get_topic
from readtrack.metadata.types import Ref

MOST = 200  # papers of a topic that are asked about at once, one request each


def ask_citations(tx: Write, me: Visitor, paper_id: int) -> int:
    """The job that asks what a paper cites. Raises NotFound, and Conflict when nobody knows it by any of its names."""
    permissions.require(me, "edit")
    visible(tx, paper_id)
    if not can_ask(tx, paper_id):
        raise Conflict(_("No service that tells what papers cite knows a name of this one. Nothing was asked."))
    return ask_later(tx, [paper_id], dedup=job_of(paper_id), by=me.id)


def ask_of_topic(tx: Write, me: Visitor, slug: str) -> int:
    """How many papers under a topic are asked about: the newest of those that nobody asked about yet."""
    permissions.require(me, "edit")
    topic = get_topic(tx, me, slug)
    services = [service.name for service in asked()]
    known = sa.exists().where(col(Citation.paper_id) == col(Paper.id), col(Citation.service).in_(services))
    within = found_by(tx, me, search.parse(f'topic:"{topic.row.slug}" kind:paper'))
    papers = sa.select(col(Paper.id)).where(within, ~known).order_by(col(Paper.id).desc()).limit(MOST)
    ids = [paper_id for paper_id in tx.scalars(papers) if paper_id]
    if ids:
        ask_later(tx, ids, dedup=f"citations:topic:{topic.row.id}", by=me.id)
    return len(ids)


def add_work(tx: Write, me: Visitor, work_id: int) -> tuple[int, bool]:
    """The paper that it becomes; False when it was here. Raises NotFound, and whatever adding a paper raises."""
    permissions.require(me, "add")
    work = _work(tx, work_id)
    return add_paper(tx, me, Ref(work.scheme, work.value), title=work.title)


def refuse_work(tx: Write, me: Visitor, work_id: int) -> None:
    """It is not for the team, and not listed again. Raises NotFound."""
    permissions.require(me, "edit")
    work = _work(tx, work_id)
    if work.refused_at is None:
        work.refused_by, work.refused_at = me.id, now()
        tx.flush()


def reopen_work(tx: Write, me: Visitor, work_id: int) -> None:
    """Takes that back. Raises NotFound."""
    permissions.require(me, "edit")
    work = _work(tx, work_id)
    work.refused_by = work.refused_at = None
    tx.flush()


def _work(tx: Write, work_id: int) -> CitedWork:
    work = tx.get(CitedWork, work_id, with_for_update=True)
    if work is None:
        raise NotFound(_("No paper here cites a work {work_id} any more. Nothing was changed.").format(work_id=work_id))
    return work
