"""Templates: compiled once, strict about what they are given, escaped always."""

import hashlib
import re
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, RedirectResponse, Response

from readtrack import markdown, policy, resources, search
from readtrack.clock import day, now
from readtrack.errors import BadRequest
from readtrack.mentions import People
from readtrack.notices.unread import count_unread
from readtrack.paging import Cursors
from readtrack.papers.answers.awaited import label_of
from readtrack.papers.answers.differing import pieces
from readtrack.papers.looks import MOST_COUNTED, count_looks
from readtrack.readings import states

STATIC = Path(__file__).parent / "static"
FLASH = "readtrack-flash"
_TICKED = re.compile(r"`([^`]+)`")


@cache
def environment() -> Environment:
    """The one Jinja environment."""
    loader = FileSystemLoader(resources.find("templates"))
    jinja = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    jinja.globals.update(
        asset=asset, now=now, with_query=with_query, marked=_marked, reachable=states.allowed, differing=pieces
    )
    jinja.filters.update(markdown=_rendered, maths=_with_maths, ago=ago, day=day, ticked=_ticked, service=label_of)
    return jinja


def render(request: Request, template: str, status: int = 200, **context: Any) -> Response:  # noqa: ANN401
    """A page, or a part of one when the template is a partial."""
    flash = _read_flash(request)
    visitor = getattr(request.state, "visitor", None)
    context = {
        "visitor": visitor,
        "may": partial(policy.may, visitor) if visitor else _nobody_may,
        "path": request.url.path,
        "flash": flash,
        "request_id": _id(request),
        "to_decide": partial(_to_decide, request),
        "unread": partial(_unread, request),
        **context,
    }
    html = environment().get_template(template).render(context)
    response = HTMLResponse(html, status, {"Vary": "Cookie, HX-Request-Type"})
    if flash:
        response.delete_cookie(FLASH)
    return response


def go(
    request: Request, address: str, message: str = "", *, kind: str = "good", undo: tuple[str, str] = ("", "")
) -> Response:
    """303 to an address of ours; a sentence to be shown there once, perhaps with an undo: (word, address)."""
    response = RedirectResponse(address, 303)
    if message:
        cookie = _cursors(request).write("flash", ([kind, message, *undo], 0))
        response.set_cookie(
            FLASH, cookie, max_age=60, httponly=True, samesite="lax", secure=request.app.state.settings.secure
        )
    return response


def is_fragment(request: Request) -> bool:
    """True when htmx asks for a part of a page."""
    return request.headers.get("hx-request-type") == "partial"


@cache
def asset(name: str) -> str:
    """The address of a static file, with its content's hash: cached for ever, changed when it changes."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{digest}/{name}"


def with_query(path: str, **parameters: object) -> str:
    """An address of ours with those parameters that are not empty."""
    kept = {name: value for name, value in parameters.items() if value not in (None, "")}
    return f"{path}?{urlencode(kept)}" if kept else path


def ago(moment: datetime) -> str:
    """How long ago, in words: "just now", "5 min ago", "yesterday", "12 Mar 2026"."""
    seconds = (now() - moment).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min ago"
    if seconds < 86400:
        return f"{int(seconds // 3600)} h ago"
    days = int(seconds // 86400)
    if days < 14:
        return "yesterday" if days == 1 else f"{days} days ago"
    return day(moment)


def _to_decide(request: Request) -> str:
    """How much needs a look, for the frame of a page; blank for nothing, and on pages that ask nothing at all."""
    tx = getattr(request.state, "tx", None)
    return _counted(count_looks(tx).to_decide if tx is not None else 0)


def _unread(request: Request) -> str:
    """The same of my notices."""
    tx, visitor = getattr(request.state, "tx", None), getattr(request.state, "visitor", None)
    return _counted(count_unread(tx, visitor.id) if tx is not None and visitor is not None else 0)


def _counted(count: int) -> str:
    return f"{MOST_COUNTED - 1}+" if count >= MOST_COUNTED else str(count or "")


def _nobody_may(_act: str) -> bool:
    return False


def _marked(text: str, q: str) -> list[tuple[str, bool]]:
    """The text in pieces, the hits of a search told apart."""
    return search.highlight(text, search.parse(q))


def _ticked(text: str) -> Markup:
    """A sentence of ours; what it sets between backticks is shown as code."""
    return Markup(_TICKED.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped first


def _rendered(text: str, people: People | None = None) -> Markup:
    return Markup(markdown.render(text, people))  # noqa: S704 - markdown.render sanitises last


def _with_maths(title: str) -> Markup:
    """A title whose formulas between dollars are shown as such."""
    if title.count("$") < 2:  # as most are, and lists have many
        return escape(title)
    return Markup(markdown.render_title(title))  # noqa: S704 - markdown.render_title sanitises last


def _read_flash(request: Request) -> list[dict[str, str]]:
    cookie = request.cookies.get(FLASH)
    if not cookie:
        return []
    try:
        said, _ = _cursors(request).read("flash", cookie)
    except BadRequest:
        return []
    return [dict(zip(("kind", "text", "word", "action"), said, strict=True))]


def _cursors(request: Request) -> Cursors:
    cursors: Cursors = request.app.state.cursors
    return cursors


def _id(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))
