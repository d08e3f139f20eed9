"""The floor: the same rows with nothing round them. Starlette, one prepared sqlite3 statement, one template.

No session, no rights, no form, no escape from a slow query: what is left is what Python and SQLite cost anyhow.
"""

import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from jinja2 import Environment
from pydantic_core import to_json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bench.library import ME

LIMIT = 50
ROW = """
SELECT p.id, p.title, p.authors, p.venue, p.year, p.kind, p.language, r.status,
  i.scheme || ':' || i.value AS identifier,
  (SELECT group_concat(t.name, ', ') FROM paper_topic pt JOIN topic t ON t.id = pt.topic_id WHERE pt.paper_id = p.id)
    AS topics,
  (SELECT group_concat(n.name, ', ') FROM reading o JOIN person n ON n.id = o.person_id
    WHERE o.paper_id = p.id AND o.status = 'read' AND NOT o.private) AS readers,
  (SELECT count(*) FROM summary s WHERE s.paper_id = p.id AND s.deleted_at IS NULL AND NOT s.private) AS summaries
FROM paper p LEFT JOIN identifier i ON i.paper_id = p.id
LEFT JOIN reading r ON r.paper_id = p.id AND r.person_id = :me AND r.current
WHERE p.deleted_at IS NULL AND p.merged_into IS NULL
"""
NEWEST = f"{ROW} ORDER BY p.id DESC LIMIT {LIMIT + 1}"
HITS = f"SELECT rowid FROM search_paper WHERE search_paper MATCH :words ORDER BY rowid DESC LIMIT {LIMIT + 1}"  # noqa: S608
FOUND = f"{ROW} AND p.id IN ({HITS}) ORDER BY p.id DESC"
ONE = f"{ROW} AND p.id = :id"
CHANGE = "UPDATE reading SET status = :status WHERE person_id = :me AND paper_id = :id AND current"
HAPPENED = """
INSERT INTO reading_event (person_id, paper_id, pass_number, at, verb, to_status)
VALUES (:me, :id, 1, datetime('now'), 'set', :status)
"""
PAGE = """<!doctype html><title>Library</title><ol>
{% for p in papers %}<li><a href="/papers/{{ p.id }}">{{ p.title }}</a> {{ p.status or '' }}
{{ p.authors }} {{ p.venue }} {{ p.year }} {{ p.identifier }}
{{ p.topics or '' }} {{ p.readers or '' }} {{ p.summaries }}
{% endfor %}</ol>"""

Answers = Callable[[sqlite3.Connection, Request], Response]
_page = Environment(autoescape=True).from_string(PAGE)


def app(path: str) -> Starlette:
    """Over the library's file; one connection, on the event loop."""
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    database.row_factory = sqlite3.Row
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        database.execute(f"PRAGMA {setting}")
    routes = [
        Route("/papers", _on(database, list_page)),
        Route("/api/v1/papers", _on(database, list_json)),
        Route("/api/v1/papers/{id:int}", _on(database, one_json)),
        Route("/api/v1/papers/{id:int}/reading", _on(database, change), methods=["PUT"]),
    ]
    return Starlette(routes=routes)


def list_page(database: sqlite3.Connection, request: Request) -> Response:
    return HTMLResponse(_page.render(papers=_found(database, request)[:LIMIT]))


def list_json(database: sqlite3.Connection, request: Request) -> Response:
    return _json({"items": [dict(row) for row in _found(database, request)[:LIMIT]]})


def one_json(database: sqlite3.Connection, request: Request) -> Response:
    return _json(dict(database.execute(ONE, {"me": ME, "id": request.path_params["id"]}).fetchone()))


def change(database: sqlite3.Connection, request: Request) -> Response:
    """The status stands in the address, so that no body needs to be awaited."""
    values = {"me": ME, "id": request.path_params["id"], "status": request.query_params["status"]}
    database.execute("BEGIN IMMEDIATE")
    database.execute(CHANGE, values)
    database.execute(HAPPENED, values)
    database.execute("COMMIT")
    return _json(values)


def _found(database: sqlite3.Connection, request: Request) -> list[Any]:
    words = request.query_params.get("q")
    if words:
        return database.execute(FOUND, {"me": ME, "words": f'"{words}"'}).fetchall()
    return database.execute(NEWEST, {"me": ME}).fetchall()


def _json(payload: object) -> Response:
    return Response(to_json(payload), media_type="application/json")


def _on(database: sqlite3.Connection, answers: Answers) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        return partial(answers, database)(request)

    return endpoint


if __name__ == "__main__":
    uvicorn.run(app(sys.argv[1]), host="127.0.0.1", port=int(sys.argv[2]), log_config=None, access_log=False)
