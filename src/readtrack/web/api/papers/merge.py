"""API endpoints to merge papers and review duplicates."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from fastapi import Query, Request
from pydantic import model_validator
from starlette.responses import Response

from readtrack.infra.validation import StrictModel
from readtrack.library.duplicates import merge as duplicates_merge
from readtrack.library.duplicates import review
from readtrack.library.duplicates.merge import unmerge_paper
from readtrack.library.duplicates.review import DuplicateRow
from readtrack.library.papers import detail
from readtrack.web.api.papers.papers import PaperDetailRead, paper_detail_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, ResponseModel, page_response
from readtrack.web.routing import api_router

router = api_router("papers")


class PaperMergeTarget(StrictModel):
    """The paper to merge into."""

    into: int


class DuplicatesQuery(PageQuery):
    """The filter of pairs."""

    state: Literal["open", "distinct", "merged"] = "open"


class DuplicateDecision(StrictModel):
    """`merge` the pair into the paper `into`, mark it as `distinct`, or `reopen` the decision."""

    decision: Literal["merge", "distinct", "reopen"]
    into: int | None = None

    @model_validator(mode="after")
    def _check_into(self) -> Self:
        if (self.decision == "merge") != (self.into is not None):
            message = "`into`, the paper that stays, is said with `merge`, and only with it"
            raise ValueError(message)
        return self


class DuplicateSideRead(ResponseModel):
    """One of the two papers. `labels`: its identifiers as people write them; `topics`: slug and name of each.

    `entries`: number of entries of imported notes; `summaries`: number of those that you can see.
    """

    id: int
    kind: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    abstract: str
    version: int
    added_at: datetime
    identifiers: list[str]
    labels: list[str]
    urls: list[str]
    topics: list[tuple[str, str]]
    readers: list[str]
    summaries: int
    entries: int


class DuplicateRead(ResponseModel):
    """A pair of papers that may be one. `likeness`: up to 100; `merge_id`: of the merge, if they are merged."""

    id: int
    likeness: int
    evidence: str
    state: str
    found_at: datetime
    decided_by: str
    decided_at: datetime | None
    one: DuplicateSideRead
    other: DuplicateSideRead
    merge_id: int | None


class DuplicateList(ResponseModel):
    """A page of pairs; `next` is the cursor of the next page."""

    items: list[DuplicateRead]
    next: str | None


@router.post(
    "/papers/{paper_id:int}/merge",
    responses={200: {"model": PaperDetailRead}},
    openapi_extra=request_body_schema(PaperMergeTarget, {"into": 3}),
)
def merge_papers(paper_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Merge a paper into another and return that one.

    The old address redirects to it.
    """
    survivor = duplicates_merge.merge_papers(tx, me, paper_id, into_id=validate_input(PaperMergeTarget, body).into)
    return once.answer(paper_detail_json(detail.get_paper(tx, me, survivor.id or 0)), status=200)


@router.post("/papers/{paper_id:int}/unmerge", responses={200: {"model": PaperDetailRead}})
def unmerge_papers(paper_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Undo the merge of a paper, which gets its data back."""
    restored = unmerge_paper(tx, me, paper_id)
    return once.answer(paper_detail_json(detail.get_paper(tx, me, restored.id or 0)), status=200)


@router.get("/duplicates", responses={200: {"model": DuplicateList}})
def list_duplicates(request: Request, wanted: Annotated[DuplicatesQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List possible duplicates.

    Pairs, likeliest first; decided pairs newest first.
    """
    cursor_context = review.cursor_context(wanted.state)
    page_request = read_page_request(request, cursor_context, limit=wanted.limit, after=wanted.after)
    page = review.list_duplicates(tx, me, wanted.state, page_request)
    return page_response(request, cursor_context, page, [_duplicate_json(row) for row in page.items])


@router.post(
    "/duplicates/{duplicate_id:int}",
    responses={200: {"model": DuplicateRead}},
    openapi_extra=request_body_schema(DuplicateDecision, {"decision": "distinct"}),
)
def decide_duplicate(duplicate_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Decide on a pair and return it."""
    data = validate_input(DuplicateDecision, body)
    if data.decision == "merge":
        review.merge_duplicate(tx, me, duplicate_id, into_id=data.into or 0)
    elif data.decision == "distinct":
        review.dismiss_duplicate(tx, me, duplicate_id)
    else:
        review.reopen(tx, me, duplicate_id)
    return once.answer(_duplicate_json(review.get_duplicate(tx, me, duplicate_id)), status=200)


def _duplicate_json(row: DuplicateRow) -> dict[str, Any]:
    return {**row._asdict(), "one": row.one._asdict(), "other": row.other._asdict()}
