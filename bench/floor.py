"""The floor: the same rows and the same marks of a row, with nothing round them.

Starlette, one sqlite3 statement, one template without macros. No session, no rights, no checks: what is left is what
Python and SQLite cost anyhow. A search ranks all its hits, as one statement has it.
"""

import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from jinja2 import Environment
from markupsafe import Markup
from pydantic_core import from_json, to_json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bench.library import ME

LIMIT = 50
ROW = """
SELECT p.id, p.title, p.authors, p.venue, p.year, p.kind, p.language, r.status,
  i.scheme || ':' || i.value AS identifier,
  (SELECT group_concat(t.slug || ':' || t.name, '|') FROM paper_topic pt JOIN topic t ON t.id = pt.topic_id
    WHERE pt.paper_id = p.id)
    AS topics,
  (SELECT group_concat(n.name, '|') FROM reading o JOIN person n ON n.id = o.person_id
    WHERE o.paper_id = p.id AND o.status = 'read' AND NOT o.private) AS readers,
  (SELECT count(*) FROM summary s WHERE s.paper_id = p.id AND s.deleted_at IS NULL AND NOT s.private) AS summaries
FROM paper p LEFT JOIN identifier i ON i.paper_id = p.id
LEFT JOIN reading r ON r.paper_id = p.id AND r.person_id = :me AND r.current
WHERE p.deleted_at IS NULL AND p.merged_into IS NULL
"""
ORDER = f"ORDER BY p.id DESC LIMIT {LIMIT + 1}"
NEWEST = f"{ROW} {ORDER}"
OLDER = f"{ROW} AND p.id < :before {ORDER}"
FILED = f"{ROW} AND p.id IN (SELECT paper_id FROM paper_topic WHERE topic_id = :topic) {ORDER}"  # noqa: S608
HITS = f"SELECT rowid FROM search_paper WHERE search_paper MATCH :words ORDER BY rank LIMIT {LIMIT + 1}"  # noqa: S608
FOUND = f"{ROW} AND p.id IN ({HITS}) ORDER BY p.id DESC"
ONE = f"{ROW} AND p.id = :id"
CHANGE = "UPDATE reading SET status = :status WHERE person_id = :me AND paper_id = :id AND current"
HAPPENED = """
INSERT INTO reading_event (person_id, paper_id, pass_number, created_at, verb, to_status)
VALUES (:me, :id, 1, datetime('now'), 'set', :status)
"""
PAGE = """<!doctype html><html lang="en"><title>Library</title><ol class="rows">
{% for p in papers %}<li class="row" id="paper-{{ p.id }}"><details class="menu state" id="state-{{ p.id }}">
<summary aria-label="My status: {{ p.status or 'not on my list' }}. Change">{{ glyph(p.status) }}</summary>
<form class="pop" method="post" action="/papers/{{ p.id }}/reading" hx-target="#paper-{{ p.id }}">{{ choices }}</form>
</details><a class="title" href="/papers/{{ p.id }}">{{ p.title }}</a>
<div class="team">{% if p.summaries %}<span>{{ p.summaries }} summaries</span>{% endif %}
{% for name in p.readers %}<span class="face" title="{{ name }}">{{ name[0] }}</span>{% endfor %}</div>
<div class="meta"><span>{{ p.authors[:3] | join(', ') }}</span> <span>{{ p.venue }} {{ p.year }}</span>
<span class="id"><a href="https://arxiv.org/abs/{{ p.identifier }}">{{ p.identifier }}</a></span>
{% for slug, name in p.topics %}<a class="tag" href="/topics/{{ slug }}">{{ name }}</a>{% endfor %}
<span>{{ p.status or '' }}</span></div></li>
{% endfor %}</ol>"""
STATUSES = ("to_read", "reading", "paused", "read", "dropped")

Answers = Callable[[sqlite3.Connection, Request], Response]


def _glyph(status: str | None) -> Markup:
    return Markup('<svg class="glyph {0}" aria-hidden="true"><use href="#g-{0}"></use></svg>').format(status or "unset")


def _choice(status: str) -> Markup:
    return Markup('<button name="status" value="{0}">{1}{0}</button>').format(status, _glyph(status))


_page = Environment(autoescape=True).from_string(
    PAGE,
    {
        "glyph": {status: _glyph(status) for status in (None, *STATUSES)}.get,
        "choices": Markup().join(map(_choice, STATUSES)),
    },
)


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
    return HTMLResponse(_page.render(papers=_found(database, request)))


def list_json(database: sqlite3.Connection, request: Request) -> Response:
    return _json({"items": _found(database, request)})


def one_json(database: sqlite3.Connection, request: Request) -> Response:
    return _json(_paper(database.execute(ONE, {"me": ME, "id": request.path_params["id"]}).fetchone()))


def change(database: sqlite3.Connection, request: Request) -> Response:
    values = {"me": ME, "id": request.path_params["id"], **from_json(request.state.body)}
    database.execute("BEGIN IMMEDIATE")
    database.execute(CHANGE, values)
    database.execute(HAPPENED, values)
    database.execute("COMMIT")
    return _json(values)


def _found(database: sqlite3.Connection, request: Request) -> list[dict[str, Any]]:
    asked = {"me": ME, "words": "", "topic": 0, "before": 0, **request.query_params}
    if asked["words"]:
        asked["words"] = f'"{asked["words"]}"'
    statement = FOUND if asked["words"] else FILED if asked["topic"] else OLDER if asked["before"] else NEWEST
    return [_paper(row) for row in database.execute(statement, asked).fetchmany(LIMIT)]


def _paper(row: sqlite3.Row) -> dict[str, Any]:
    """Columns that hold several things, taken apart."""
    topics = [topic.split(":") for topic in (row["topics"] or "").split("|") if topic]
    readers = [name for name in (row["readers"] or "").split("|") if name]
    return {**dict(row), "authors": from_json(row["authors"]), "topics": topics, "readers": readers}


def _json(payload: object) -> Response:
    return Response(to_json(payload), media_type="application/json")


def _on(database: sqlite3.Connection, answers: Answers) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        request.state.body = await request.body()
        return partial(answers, database)(request)

    return endpoint


if __name__ == "__main__":
    uvicorn.run(app(sys.argv[1]), host="127.0.0.1", port=int(sys.argv[2]), log_config=None, access_log=False)
