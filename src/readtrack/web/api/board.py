"""API endpoint for the board."""

from datetime import date, datetime
from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.validation import StrictModel
from readtrack.web.api.papers.papers import PaperRead, paper_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.responses.json import ResponseModel, conditional_response
from readtrack.web.routing import api_router
from readtrack.workspace import board as workspace_board

router = api_router("board")


class BoardCardRead(PaperRead):
    """A paper on the board. `since`: last change; `due_on`: due date of my assignment."""

    status: str
    since: datetime
    due_on: date | None


class BoardColumnRead(ResponseModel):
    """A column of the board.

    `key`: a status or a person's id; `papers`: total, counted up to 200; `items`: the first 20.
    """

    key: str
    text: str
    papers: int
    items: list[BoardCardRead]


class BoardRead(ResponseModel):
    """The board.

    `limit`: how many papers I want to read at once; 0 for no limit, and on the board by reader.
    """

    columns: list[BoardColumnRead]
    limit: int


class BoardQuery(StrictModel):
    """The filter and the grouping of the board."""

    q: str = ""
    group: Literal["status", "reader"] = "status"


@router.get("/board", responses={200: {"model": BoardRead}})
def get_board(request: Request, wanted: Annotated[BoardQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Get the board.

    My papers by status, or what everybody is reading now, by reader; at most 20 cards per column, counted up to
    200.
    """
    build = workspace_board.build_readers_board if wanted.group == "reader" else workspace_board.build_board
    board = build(tx, me, wanted.q.strip())
    columns = [
        {
            "key": column.key,
            "text": column.text,
            "papers": column.papers,
            "items": [
                {**paper_json(card.paper), "status": card.status, "since": card.changed_at, "due_on": card.due_on}
                for card in column.cards
            ],
        }
        for column in board.columns
    ]
    return conditional_response(request, {"columns": columns, "limit": board.limit})
