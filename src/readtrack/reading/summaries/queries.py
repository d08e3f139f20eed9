"""Queries on summaries.

Private ones, and versions saved as private, are visible only to the author.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Merge, Paper, Person, Summary, SummaryVersion
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_present, require_present, shared_or_own

MAX_SUMMARIES = 500  # summaries per paper: more than a team writes


class SummaryRow(NamedTuple):
    """A summary with its author's name."""

    id: int
    paper_id: int
    person_id: int
    person: str
    tldr: str
    markdown: str
    private: bool
    version: int
    created_at: datetime
    updated_at: datetime


class VersionRow(NamedTuple):
    """A saved version of a summary."""

    number: int
    tldr: str
    markdown: str
    private: bool
    saved_at: datetime


def list_summaries(tx: Read, me: CurrentUser, paper_id: int) -> list[SummaryRow]:
    """List the visible summaries of a paper, oldest first.

    Raise NotFound if the paper does not exist. The user's private summaries of merged papers are included, because a
    merge leaves them there.
    """
    require_present(tx, paper_id)
    return [SummaryRow(*row) for row in tx.rows(_OF_PAPER, {"me": me.id, "paper_id": paper_id})]


def find_my_summary(tx: Read, me: CurrentUser, paper_id: int) -> SummaryRow | None:
    """Return the user's summary of a paper, or None. Raise NotFound if the paper does not exist."""
    require_present(tx, paper_id)
    return next((SummaryRow(*row) for row in tx.rows(_MINE, {"me": me.id, "paper_id": paper_id})), None)


def get_my_summary(tx: Read, me: CurrentUser, paper_id: int) -> SummaryRow:
    """Return the user's summary of a paper. Raise NotFound if there is none."""
    summary = find_my_summary(tx, me, paper_id)
    if summary is None:
        message = _("You haven't summarized this paper yet.")
        raise NotFound(message)
    return summary


def get_summary(tx: Read, me: CurrentUser, summary_id: int) -> SummaryRow:
    """Return a visible summary. Raise NotFound."""
    row = tx.execute(_visible_summaries(me.id).where(col(Summary.id) == summary_id)).one_or_none()
    if row is None:
        raise NotFound(_("Summary not found."))
    return SummaryRow(*row)


def find_summaries(tx: Read, me: CurrentUser, summary_ids: Iterable[int]) -> dict[int, SummaryRow]:
    """Return the visible ones of these summaries by id."""
    rows = [SummaryRow(*row) for row in tx.rows(_BY_ID, {"me": me.id, "ids": list(summary_ids)})]
    return {row.id: row for row in rows}


def list_versions(tx: Read, me: CurrentUser, summary_id: int, page_request: PageRequest) -> Page[VersionRow]:
    """List the visible versions of a summary, newest first.

    Raise NotFound if the summary is not visible.
    """
    visible = _versions(tx, me, summary_id)
    query = sa.select(visible).order_by(visible.c.number.desc())
    if page_request.after is not None:
        query = query.where(visible.c.number < page_request.after[1])
    rows, has_more = split_page(tx.execute(query.limit(page_request.limit + 1)).all(), page_request.limit)
    versions = [VersionRow(*row) for row in rows]
    return Page(versions, (None, versions[-1].number) if has_more else None)


def get_summary_version(tx: Read, me: CurrentUser, summary_id: int, number: int) -> VersionRow:
    """Return a visible version. Raise NotFound."""
    visible = _versions(tx, me, summary_id)
    row = tx.execute(sa.select(visible).where(visible.c.number == number)).one_or_none()
    if row is None:
        message = _("Version {number} not found.").format(number=number)
        raise NotFound(message)
    return VersionRow(*row)


def find_version_before(tx: Read, me: CurrentUser, summary_id: int, number: int) -> VersionRow | None:
    """Return the previous visible version, or None."""
    visible = _versions(tx, me, summary_id)
    query = sa.select(visible).where(visible.c.number < number)
    row = tx.execute(query.order_by(visible.c.number.desc()).limit(1)).one_or_none()
    return VersionRow(*row) if row else None


def count_summaries(tx: Read, me: CurrentUser, paper_ids: Iterable[int]) -> dict[int, int]:
    """Count the visible summaries by paper. Papers without any are left out."""
    return {row[0]: row[1] for row in tx.rows(_COUNTS_OF, {"ids": list(paper_ids), "me": me.id})}


