"""Accessors for fields of JSON responses. Values of an unexpected type count as missing."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from readtrack.infra.text import person_names
from readtrack.infra.text.normalize import clean
from readtrack.infra.text.person_names import NameParts
from readtrack.infra.text.urls import safe_url
from readtrack.metadata.parsing import authors, dates, latex, markup, plain_text
from readtrack.metadata.types import WebLink

LINE, PROSE, MANY = 2_000, 50_000, 5_000  # Characters of a title or name, characters of an abstract, members of a list.
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*", re.IGNORECASE)
_YEARS = range(1000, 2200)


def value_at(tree: object, *path: str) -> object:
    """Return the value at a path, or None."""
    for name in path:
        tree = as_mapping(tree).get(name)
    return tree


def as_mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> Sequence[object]:
    """Return the members of a list; a single value counts as a list of one."""
    if value is None:
        return ()
    return value[:MANY] if isinstance(value, list) else (value,)


def as_mappings(value: object) -> Sequence[Mapping[str, object]]:
    return [member for member in as_list(value) if isinstance(member, dict)]


def short_text(value: object) -> str:
    """Return a short text, stripped, e.g. an identifier, URL or type name.

    The first one of a list.
    """
    texts = (clean(text[: 2 * LINE]).strip() for text in as_list(value) if isinstance(text, str))
    return next((text[:LINE] for text in texts if text), "")


def line(value: object) -> str:
    """Return a title or name without markup, LaTeX outside $…$ and mail addresses.

    The first one of a list.
    """
    return plain_text.without_mail(latex.decode_latex(markup.strip_markup(short_text(value)))).strip()


def prose(value: object) -> str:
    """Return a long text without markup, mail addresses and its heading.

    The first one of a list.
    """
    texts = (clean(text[:PROSE]) for text in as_list(value) if isinstance(text, str))
    return plain_text.without_mail(next(filter(None, map(markup.strip_markup, texts)), "")).strip()


def join_title(title: str, subtitle: str) -> str:
    """Append the subtitle to a title unless the title contains it already."""
    if not (title and subtitle) or subtitle.casefold() in title.casefold():
        return title
    return f"{title} {subtitle}" if title[-1] in ":?!" or subtitle[0] in "(:" else f"{title}: {subtitle}"


def person_name(given: object, family: object, suffix: object = None, particle: object = None) -> str:
    """Return a name built from its parts, given name first; missing parts are omitted."""
    given_name, family_name = authors.not_shouted(line(given), line(family))
    if not (given_name and family_name):
        return person_names.undivided(given_name or family_name)
    return person_names.join_parts(
        NameParts(family_name, given_name, line(particle), person_names.suffix(line(suffix)))
    )


def whole_name(value: object) -> str:
    """Return a name given as one text, given name first."""
    return person_names.given_first(line(value))


def organization_name(*values: object) -> str:
    """Return the first name that is not divided, such as that of an organization."""
    return person_names.undivided(next(filter(None, map(line, values)), ""))


def author_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return author names in order, without blanks and texts that are no names."""
    return tuple(name for name in names if not authors.is_nobody(name))


def parse_year(value: object) -> int | None:
    """Return a year given as a number or digits; None if it is invalid."""
    if isinstance(value, str) and re.fullmatch(r"\s*\d{4}\s*", value, re.ASCII):
        value = int(value)
    return value if type(value) is int and value in _YEARS else None


def parse_day(value: object) -> tuple[int | None, date | None]:
    """Return the year and, if all three parts are given, the date."""
    try:
        year, day = dates.day(value)
    except (TypeError, ValueError, OverflowError):  # Parts of unexpected types.
        return None, None
    return parse_year(year), day


def parse_language(value: object) -> str:
    """Return the language code of a tag, e.g. "en" for "en-GB"; "" if it is invalid."""
    match = _LANGUAGE.fullmatch(short_text(value))
    return match[1].lower() if match else ""


def build_links(pairs: Sequence[tuple[object, str]]) -> tuple[WebLink, ...]:
    """Return links with their roles, without duplicates and invalid URLs."""
    links: dict[str, WebLink] = {}
    for address, role in pairs:
        url = safe_url(short_text(address)) if isinstance(address, str) else None
        if url and plain_text.without_mail(url) == url:
            links.setdefault(url, WebLink(url, role))
    return tuple(links.values())
