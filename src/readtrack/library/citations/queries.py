"""Queries for citations between papers of the library."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.models import Citation, CitedWork, Identifier, Paper, Relation
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.library.citations.citation_lists import find_citation_request
from readtrack.library.enrichment.pending import service_label

MAX_PAPERS = 200  # papers in each direction


class CitedPaper(NamedTuple):
    """A paper of the library that cites or is cited.

    `stored`: the citation is also stored as a relation.
    """

    id: int
    title: str
    language: str
    year: int | None
    stored: bool


class Citations(NamedTuple):
    """Citations between a paper and others of the library.

    `works`: length of the longest citation list; `services`: labels of the services that gave the lists.
    """

    cites: Sequence[CitedPaper]
    cited_by: Sequence[CitedPaper]
    works: int
    services: Sequence[str]


def list_citations(tx: Read, me: CurrentUser, paper_id: int) -> Citations:
    """Return the citations in both directions, newest papers first, without papers that are gone."""
    permissions.require(me, "see")
    parameters = {"this": paper_id}
    rows, lists = tx.rows(_HERE, parameters), tx.rows(_LISTS, parameters)
    cited, citing = (
        [_to_cited_paper(row) for row in rows if bool(row.outward) is outward_flag] for outward_flag in (True, False)
    )
    services = dict.fromkeys(service_label(row.service) for row in lists)
    return Citations(cited, citing, max((row.works for row in lists), default=0), list(services))


def can_fetch_citations(tx: Read, paper_id: int) -> bool:
    """Return True if a service can be asked what the paper cites."""
    return find_citation_request(tx, paper_id) is not None


def citation_job_key(paper_id: int) -> str:
    """Return the deduplication key of the job for one paper."""
    return f"citations:{paper_id}"


def _to_cited_paper(row: sa.Row[Any]) -> CitedPaper:
    return CitedPaper(row.id, row.title, row.language, row.year, bool(row.stored))


def _cited_papers_query(*, outward: bool) -> sa.Select[Any]:
    """Build the query for papers cited by a paper (outward) or citing it, matched by identifier."""
    paper_id: Any = sa.bindparam("this", type_=sa.Integer())
    name, relation = aliased(Identifier), aliased(Relation)
    same_identifier = sa.and_(col(name.scheme) == col(CitedWork.scheme), col(name.value) == col(CitedWork.value))
    own_paper, other_paper = (
        (col(Citation.paper_id), col(name.paper_id)) if outward else (col(name.paper_id), col(Citation.paper_id))
    )
    relation_ends = (
        (col(relation.from_id), col(relation.to_id)) if outward else (col(relation.to_id), col(relation.from_id))
    )
    stored = sa.exists().where(
        relation_ends[0] == paper_id, relation_ends[1] == col(Paper.id), col(relation.kind) == "cites"
    )
    columns: Sequence[Any] = (
        sa.literal(outward).label("outward"), col(Paper.id), col(Paper.title), col(Paper.language), col(Paper.year),
        stored.label("stored"),
    )  # fmt: skip
    query: sa.Select[Any] = sa.select(*columns).select_from(Citation)
    query = query.join(CitedWork, col(CitedWork.id) == col(Citation.work_id)).join(name, same_identifier)
    query = (
        query.join(Paper, col(Paper.id) == other_paper)
        .where(own_paper == paper_id, other_paper != paper_id, is_present(Paper))
        .distinct()
    )
    return query.order_by(col(Paper.year).desc(), col(Paper.id).desc()).limit(MAX_PAPERS)


def _both_directions_query() -> sa.Select[Any]:
    halves = [_cited_papers_query(outward=outward).subquery() for outward in (True, False)]
    union = sa.union_all(*(sa.select(half) for half in halves)).subquery()
    return sa.select(union).order_by(union.c.outward.desc(), union.c.year.desc(), union.c.id.desc())


_HERE = _both_directions_query()
_WORKS: Any = sa.func.count(sa.distinct(col(Citation.position))).label("works")
_LISTS = (
    sa.select(col(Citation.service), _WORKS)
    .where(col(Citation.paper_id) == sa.bindparam("this", type_=sa.Integer()))
    .group_by(col(Citation.service), col(Citation.key))
    .order_by(col(Citation.service), col(Citation.key))
)
