"""API endpoints to merge and split topics, with a preview of each."""

from typing import Any

from starlette.responses import Response

from readtrack.infra.validation import TrimmedModel
from readtrack.library.topics import merge, queries, split
from readtrack.library.topics.merge import preview_merge
from readtrack.library.topics.split import TopicSplit, plan_split
from readtrack.web.api.topics.topics import TopicDetailRead, etag_header, topic_detail_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, JsonResponse, ResponseModel
from readtrack.web.routing import api_router

router = api_router("topics")


class TopicMergeTarget(TrimmedModel):
    """The slug of the topic to merge into."""

    into: str


class TopicMergeCounts(ResponseModel):
    """The number of items that move besides papers. `lines`: entries of notes."""

    questions: int
    comments: int
    links: int
    comparisons: int
    lines: int


class TopicMergePreview(ResponseModel):
    """The effect of a merge.

    `papers`: number that move; `shared`: number in both topics; `ordered`: moving papers with a place in the reading
    order; `below`: slugs of moving subtopics; `problem`: why the merge is impossible, or "".
    """

    slug: str
    into: str
    papers: int
    shared: int
    ordered: int
    names: list[str]
    below: list[str]
    texts: int
    counts: TopicMergeCounts
    problem: str


class TopicSplitPreview(ResponseModel):
    """The effect of a split.

    `into`: slug of the target, or null for a new topic called `name`; `shared`: ids of papers already in the target.
    """

    into: str | None
    name: str
    papers: list[int]
    shared: list[int]
    aliases: list[str]
    below: list[str]


@router.post(
    "/topics/{slug}/merge/preview",
    responses={200: {"model": TopicMergePreview}},
    openapi_extra=request_body_schema(TopicMergeTarget, {"into": "elsewhere"}),
)
def preview_topic_merge(slug: str, me: Me, body: Body, tx: ReadTx) -> Response:
    """Preview the merge of two topics.

    Nothing is changed.
    """
    preview = preview_merge(tx, me, slug, validate_input(TopicMergeTarget, body).into)
    payload: dict[str, Any] = {"slug": preview.source.row.slug, "into": preview.target.row.slug}
    payload |= {name: getattr(preview, name) for name in ("papers", "shared", "ordered", "names", "counts", "problem")}
    texts = bool(preview.source.markdown) + bool(preview.target.markdown)
    return JsonResponse({**payload, "below": [row.slug for row in preview.source.subtopics], "texts": texts})


@router.post(
    "/topics/{slug}/merge",
    responses={200: {"model": TopicDetailRead}},
    openapi_extra=request_body_schema(TopicMergeTarget, {"into": "elsewhere"}),
)
def merge_topics(slug: str, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Merge a topic into another, and return that one."""
    survivor, _undo_id = merge.merge_topics(tx, me, slug, validate_input(TopicMergeTarget, body).into)
    detail = queries.get_topic(tx, me, survivor.slug)
    return once.answer(topic_detail_json(detail), status=200, headers=etag_header(detail))


@router.post(
    "/topics/{slug}/split/preview",
    responses={200: {"model": TopicSplitPreview}},
    openapi_extra=request_body_schema(TopicSplit, {"into": "Apart", "aliases": ["train"]}),
)
def preview_topic_split(slug: str, me: Me, body: Body, tx: ReadTx) -> Response:
    """Preview the split of a topic.

    Nothing is changed.
    """
    plan = plan_split(tx, me, slug, validate_input(TopicSplit, body))
    target_slug, name = plan.target
    payload = {"into": target_slug or None, "name": name, "papers": [paper.id for paper in plan.papers]}
    contents = {
        "shared": sorted(plan.shared),
        "aliases": plan.aliases,
        "below": [subtopic.slug for subtopic in plan.subtopics],
    }
    return JsonResponse({**payload, **contents})


@router.post(
    "/topics/{slug}/split",
    responses={200: {"model": TopicDetailRead}},
    openapi_extra=request_body_schema(TopicSplit, {"into": "Apart", "aliases": ["train"]}),
)
def split_topic(slug: str, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Move part of a topic to another one, new or existing, and return that one.

    It can be undone from the trash for thirty days.
    """
    target, _undo_id = split.split_topic(tx, me, slug, validate_input(TopicSplit, body))
    detail = queries.get_topic(tx, me, target.slug)
    return once.answer(topic_detail_json(detail), status=200, headers=etag_header(detail))
