"""Page for the board.

Cards move by the same form as list rows; scripts add keys and drag and drop.
"""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack import search
from readtrack.infra.i18n import N_
from readtrack.library.papers.display_options import DisplayLink, DisplayOptions, display_links, with_filter
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.pages.saved_searches import find_saved_search
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import note_unknown_parameter, render, with_query
from readtrack.workspace import board as workspace_board
from readtrack.workspace.board import Board

router = page_router()
BOARDS = {"": N_("My status"), "reader": N_("Readers")}


@router.get("/board")
def show_page(request: Request, me: Me, tx: ReadTx, q: str = "", group: str = "", view: str = "") -> Response:
    """Show my papers by status, or what everyone is reading.

    An invalid query shows an error on the page.
    """
    options = DisplayOptions(q=q.strip(), display="board")
    if group not in BOARDS:
        note_unknown_parameter(request, "group", group)
        group = ""
    build = workspace_board.build_readers_board if group else workspace_board.build_board
    board, problem = Board((), 0), None
    try:
        board = build(tx, me, options.q)
    except search.QueryError as error:
        problem = error
    context: dict[str, Any] = {
        "board": board,
        "problem": problem,
        "by": group,
        "view": find_saved_search(request, tx, me, view),
        "groups": [
            DisplayLink(label, options.with_changes(grouping=name).address(), name == group)
            for name, label in BOARDS.items()
        ],
        "displays": display_links(options),
        "rest": {column.key: _column_address(options, column.key) for column in board.columns} if not group else {},
        "address": with_query("/board", q=options.q, group=group),
        "options": options.with_changes(grouping=group),
        "lately": workspace_board.OVER,
        "days": workspace_board.RECENT_PERIOD.days,
        "most": workspace_board.MAX_COUNT,
    }
    return render(request, "board/show.html", q=options.q, **context)


def _column_address(options: DisplayOptions, status: str) -> str:
    """Return the URL of the list with all papers of a column."""
    list_options = options.with_changes(display="list", grouping="")
    status_filter = with_filter(list_options, "status", status)
    return list_options.address() if status_filter.on else status_filter.href
