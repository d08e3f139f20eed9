"""Rendering of Markdown to safe HTML, with formulas as MathML.

The sanitizer is the last step.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple

from markdown_it.token import Token

from readtrack.infra.errors import TooLarge
from readtrack.infra.i18n import current_language
from readtrack.infra.i18n import gettext as _
from readtrack.infra.validation import MAX_BYTES
from readtrack.markdown import mentions, references
from readtrack.markdown.budget import BudgetExceeded, RendererBusy, WorkBudget, is_tangled, render_turn
from readtrack.markdown.cache import RenderCache
from readtrack.markdown.math import MAX_FORMULA, Macros, render_formula
from readtrack.markdown.parser import make_parser
from readtrack.markdown.render_context import NOTHING, RenderContext, Target
from readtrack.markdown.sanitize import sanitize_html

__all__ = [
    "MAX_BYTES",
    "extract_words",
    "find_reference_keys",
    "list_reference_keys",
    "render",
    "render_formula",
    "render_title",
    "sanitize_html",
]
_IN_DOLLARS = re.compile(r"(\$(?![\s$])[^$]*(?<![\s\\])\$(?!\d))")
_MARKDOWN = make_parser()
_MAX_NAME_CHARS = 100  # Approximate characters per name in a cache key.
_rendered_before = RenderCache(16_000_000)  # Characters; up to 64 MB.


class _CacheKey(NamedTuple):
    """The part of the render context that affects a text.

    `language` matters for messages on invalid formulas.
    """

    people: tuple[tuple[str, int], ...]
    known: tuple[tuple[str, Target], ...] | None
    macros: Macros
    language: str

    @property
    def weight(self) -> int:
        """Return the approximate number of characters in the key."""
        return _MAX_NAME_CHARS * (len(self.people) + len(self.known or ()) + len(self.macros))


def render(text: str, context: RenderContext | None = None) -> str:
    """Render Markdown to safe HTML.

    Mentions of people and references in `context` become links, and formulas use its macros. A text that would take too
    long is returned as typed. Raise TooLarge if it exceeds MAX_BYTES (100 kB).
    """
    context, normalized = context or NOTHING, _normalize_text(text)
    references = context.references.get(text)
    cache_key = _CacheKey(
        people=tuple(sorted(context.people.items())) if "@" in text or "＠" in text else (),
        known=None if references is None else tuple(sorted(references.items())),
        macros=tuple(sorted(context.macros.items())) if "$" in text else (),
        language=current_language(),
    )
    cached = _rendered_before.find((normalized, cache_key))
    if cached is not None:
        return cached
    try:
        result = _render_cached(normalized, cache_key)
    except RendererBusy:  # Not cached, because the next attempt may succeed.
        return _render_as_typed(normalized)
    _rendered_before.keep((normalized, cache_key), result, weight=len(normalized) + len(result) + cache_key.weight)
    return result


def extract_words(text: str) -> list[str]:
    """Return the plain text segments, without code, formulas and links."""
    tokens = _parse(_normalize_text(text), {})
    return [segment.content for token in tokens for segment in mentions.plain_text_tokens(token.children or ())]


@lru_cache(maxsize=256)
def list_reference_keys(text: str) -> tuple[str, ...]:
    """Return the keys of all references that `render` may turn into links, without duplicates.

    For the form of the keys see references.py.
    """
    return find_reference_keys(_normalize_text(text))


def find_reference_keys(text: str) -> tuple[str, ...]:
    """Like `list_reference_keys`, but without size limit and caching."""
    keys = list[str]()
    if references.may_have_references(text):
        _parse(text, {"named": keys})
    return tuple(dict.fromkeys(keys))


def _parse(text: str, env: dict[str, Any]) -> Sequence[Token]:
    """Parse a text; return no tokens if it would take too long."""
    try:
        return [] if is_tangled(text) else _MARKDOWN.parse(text, {"work": WorkBudget(), **env})
    except BudgetExceeded:
        return []


def _normalize_text(text: str) -> str:
    """Normalize line breaks and replace lone surrogates, which cannot be encoded.

    Raise TooLarge if it is too long.
    """
    octets = text.encode("utf-8", "replace")
    if len(octets) > MAX_BYTES:
        raise TooLarge(
            _("The text has {count:,} bytes; the maximum is {max_bytes:,}. Shorten or split it.").format(
                count=len(octets), max_bytes=MAX_BYTES
            )
        )
    return octets.decode().replace("\r\n", "\n").replace("\r", "\n")


def _render_cached(text: str, cache_key: _CacheKey) -> str:
    if is_tangled(text):
        return _render_as_typed(text)
    env = {
        "docId": hashlib.sha256(text.encode()).hexdigest()[:12],
        "people": dict(cache_key.people),
        "known": None if cache_key.known is None else dict(cache_key.known),
        "macros": cache_key.macros,
        "work": WorkBudget(),
    }
    with render_turn(text):
        try:
            return sanitize_html(_MARKDOWN.render(text, env))
        except BudgetExceeded:
            return _render_as_typed(text)


def _render_as_typed(text: str) -> str:
    return sanitize_html(f"<pre>{escape(text)}</pre>")


@lru_cache(maxsize=256)
def render_title(title: str) -> str:
    """Render a line of plain text to safe HTML: formulas in dollars become MathML.

    All else, including prices, stays.
    """
    if len(title) > MAX_FORMULA:
        return sanitize_html(escape(title))
    return sanitize_html("".join(map(_title_part, _IN_DOLLARS.split(title))))


def _title_part(part: str) -> str:
    if _IN_DOLLARS.fullmatch(part) and not (formula := render_formula(part[1:-1], display=False)).startswith("<code"):
        return formula
    return escape(part)
