"""Render pages with Jinja: undefined names are errors, everything is escaped, in the language of who reads."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, RedirectResponse, Response

from readtrack import markdown, search
from readtrack.infra import i18n, permissions, resources
from readtrack.infra.clock import now
from readtrack.infra.errors import BadRequest
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import MAX_LIMIT, Cursors
from readtrack.ingest.imports.reasons import translate_reason
from readtrack.library.enrichment.pending import format_time, service_label, strip_retry
from readtrack.library.enrichment.provenance import diff_fragments
from readtrack.library.papers.needs_attention import MAX_COUNT, count_needs_attention
from readtrack.markdown.render_context import RenderContext
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from readtrack.reading.readings import status_transitions
from readtrack.team.notifications.queries import count_unread
from readtrack.web.templating import navigation
from readtrack.web.templating.shortcuts import split_strokes
from readtrack.workspace.saved_searches.queries import SidebarSearch, list_sidebar_searches
from readtrack.workspace.system_status import is_disk_almost_full

STATIC = Path(__file__).parents[1] / "static"
FLASH = "readtrack-flash"
SHOWS_FLASH = "hx-shows-flash"  # the header of a request whose response replaces the messages (swaps.js)
MAX_QUOTED_CHARS = 50  # characters of a wrong value that are said again
_TICKED = re.compile(r"`([^`]+)`")


def _identifier_page(identifier: str, links: Iterable[str] = ()) -> str:
    """Return the address of an identifier's own page, "" if that is unknown."""
    return sources.find_page(Ref.parse(identifier), links)


@cache
def environment(language: str) -> Environment:
    """Return the Jinja environment of a language.

    Each language has its own, because Jinja evaluates imported templates, with the sentences in them, once per
    environment.
    """
    jinja = Environment(
        loader=FileSystemLoader(resources.find("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        extensions=["jinja2.ext.i18n"],
    )
    translations = i18n.load_translations(language)
    jinja.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined] # by the extension
    jinja.policies["ext.i18n.trimmed"] = True
    jinja.globals.update(
        asset=asset_url,
        now=now,
        with_query=with_query,
        marked=_highlight_hits,
        reachable=status_transitions.allowed,
        differing=diff_fragments,
        navigation=navigation,
        strokes=split_strokes,
    )
    jinja.filters.update(
        markdown=_render_markdown,
        maths=_render_title,
        hits=_render_title_hits,
        ago=format_age,
        ticked=_render_code_spans,
        service=service_label,
        clock=format_time,
        day=i18n.format_day,
        month=i18n.format_month,
        weekday=i18n.format_weekday,
        number=i18n.format_number,
        short=i18n.format_short,
        reason=translate_reason,
        problem=strip_retry,
        face=_render_avatar,
        identifier_page=_identifier_page,
        translate=partial(_translate_message, translations.gettext),
    )
    return jinja


def render(request: Request, template: str, status: int = 200, **context: Any) -> Response:  # noqa: ANN401
    """A page, or a part of one when the template is a partial."""
    visitor = getattr(request.state, "visitor", None)
    context = {
        "visitor": visitor,
        "may": partial(permissions.has_permission, visitor) if visitor else _deny_all,
        "path": request.url.path,
        "asked_for": _request_target(request),
        "spoken": i18n.current_language(),
        "flash": partial(_take_messages, request),
        "selected_papers": _read_flash(request)[1],
        "request_id": _request_id(request),
        "to_decide": partial(_review_count, request),
        "unread": partial(_unread_count, request),
        "my_views": partial(_list_sidebar_views, request),
        "is_disk_almost_full": partial(is_disk_almost_full, request.app.state.settings),
        "machine": _model_name(request),
        **context,
    }
    html = environment(i18n.current_language()).get_template(template).render(context)
    response = HTMLResponse(html, status, {"Vary": "Cookie, HX-Request-Type, Accept-Language"})
    if getattr(request.state, "is_flash_shown", False):
        response.delete_cookie(FLASH)
    return response


def _request_target(request: Request) -> str:
    """The address that was asked for, as it was written."""
    return f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path


def redirect_with_flash(
    request: Request,
    address: str,
    message: str = "",
    *,
    kind: str = "good",
    undo: tuple[str, str] = ("", ""),
    selected: Sequence[int] = (),
) -> Response:
    """303 to an address of ours; a sentence to be shown there once, perhaps with an undo: (word, address).

    `selected` are the papers that stay selected there, up to a page of them.
    """
    response = RedirectResponse(address, 303)
    if message:
        cookie = _cursors(request).write("flash", ([kind, message, *undo, list(selected[:MAX_LIMIT])], 0))
        response.set_cookie(
            FLASH, cookie, max_age=60, httponly=True, samesite="lax", secure=request.app.state.settings.secure
        )
    return response


def add_notice(request: Request, message: str) -> None:
    """A sentence that the page which answers this request shows above everything else."""
    request.state.notices = [*getattr(request.state, "notices", ()), message]


def unknown_parameter_message(name: str, value: str) -> str:
    """A sentence on a parameter whose value there is not."""
    said = _("Ignored {name}={value}, which isn't valid.")
    return said.format(name=name, value=value[:MAX_QUOTED_CHARS])


def note_unknown_parameter(request: Request, name: str, value: str) -> None:
    """Tells that the address asks for something that there is not, and that the page is shown without it."""
    add_notice(request, unknown_parameter_message(name, value))


def is_fragment(request: Request) -> bool:
    """True when htmx asks for a part of a page."""
    return request.headers.get("hx-request-type") == "partial"


@cache
def asset_url(name: str) -> str:
    """The address of a static file, with a hash of them all: cached for ever, changed when one changes.

    They have one hash so that a script finds another by its mere name beside it.
    """
    return f"/static/{_digest()}/{name}"


@cache
def _digest() -> str:
    files = sorted(path for path in STATIC.rglob("*") if path.is_file())
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:12]


