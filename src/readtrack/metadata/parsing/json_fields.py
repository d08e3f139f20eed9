"""Accessors for fields of JSON responses. Values of an unexpected type count as missing."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from readtrack.infra.text.normalize import clean
from readtrack.infra.text.urls import safe_url
from readtrack.metadata.parsing import authors, dates, email_addresses, latex, markup
from readtrack.metadata.types import WebLink

LINE, PROSE, MANY = 2_000, 50_000, 5_000  # Characters of a title or name, characters of an abstract, members of a list.
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*", re.IGNORECASE)
_YEARS = range(1000, 2200)


def value_at(tree: object, *path: str) -> object:
    """Return the value at a path, or None."""
    for name in path:
        tree = as_mapping(tree).get(name)
    return tree


def as_mapping(said: object) -> Mapping[str, object]:
    return said if isinstance(said, dict) else {}


def as_list(said: object) -> Sequence[object]:
    """Return the members of a list; a single value counts as a list of one."""
    if said is None:
        return ()
    return said[:MANY] if isinstance(said, list) else (said,)


def as_mappings(said: object) -> Sequence[Mapping[str, object]]:
    return [one for one in as_list(said) if isinstance(one, dict)]


def short_text(said: object) -> str:
    """Return a short text, stripped, e.g. an identifier, URL or type name.

    The first one of a list.
    """
    found = (clean(one[: 2 * LINE]).strip() for one in as_list(said) if isinstance(one, str))
    return next((one[:LINE] for one in found if one), "")


def line(said: object) -> str:
    """Return a title or name without markup, LaTeX outside $…$ and mail addresses.

    The first one of a list.
    """
    return email_addresses.without_mail(latex.decode_latex(markup.strip_markup(short_text(said)))).strip()


def prose(said: object) -> str:
    """Return a long text without markup, mail addresses and its heading.

    The first one of a list.
    """
    texts = (clean(one[:PROSE]) for one in as_list(said) if isinstance(one, str))
    return email_addresses.without_mail(next(filter(None, map(markup.strip_markup, texts)), "")).strip()


def join_title(title: str, subtitle: str) -> str:
    """Append the subtitle to a title unless the title contains it already."""
    if not (title and subtitle) or subtitle.casefold() in title.casefold():
        return title
    return f"{title} {subtitle}" if title[-1] in ":?!" or subtitle[0] in "(:" else f"{title}: {subtitle}"


def person_name(given: object, family: object, suffix: object = None) -> str:
    """Return a name built from its parts, given name first; missing parts are omitted."""
    parts = (*authors.not_shouted(line(given), line(family)), authors.suffix(line(suffix)))
    return " ".join(part for part in parts if part)


def whole_name(said: object) -> str:
    """Return an undivided name, given name first."""
    return authors.given_first(line(said))


def author_names(said: Sequence[str]) -> tuple[str, ...]:
    """Return author names in order, without blanks and texts that are no names."""
    return tuple(name for name in said if not authors.is_nobody(name))


def parse_year(said: object) -> int | None:
    """Return a year given as a number or digits; None if it is invalid."""
    if isinstance(said, str) and re.fullmatch(r"\s*\d{4}\s*", said, re.ASCII):
        said = int(said)
    return said if type(said) is int and said in _YEARS else None


def parse_day(said: object) -> tuple[int | None, date | None]:
    """Return the year and, if all three parts are given, the date."""
    try:
        found, whole = dates.day(said)
    except (TypeError, ValueError, OverflowError):  # Parts of unexpected types.
        return None, None
    return parse_year(found), whole


def parse_language(said: object) -> str:
    """Return the language code of a tag, e.g. "en" for "en-GB"; "" if it is invalid."""
    found = _LANGUAGE.fullmatch(short_text(said))
    return found[1].lower() if found else ""


def build_links(said: Sequence[tuple[object, str]]) -> tuple[WebLink, ...]:
    """Return links with their roles, without duplicates and invalid URLs."""
    found: dict[str, WebLink] = {}
    for address, role in said:
        url = safe_url(short_text(address)) if isinstance(address, str) else None
        if url and email_addresses.without_mail(url) == url:
            found.setdefault(url, WebLink(url, role))
    return tuple(found.values())
