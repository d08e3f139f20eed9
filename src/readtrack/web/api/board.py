"""The board as JSON: the same columns and cards as the page."""

from datetime import date, datetime
from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.infra.schemas import StrictModel
from readtrack.web.api.papers.schemas import PaperRead, paper_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.responses.json import conditional_response
from readtrack.web.routing import api_router
from readtrack.workspace import board as workspace_board

router = api_router("board")


class BoardCardRead(PaperRead):
    """A paper on the board. `since`: the last change; `due_on`: for me, as somebody asked."""

    status: str
    since: datetime
    due_on: date | None


class BoardColumnRead(BaseModel):
    """`key`: a status, or a person's number. `papers`: how many there are, counted up to 200, of which 20 are items."""

    key: str
    text: str
    papers: int
    items: list[BoardCardRead]


class BoardRead(BaseModel):
    """`limit`: how many papers I want to be reading at once; 0 for any number, and on the board of readers."""

    columns: list[BoardColumnRead]
    limit: int


class BoardQuery(StrictModel):
    """Which papers, side by side by what."""

    q: str = ""
    group: Literal["status", "reader"] = "status"


@router.get("/board", responses={200: {"model": BoardRead}})
def get_board(request: Request, wanted: Annotated[BoardQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Get the board.

    My papers by status, or what everybody is reading now, by reader.
    """
    ask = workspace_board.build_readers_board if wanted.group == "reader" else workspace_board.build_board
    board = ask(tx, me, wanted.q.strip())
    columns = [
        {
            "key": column.key,
            "text": column.text,
            "papers": column.papers,
            "items": [
                {**paper_json(card.paper), "status": card.status, "since": card.since, "due_on": card.due_on}
                for card in column.cards
            ],
        }
        for column in board.columns
    ]
    return conditional_response(request, {"columns": columns, "limit": board.limit})