def _translate_message(gettext: Callable[[str], str], word: str) -> str:
    """What Python marked with N_, in a language. A catalogue has its own description under the blank."""
    return gettext(word) if word else ""


def with_query(path: str, **parameters: object) -> str:
    """An address of ours with those parameters that are not empty."""
    kept = {name: value for name, value in parameters.items() if value not in (None, "")}
    return f"{path}?{urlencode(kept)}" if kept else path


def format_age(moment: datetime) -> str:
    """How long ago, in words: "just now", "5 min ago", "yesterday", "12 Mar 2026"."""
    seconds = (now() - moment).total_seconds()
    if seconds < 60:
        return _("just now")
    if seconds < 3600:
        return _("{count} min ago").format(count=int(seconds // 60))
    if seconds < 86400:
        return _("{count} h ago").format(count=int(seconds // 3600))
    days = int(seconds // 86400)
    if days < 14:
        return _("yesterday") if days == 1 else _("{count} days ago").format(count=days)
    return i18n.format_day(moment)


def _review_count(request: Request) -> str:
    """How much needs a look, for the frame of a page; blank for nothing, and on pages that ask nothing at all."""
    tx = getattr(request.state, "tx", None)
    return _format_count(count_needs_attention(tx).to_decide if tx is not None else 0)


def _unread_count(request: Request) -> str:
    """The same of my notices."""
    tx, visitor = getattr(request.state, "tx", None), getattr(request.state, "visitor", None)
    return _format_count(count_unread(tx, visitor.id) if tx is not None and visitor is not None else 0)


def _list_sidebar_views(request: Request) -> list[SidebarSearch]:
    """The saved views of my side bar."""
    tx, visitor = getattr(request.state, "tx", None), getattr(request.state, "visitor", None)
    return list_sidebar_searches(tx, visitor) if tx is not None and visitor is not None else []


def _model_name(request: Request) -> str:
    """What the language model is called that may draft here; blank when there is none."""
    model = request.app.state.model
    return model.name if model else ""


def _format_count(count: int) -> str:
    return f"{MAX_COUNT - 1}+" if count >= MAX_COUNT else str(count or "")


def _deny_all(_act: str) -> bool:
    return False


def _highlight_hits(text: str, q: str, visitor: permissions.CurrentUser | None) -> list[tuple[str, bool]]:
    """The text in pieces, the hits of a search told apart: of the search as that person has it."""
    return search.highlight(text, search.parse(q), variants=visitor is not None and visitor.variants)


@lru_cache(maxsize=2_000)
def _render_avatar(name: str) -> Markup:
    """The initials of a person in one of eight colours, which stays theirs."""
    words = name.split()
    initials = "".join(word[0].upper() for word in (words[0], *words[1:][-1:])) if words else "?"
    frame = Markup('<span class="face face-{}" title="{}" aria-hidden="true">{}</span>')
    return frame.format(sum(name.encode()) % 8, name, initials)


def _render_code_spans(text: str) -> Markup:
    """A sentence of ours; what it sets between backticks is shown as code."""
    return Markup(_TICKED.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped first


def _render_markdown(text: str, render_context: RenderContext | None = None) -> Markup:
    return Markup(markdown.render(text, render_context))  # noqa: S704 - markdown.render sanitises last


def _render_title(title: str) -> Markup:
    """A title whose formulas between dollars are shown as such."""
    if title.count("$") < 2:  # as most are, and lists have many
        return escape(title)
    return Markup(markdown.render_title(title))  # noqa: S704 - markdown.render_title sanitises last


def _render_title_hits(title: str, q: str, variants: bool) -> Markup:  # noqa: FBT001 - as templates give it
    """A title in which what the search looks for is marked; formulas stay whole."""
    if not q or title.count("$") > 1:
        return _render_title(title)
    pieces = search.highlight(title, search.parse(q), variants=variants, field="title")
    return Markup("").join(Markup("<mark>{}</mark>").format(piece) if hit else escape(piece) for piece, hit in pieces)


def _read_flash(request: Request) -> tuple[list[dict[str, str]], frozenset[int]]:
    """Return the message of the redirect that led here, if any, and the papers that stay selected.

    What htmx fetches for a part of a page without its messages may overtake the page that was led to, and leaves them.
    """
    cookie = request.cookies.get(FLASH)
    if not cookie or ("hx-request" in request.headers and SHOWS_FLASH not in request.headers):
        return [], frozenset()
    try:
        (*message, selected), _ = _cursors(request).read("flash", cookie)
    except BadRequest:
        return [], frozenset()
    return [dict(zip(("kind", "text", "word", "action"), message, strict=True))], frozenset(selected)


def _take_messages(request: Request) -> list[dict[str, str]]:
    """Return what the page says above everything else. The message of a redirect is said once."""
    flash, _selected = _read_flash(request)
    request.state.is_flash_shown = bool(flash)
    return [*flash, *_list_notices(request)]


def _list_notices(request: Request) -> list[dict[str, str]]:
    return [{"kind": "warn", "text": text, "action": ""} for text in getattr(request.state, "notices", ())]


def _cursors(request: Request) -> Cursors:
    cursors: Cursors = request.app.state.cursors
    return cursors


def _request_id(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))
