"""API endpoint for the feed of changes, from which a program keeps a copy of the library."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, Union

from fastapi import Query, Request
from pydantic import BaseModel, Field, create_model
from starlette.responses import Response

from readtrack.infra.pagination import Page
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel
from readtrack.team.meetings.view_model import MeetingView
from readtrack.web.api.assignments import AssignmentRead, assignment_json
from readtrack.web.api.comparisons import ComparisonRead, comparison_json
from readtrack.web.api.discussion import CommentRead, comment_json
from readtrack.web.api.meetings.schemas import AgendaItemCopy, MeetingDetailRead, meeting_view_json
from readtrack.web.api.papers.papers import PaperDetailRead, paper_detail_json
from readtrack.web.api.papers.records import TranslatedTitleRead, translated_title_json
from readtrack.web.api.questions import QuestionRead, question_json
from readtrack.web.api.readings import ReadingRead, reading_json
from readtrack.web.api.summaries import SummaryRead, summary_json
from readtrack.web.api.topics.topics import TopicDetailRead, topic_detail_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.dependencies.pagination import Limit, get_next_cursor, read_page_request
from readtrack.web.responses.json import ResponseModel, conditional_response
from readtrack.web.routing import api_router
from readtrack.workspace import changes
from readtrack.workspace.changes import CopiedPaper, ResourceChange

router = api_router("changes")
Kind = Literal[
    "topic", "paper", "relation", "reading", "summary", "question", "comment", "comparison", "meeting", "assignment"
]
# What is counted or looked up elsewhere, so that it changes without the resource.
LEFT_OUT: Mapping[str, Collection[str]] = {
    "topic": {"children", "papers", "read", "line", "below"},
    "paper": {"waiting", "problems"},
    "question": {"comments"},
    "meeting": {"items"},
    "assignment": {"title", "done", "overdue"},
}


class RelationCopy(ResponseModel):
    """A relation between two papers."""

    id: int
    kind: str
    from_id: Annotated[int, Field(serialization_alias="from")]
    to: int
    note: str


class ReadingCopy(ResponseModel):
    """A person's readings of a paper, as far as you can see them."""

    current: ReadingRead | None
    earlier: list[ReadingRead]


def _copy_model(name: str, model: type[BaseModel], left_out: Collection[str], **more: Any) -> Any:  # noqa: ANN401 - types of fields
    """Return the model of a resource in the feed: the fields of its own model that are not left out, and more."""
    fields: dict[str, Any] = {
        field: (info.annotation, info) for field, info in model.model_fields.items() if field not in left_out
    }
    return create_model(name, __base__=ResponseModel, __doc__=model.__doc__, **{**fields, **more})


_ITEMS: Mapping[Kind, Any] = {
    "topic": _copy_model("TopicCopy", TopicDetailRead, LEFT_OUT["topic"]),
    "paper": _copy_model(
        "PaperCopy", PaperDetailRead, LEFT_OUT["paper"], topics=list[str], translations=list[TranslatedTitleRead]
    ),
    "relation": RelationCopy,
    "reading": ReadingCopy,
    "summary": SummaryRead,
    "question": _copy_model("QuestionCopy", QuestionRead, LEFT_OUT["question"]),
    "comment": CommentRead,
    "comparison": ComparisonRead,
    "meeting": _copy_model("MeetingCopy", MeetingDetailRead, LEFT_OUT["meeting"], agenda=list[AgendaItemCopy]),
    "assignment": _copy_model("AssignmentCopy", AssignmentRead, LEFT_OUT["assignment"]),
}


class ChangeRead(ResponseModel):
    """A resource that has changed, as it is now.

    `id`: of a reading the id of its paper, with `reader`, the id of the person. `deleted`: it is gone, or you can no
    longer see it. `merged_into`: the paper that it was merged into. `item`: null if it is deleted.
    """

    id: int
    reader: int | None
    deleted: bool
    merged_into: int | None


def _change_model(kind: Kind) -> Any:  # noqa: ANN401 - a type for fields
    """Return the model of a change of one kind, so that a program that looks at `kind` knows what `item` has."""
    fields: dict[str, Any] = {"kind": Literal[kind], "item": _ITEMS[kind] | None}
    return create_model(f"{kind.capitalize()}Change", __base__=ChangeRead, __doc__=ChangeRead.__doc__, **fields)


_CHANGE: Any = Annotated[Union[tuple(map(_change_model, _ITEMS))], Field(discriminator="kind")]  # noqa: UP007 - of a tuple
ChangeList = create_model(
    "ChangeList",
    __base__=ResponseModel,
    __doc__="A part of the feed. Send `next` as `since` to continue; `more`: further changes exist already.",
    items=list[_CHANGE],
    next=str,
    more=bool,
)


class ChangesQuery(StrictModel):
    """`since`: `next` of an earlier response; blank: from the beginning, which is the whole library."""

    since: str = ""
    limit: Limit = None


@router.get("/changes", responses={200: {"model": ChangeList}, 410: {}})
def list_changes(request: Request, wanted: Annotated[ChangesQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List what changed.

    In order, each resource once, as it is now. A cursor never expires; 410 `start-again` after a restore.
    """
    cursor_context = f"changes for {me.id}"
    page = changes.list_changes(
        tx, me, read_page_request(request, cursor_context, limit=wanted.limit, after=wanted.since)
    )
    cursor = get_next_cursor(request, cursor_context, Page(page.items, page.next))
    items = [_change_json(me, change) for change in page.items]
    return conditional_response(request, {"items": items, "next": cursor, "more": page.has_more})


def _change_json(me: CurrentUser, change: ResourceChange) -> dict[str, Any]:
    item = None
    if change.row is not None:
        fields = _readings_json(me, change.row) if change.kind == "reading" else _RENDER[change.kind](change.row)
        item = {name: value for name, value in fields.items() if name not in LEFT_OUT.get(change.kind, ())}
    return {
        "kind": change.kind,
        "id": change.number,
        "reader": change.reader or None,
        "deleted": item is None,
        "merged_into": change.merged_into,
        "item": item,
    }


def _paper_json(row: CopiedPaper) -> dict[str, Any]:
    translations = [translated_title_json(title) for title in row.translations]
    return {**paper_detail_json(row.paper), "topics": row.topics, "translations": translations}


def _readings_json(me: CurrentUser, passes: Sequence[Any]) -> dict[str, Any]:
    current, earlier = (
        [reading_json(me, row, row.person) for row in passes if row.current is is_current]
        for is_current in (True, False)
    )
    return {"current": current[0] if current else None, "earlier": earlier}


def _relation_json(row: Any) -> dict[str, Any]:  # noqa: ANN401 - a row of find_relations
    return {"id": row.id, "kind": row.kind, "from": row.from_id, "to": row.to_id, "note": row.note}


def _meeting_json(view: MeetingView) -> dict[str, Any]:
    fields = meeting_view_json(view)
    agenda = [
        {name: value for name, value in item.items() if name in AgendaItemCopy.model_fields}
        for item in fields["agenda"]
    ]
    return {**fields, "agenda": agenda}


_RENDER: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "topic": topic_detail_json,
    "paper": _paper_json,
    "relation": _relation_json,
    "summary": summary_json,
    "question": question_json,
    "comment": comment_json,
    "comparison": comparison_json,
    "meeting": _meeting_json,
    "assignment": assignment_json,
}
