"""Link texts with authors: `Title by A. Author`, `Title (2019) - Peters and Smith`."""

import re

from readtrack.infra.text.titles.vocabulary import SITES
from readtrack.ingest.parser.vocabulary.person_names import are_surnames, initialled_first, is_name, names_in
from readtrack.ingest.parser.vocabulary.trailing_names import VENUE_LIKE

_SIGNED = re.compile(
    r"(?P<title>.{8,300}?)\s?(?P<year>[(\[](?:19|20)\d\d[)\]])?(?P<joint>\s[-–—]{1,2}\s?|\sby\s)(?P<names>[^-–—]{3,200}"
    r"|[^–—]{3,60})"
)
_LISTED_LAST = re.compile(r"(?P<title>[^,]{12,300}(?:,[^,]{1,100}){0,3}?),\s(?P<names>[^:?]{5,120})")
_QUOTED = re.compile(r"(?P<names>[^\"“”]{5,300}),\s[\"“](?P<title>[^\"“”]{8,300})[\"”]")
_SITE = re.compile(SITES, re.IGNORECASE)
_YEAR_LAST = re.compile(r"[\s,]{0,2}[(\[]?(?:19|20)\d\d[)\]]?$")
_FEWEST_WORDS, _EDGE = 3, 60

Byline = tuple[str, tuple[str, ...]]


def split_byline(words: str, *, dated: bool = False) -> Byline:
    """Return title and authors, or the words and () if no authors are found.

    `dated`: a year is next to the words, as in a citation, where surnames alone count as names too.
    """
    found = (
        _split_trailing_names(words, dated=dated)
        or _split_leading_names(words)
        or (_split_trailing_surnames(words) if dated else None)
    )
    return found or (words, ())


def _split_trailing_names(words: str, *, dated: bool) -> Byline | None:
    match = _SIGNED.fullmatch(words)
    if not match:
        return None
    named = _YEAR_LAST.sub("", match["names"])
    dated = dated or bool(match["year"]) or named != match["names"]
    names = names_in(named)
    if not names and (dated or match["joint"] == " by "):
        names = _one_name(match["title"], named)
    if not names and dated:
        names = are_surnames(named)
    return (match["title"], names) if names else None


def _one_name(title: str, named: str) -> tuple[str, ...]:
    """Return a single name after a title of several words, if it is no venue or site."""
    sure = is_name(named) and len(named.split()) <= _FEWEST_WORDS
    sure = sure and not VENUE_LIKE.fullmatch(named) and not _SITE.fullmatch(named)
    return (named.strip(),) if sure and named.isascii() and len(title.split()) >= _FEWEST_WORDS else ()


def _split_leading_names(words: str) -> Byline | None:
    """Split authors before a title.

    Examples: `Author, A. B., and Third, D. Title(2014)`, `A. Author, B. Writer. Title`, `A. Author, B. Writer,
    "Title"`.
    """
    if ", " not in words[:_EDGE] and " and " not in words[:_EDGE]:
        return None
    names, title = initialled_first(words)
    if not names and (quoted := _QUOTED.match(words)):
        names, title = names_in(quoted["names"]), quoted["title"]
    if not names and ". " in words:
        before, _, title = words.partition(". ")
        names = names_in(before)
    return (_YEAR_LAST.sub("", title), names) if names and len(title.split()) >= _FEWEST_WORDS else None


def _split_trailing_surnames(words: str) -> Byline | None:
    """Split `Title, Long, Shelhamer, Darrell`."""
    match = _LISTED_LAST.fullmatch(words)
    names = are_surnames(match["names"]) if match else ()
    sure = len(names) > 1 and match is not None and len(match["title"].split()) >= _FEWEST_WORDS
    return (match["title"], names) if match and sure else None