_me: Any = sa.bindparam("me")
_in_force = col(Merge.undone_at).is_(None)
_SHARED = (
    sa.select(sa.func.count())
    .select_from(SummaryVersion)
    .where(col(SummaryVersion.summary_id) == col(Summary.id), sa.not_(col(SummaryVersion.private)))
    .correlate(Summary)
    .scalar_subquery()
)
_COUNTS_OF = (
    sa.select(col(Summary.paper_id), sa.func.count())
    .where(in_id_list(col(Summary.paper_id), "ids"))
    .where(col(Summary.deleted_at).is_(None), shared_or_own(Summary, _me))
    .group_by(col(Summary.paper_id))
)


def version_seen_by(me_id: Any) -> sa.ColumnElement[int]:  # noqa: ANN401 - an id or a bind parameter
    """Return the latest version number.

    For others it is the number of shared versions, as gaps would reveal private ones.
    """
    version_number = sa.case((col(Summary.person_id) == me_id, col(Summary.version)), else_=_SHARED)
    return version_number.label("version")


def _visible_summaries(me_id: Any) -> sa.Select[*tuple[Any, ...]]:  # noqa: ANN401 - an id or a bind parameter
    columns: list[Any] = [Summary.id, Summary.paper_id, Summary.person_id, Person.name, Summary.tldr, Summary.markdown]
    columns += [Summary.private, version_seen_by(me_id), Summary.created_at, Summary.updated_at]
    query: sa.Select[*tuple[Any, ...]] = (
        sa.select(*columns)
        .join(Person, col(Person.id) == col(Summary.person_id))
        .join(
            Paper,
            sa.and_(col(Paper.id) == col(Summary.paper_id), sa.or_(is_present(Paper), _is_own_merged_text(me_id))),
        )
        .where(col(Summary.deleted_at).is_(None), shared_or_own(Summary, me_id))
    )
    return query


def _is_own_merged_text(me_id: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Return the condition for the user's private summary of a merged paper, unless the surviving one is deleted."""
    return sa.and_(
        col(Summary.person_id) == me_id,
        col(Summary.private),
        col(Paper.merged_into).is_not(None),
        col(Paper.deleted_at).is_(None),
        col(Paper.id).not_in(_PARTS_OF_DELETED),
    )


def _parts_of(paper_id: Any) -> sa.Select[Any]:  # noqa: ANN401
    """Return the query of papers merged into this one, recursively."""
    direct: sa.Select[Any] = sa.select(col(Merge.from_id).label("id")).where(col(Merge.into_id) == paper_id, _in_force)
    merged_papers = direct.cte("parts", recursive=True)
    indirect = (
        sa.select(col(Merge.from_id)).join(merged_papers, col(Merge.into_id) == merged_papers.c.id).where(_in_force)
    )
    return sa.select(merged_papers.union(indirect).c.id)


def _parts_of_deleted() -> sa.Select[Any]:
    """Return the query of papers merged into deleted ones, recursively."""
    paper, survivor = sa.orm.aliased(Paper), sa.orm.aliased(Paper)
    direct: sa.Select[Any] = sa.select(col(paper.id).label("id"))
    direct = direct.join(survivor, col(survivor.id) == col(paper.merged_into))
    direct = direct.where(col(paper.merged_into).is_not(None), col(survivor.deleted_at).is_not(None))
    parts = direct.cte("parts_of_deleted", recursive=True)
    indirect = sa.select(col(paper.id)).join(parts, col(paper.merged_into) == parts.c.id)
    return sa.select(parts.union(indirect).c.id)


_PARTS_OF_DELETED = _parts_of_deleted()
_of: Any = sa.bindparam("paper_id")
_OF_PAPER = (
    _visible_summaries(_me)
    .where(
        sa.or_(
            col(Summary.paper_id) == _of, sa.and_(_is_own_merged_text(_me), col(Summary.paper_id).in_(_parts_of(_of)))
        )
    )
    .order_by(col(Summary.created_at), col(Summary.id))
    .limit(MAX_SUMMARIES)
)
_BY_ID = _visible_summaries(_me).where(in_id_list(col(Summary.id), "ids"))
_MINE = _visible_summaries(_me).where(col(Summary.paper_id) == sa.bindparam("paper_id"), col(Summary.person_id) == _me)


def _versions(tx: Read, me: CurrentUser, summary_id: int) -> sa.Subquery:
    """Return the visible versions: the user's own, or shared ones numbered consecutively."""
    summary = get_summary(tx, me, summary_id)
    is_own, version_number = summary.person_id == me.id, col(SummaryVersion.number)
    number: Any = version_number if is_own else sa.func.row_number().over(order_by=version_number)
    columns: list[Any] = [SummaryVersion.tldr, SummaryVersion.markdown, SummaryVersion.private, SummaryVersion.saved_at]
    query = sa.select(number.label("number"), *columns).where(col(SummaryVersion.summary_id) == summary_id)
    return (query if is_own else query.where(sa.not_(col(SummaryVersion.private)))).subquery("shown")
