"""The board in a browser. Cards move by the form that every list has; scripts add keys and dragging."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack import search
from readtrack.board import queries
from readtrack.board.queries import Board
from readtrack.languages import N_
from readtrack.papers.displays import Link, Showing, display_links, narrowed
from readtrack.web.routers import page_router
from readtrack.web.templating import note_left_out, render, with_query
from readtrack.web.transactions import ReadTx
from readtrack.web.views import shown_view
from readtrack.web.visitor import Me

router = page_router()
BOARDS = {"": N_("My status"), "reader": N_("Readers")}


@router.get("/board")
def show_page(request: Request, me: Me, tx: ReadTx, q: str = "", group: str = "", view: str = "") -> Response:
    """My papers in columns of their status, or what everybody is reading. A bad question is no error page."""
    wanted = Showing(q=q.strip(), display="board")
    if group not in BOARDS:
        note_left_out(request, "group", group)
        group = ""
    ask = queries.board_of_readers if group else queries.board_of
    board, problem = Board((), 0), None
    try:
        board = ask(tx, me, wanted.q)
    except search.QueryError as error:
        problem = error
    context: dict[str, Any] = {
        "board": board,
        "problem": problem,
        "by": group,
        "view": shown_view(request, tx, me, view),
        "groups": [Link(word, wanted.but(grouping=name).address(), name == group) for name, word in BOARDS.items()],
        "displays": display_links(wanted),
        "rest": {column.key: _rest(wanted, column.key) for column in board.columns} if not group else {},
        "address": with_query("/board", q=wanted.q, group=group),
        "wanted": wanted.but(grouping=group),
        "lately": queries.OVER,
        "days": queries.LATELY.days,
        "most": queries.MOST_COUNTED,
    }
    return render(request, "board/show.html", q=wanted.q, **context)


def _rest(wanted: Showing, status: str) -> str:
    """All papers of a column, as a list."""
    plain = wanted.but(display="list", grouping="")
    there = narrowed(plain, "status", status)
    return plain.address() if there.on else there.href
