"""The fields of an answer in JSON, whatever shape it has: what is not as it should be is missing, never wrong."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from readtrack.infra.text.normalize import clean
from readtrack.infra.text.urls import safe_url
from readtrack.metadata.parsing import authors, dates, email_addresses, latex, markup
from readtrack.metadata.types import WebLink

LINE, PROSE, MANY = 2_000, 50_000, 5_000  # characters of a title or name, of an abstract; members of a list
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*", re.IGNORECASE)
_YEARS = range(1000, 2200)


def value_at(tree: object, *path: str) -> object:
    """What stands there, or None."""
    for name in path:
        tree = as_mapping(tree).get(name)
    return tree


def as_mapping(said: object) -> Mapping[str, object]:
    return said if isinstance(said, dict) else {}


def as_list(said: object) -> Sequence[object]:
    """The members of a list; what stands alone where a list is due is its only member."""
    if said is None:
        return ()
    return said[:MANY] if isinstance(said, list) else (said,)


def as_mappings(said: object) -> Sequence[Mapping[str, object]]:
    return [one for one in as_list(said) if isinstance(one, dict)]


def short_text(said: object) -> str:
    """A short text as it is, trimmed: an identifier, an address, the name of a type. Of several the first."""
    found = (clean(one[: 2 * LINE]).strip() for one in as_list(said) if isinstance(one, str))
    return next((one[:LINE] for one in found if one), "")


def line(said: object) -> str:
    """A title or a name: no markup, no LaTeX outside $…$, no mail address. Of several the first."""
    return email_addresses.without_mail(latex.decode_latex(markup.strip_markup(short_text(said)))).strip()


def prose(said: object) -> str:
    """A longer text without markup and mail addresses, and without its heading. Of several the first."""
    texts = (clean(one[:PROSE]) for one in as_list(said) if isinstance(one, str))
    return email_addresses.without_mail(next(filter(None, map(markup.strip_markup, texts)), "")).strip()


def join_title(title: str, subtitle: str) -> str:
    """A title with its subtitle, when that is not a part of it."""
    if not (title and subtitle) or subtitle.casefold() in title.casefold():
        return title
    return f"{title} {subtitle}" if title[-1] in ":?!" or subtitle[0] in "(:" else f"{title}: {subtitle}"


def person_name(given: object, family: object, suffix: object = None) -> str:
    """A name of two parts, given name first; a part that is missing is left out."""
    parts = (*authors.not_shouted(line(given), line(family)), authors.suffix(line(suffix)))
    return " ".join(part for part in parts if part)


def whole_name(said: object) -> str:
    """A name in one piece, given name first."""
    return authors.given_first(line(said))


def author_names(said: Sequence[str]) -> tuple[str, ...]:
    """Authors in order, without blanks and what is no name."""
    return tuple(name for name in said if not authors.is_nobody(name))


def parse_year(said: object) -> int | None:
    """A year, written as a number or in digits."""
    if isinstance(said, str) and re.fullmatch(r"\s*\d{4}\s*", said, re.ASCII):
        said = int(said)
    return said if type(said) is int and said in _YEARS else None


def parse_day(said: object) -> tuple[int | None, date | None]:
    """The year, and the day when all three parts are given."""
    try:
        found, whole = dates.day(said)
    except (TypeError, ValueError, OverflowError):  # parts of types that no date has
        return None, None
    return parse_year(found), whole


def parse_language(said: object) -> str:
    """Of "en-GB" the language: "en"; blank when it is no code of a language."""
    found = _LANGUAGE.fullmatch(short_text(said))
    return found[1].lower() if found else ""


def build_links(said: Sequence[tuple[object, str]]) -> tuple[WebLink, ...]:
    """Addresses with their roles, each once, without what is no web address."""
    found: dict[str, WebLink] = {}
    for address, role in said:
        url = safe_url(short_text(address)) if isinstance(address, str) else None
        if url and email_addresses.without_mail(url) == url:
            found.setdefault(url, WebLink(url, role))
    return tuple(found.values())
