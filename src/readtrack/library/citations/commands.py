"""Commands for citations: fetch a paper's references, add a frequently cited work, dismiss it."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Citation, CitedWork, Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.library.citations.citation_lists import citation_services, enqueue_citation_job
from readtrack.library.citations.queries import can_fetch_citations, citation_job_key
from readtrack.library.papers.commands import add_paper, get_visible_paper
from readtrack.library.papers.lists import visible_papers_filter
from readtrack.library.topics.queries import get_topic
from readtrack.metadata.types import Ref

MAX_PAPERS = 200  # papers of a topic fetched by one job, one request each


def request_citations(tx: Write, me: CurrentUser, paper_id: int) -> int:
    """Enqueue a job that fetches the references of a paper and return its id.

    Raise NotFound, or Conflict if no service knows any identifier of the paper.
    """
    permissions.require(me, "edit")
    get_visible_paper(tx, paper_id)
    if not can_fetch_citations(tx, paper_id):
        raise Conflict(_("No citation service supports this paper's identifiers."))
    return enqueue_citation_job(tx, [paper_id], dedup_key=citation_job_key(paper_id), created_by=me.id)


def request_topic_citations(tx: Write, me: CurrentUser, slug: str) -> int:
    """Enqueue a job for the newest papers of a topic without fetched citations, and return their number."""
    permissions.require(me, "edit")
    topic = get_topic(tx, me, slug)
    services = [service.name for service in citation_services()]
    has_citations = sa.exists().where(col(Citation.paper_id) == col(Paper.id), col(Citation.service).in_(services))
    in_topic = visible_papers_filter(tx, me, search.parse(f'topic:"{topic.row.slug}" kind:paper'))
    papers = sa.select(col(Paper.id)).where(in_topic, ~has_citations).order_by(col(Paper.id).desc()).limit(MAX_PAPERS)
    ids = [paper_id for paper_id in tx.scalars(papers) if paper_id]
    if ids:
        enqueue_citation_job(tx, ids, dedup_key=f"citations:topic:{topic.row.id}", created_by=me.id)
    return len(ids)


def add_work(tx: Write, me: CurrentUser, work_id: int) -> tuple[int, bool]:
    """Add a cited work to the library. Return the paper's id, and False if it was already there.

    Raise NotFound, or any error of adding a paper.
    """
    permissions.require(me, "add")
    work = _get_work(tx, work_id)
    return add_paper(tx, me, Ref(work.scheme, work.value), title=work.title)


def dismiss_work(tx: Write, me: CurrentUser, work_id: int) -> None:
    """Dismiss a cited work so that it is no longer listed. Raise NotFound."""
    permissions.require(me, "edit")
    work = _get_work(tx, work_id)
    if work.dismissed_at is None:
        work.dismissed_by, work.dismissed_at = me.id, now()
        tx.flush()


def reopen_work(tx: Write, me: CurrentUser, work_id: int) -> None:
    """Undo the dismissal of a cited work. Raise NotFound."""
    permissions.require(me, "edit")
    work = _get_work(tx, work_id)
    work.dismissed_by = work.dismissed_at = None
    tx.flush()


def _get_work(tx: Write, work_id: int) -> CitedWork:
    work = tx.get(CitedWork, work_id, with_for_update=True)
    if work is None:
        raise NotFound(_("Cited work {work_id} not found.").format(work_id=work_id))
    return work
