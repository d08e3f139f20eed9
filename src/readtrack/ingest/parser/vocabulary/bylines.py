"""Titles with their authors: `Title by A. Author`, `Title (2019) - Peters and Smith`, `A. Author, B. Writer. Title`."""

import re

from readtrack.infra.text.titles.vocabulary import SITES
from readtrack.ingest.parser.vocabulary.author_names import (
    initialled_first,
    is_name,
    is_venue_like,
    names_in,
    single_name,
    surnames_in,
)

_SIGNED = re.compile(
    r"(?P<title>.{8,300}?)\s?(?P<year>[(\[](?:19|20)\d\d[)\]])?(?P<joint>\s[-–—]{1,2}\s?|\sby\s)(?P<names>[^-–—]{3,200}"
    r"|[^–—]{3,60})"
)
_DOES_SOMETHING = re.compile(  # `Learning by Sorting Sequences`, but not `Learning by Xiaoming Xu`
    r"(?![A-Z]h?[iu]?(?:a[io]?|ang?|e[in]?|eng|o|ong|ou|u[en]?|in?)[mqylptjbxnd]ing\s)\w{3,30}ing\s"
)
_MAY_BE_SIGNED = re.compile(r"\s(?:[-–—]|by\s)")
_LISTED_LAST = re.compile(r"(?P<title>[^,]{12,300}(?:,[^,]{1,100}){0,3}?),\s(?P<names>[^:?]{5,120})")
_QUOTED = re.compile(r"(?P<names>[^\"“”]{5,300}),\s[\"“](?P<title>[^\"“”]{8,300})[\"”]")
_QUOTED_FIRST = re.compile(r"[\"“](?P<title>[^\"“”]{8,300}?)[,.]?[\"”],?\s(?:by\s)?(?P<names>[^\"“”]{3,300})")
_SITE = re.compile(SITES, re.IGNORECASE)
_YEAR_LAST = re.compile(r"[\s,]{0,2}[(\[]?(?:19|20)\d\d[)\]]?$")
_MIN_WORDS, _MAX_SINGLE_NAME_WORDS, _LEADING_CHARS = 3, 3, 60

Byline = tuple[str, tuple[str, ...]]


def split_byline(text: str, *, has_date: bool = False) -> Byline:
    """Return title and authors, or the words and () if no authors are found.

    `has_date`: a year is next to the words, as in a citation, where surnames alone count as names too.
    """
    byline = (
        _split_after_quoted(text)
        or _split_trailing_names(text, has_date=has_date)
        or _split_leading_names(text)
        or (_split_trailing_surnames(text) if has_date else None)
    )
    return byline or (text, ())


def _split_after_quoted(text: str) -> Byline | None:
    """Split `"The Title," A. Author`."""
    match = _QUOTED_FIRST.fullmatch(text) if text.startswith(('"', "“")) else None
    name_part = _YEAR_LAST.sub("", match["names"]) if match else ""
    names = names_in(name_part) or single_name(name_part)
    return (match["title"], names) if match and names else None


def _split_trailing_names(text: str, *, has_date: bool) -> Byline | None:
    match = _SIGNED.fullmatch(text) if _MAY_BE_SIGNED.search(text) else None
    if not match:
        return None
    name_part = _YEAR_LAST.sub("", match["names"])
    has_date = has_date or bool(match["year"]) or name_part != match["names"]
    names = names_in(name_part)
    if not names and (has_date or match["joint"] == " by "):
        names = _one_name(match["title"], name_part)
    if not names and has_date:
        names = surnames_in(name_part)
    return (match["title"], names) if names else None


def _one_name(title: str, name: str) -> tuple[str, ...]:
    """Return a single name after a title of several words, if it is no venue or site."""
    is_clear = is_name(name) and len(name.split()) <= _MAX_SINGLE_NAME_WORDS and not _DOES_SOMETHING.match(name)
    is_clear = is_clear and not is_venue_like(name) and not _SITE.fullmatch(name)
    return (name.strip(),) if is_clear and name.isascii() and len(title.split()) >= _MIN_WORDS else ()


def _split_leading_names(text: str) -> Byline | None:
    """Split authors before a title.

    Examples: `Author, A. B., and Third, D. Title(2014)`, `A. Author, B. Writer. Title`, `A. Author, B. Writer,
    "Title"`.
    """
    if ", " not in text[:_LEADING_CHARS] and " and " not in text[:_LEADING_CHARS]:
        return None
    names, title = initialled_first(text)
    if not names and (match := _QUOTED.match(text)):
        names, title = names_in(match["names"]), match["title"]
    if not names and ". " in text:
        before, _, title = text.partition(". ")
        names = names_in(before)
    return (_YEAR_LAST.sub("", title), names) if names and len(title.split()) >= _MIN_WORDS else None


def _split_trailing_surnames(text: str) -> Byline | None:
    """Split `Title, Long, Shelhamer, Darrell`."""
    match = _LISTED_LAST.fullmatch(text)
    names = surnames_in(match["names"]) if match else ()
    is_clear = len(names) > 1 and match is not None and len(match["title"].split()) >= _MIN_WORDS
    return (match["title"], names) if match and is_clear else None
