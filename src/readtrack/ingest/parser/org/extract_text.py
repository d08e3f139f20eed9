"""Details of a paper in an Org heading and its drawer, besides links: title, authors, venue, dates."""

import re
from dataclasses import dataclass, field, replace

from readtrack.infra.text.titles.dates import iso_date, iso_day
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.org.citations import cited_year
from readtrack.ingest.parser.org.roles import OrgHeading
from readtrack.ingest.parser.vocabulary.author_names import parse_author_list
from readtrack.ingest.parser.vocabulary.venues import take_tag

_TAIL = re.compile(r"\s?\((?P<authors>[^():]{2,300}): (?P<date>[^():]{4,40})\)\s?$")
_BEFORE_LINK = re.compile(r"^(?P<authors>[^\[\]:]{2,200}(?:et al\.?|, [^\[\]:]{2,100}| and [^\[\]:]{2,60})): (?=\[)")
_CITED_TAIL = re.compile(r", /?(?P<venue>[^/,\[\]()]{2,100})/?, (?P<year>(?:19|20)\d\d)\.?$")
_YEAR_TAIL = re.compile(r"\s\(?(?P<year>(?:19|20)\d\d)\)?$")
_READ_FIRST = re.compile(r"^(?:read|review|skim|finish)(?: the)?(?: paper)?:?\s+(?=[A-Z“\"])", re.IGNORECASE)
_FEWEST_WORDS = 3


@dataclass(frozen=True)
class CitationTarget:
    """The bibliography entry that a citation key refers to: its identifiers and details."""

    finds: tuple[TextLink, ...] = ()
    told: ItemText = field(default_factory=ItemText)


def heading_to_item(heading: OrgHeading, outside: CitationTarget) -> ItemText:
    """Return the details except the text of the body.

    The title is verbatim, to be cleaned later.
    """
    said, other = heading.facts.said, outside.told
    read_on = heading.facts.closed if heading.node.status in {"read", ""} else ""
    told = ItemText(
        title=_READ_FIRST.sub("", heading.title) if heading.node.status else heading.title,
        authors=parse_author_list(said.get("authors", "")) or other.authors,
        published=iso_date(said.get("published", "")) or other.published or cited_year(heading.cited_in),
        venue=said.get("venue", "") or other.venue,
        read_on=iso_day(said.get("read_on", "")) or read_on,
        rating=said.get("rating", ""),
        abstract=said.get("abstract", "") or other.abstract,
        status=heading.node.status or None,
    )
    told = _apa(heading, told) if heading.apa else _without_tail(told)
    return replace(told, title=said["title"]) if said.get("title") else told


def drop_title_year(told: ItemText) -> ItemText:
    """Move the year after the title of a paper without links from the title to the date."""
    year = _YEAR_TAIL.search(told.title)
    if not year or len(told.title[: year.start()].split()) < _FEWEST_WORDS:
        return told
    title = told.title[: year.start()].rstrip(" ,")
    return replace(told, title=title, published=told.published or year["year"])


def _apa(heading: OrgHeading, told: ItemText) -> ItemText:
    if not (found := heading.apa):
        return told
    authors, published = told.authors or parse_author_list(found["authors"]), told.published or found["year"][:4]
    return replace(
        told, title=found["title"], authors=authors, published=published if published.isdecimal() else told.published
    )


def _without_tail(told: ItemText) -> ItemText:
    """Split details from a title.

    They are `(Hu, Chen: May 2019)` or `, Venue, 2000.` at the end, or `Morris et al.:` before a link.
    """
    title = told.title
    if (tail := _TAIL.search(title)) and (date := iso_date(tail["date"])):
        return replace(told, title=title[: tail.start()], authors=parse_author_list(tail["authors"]), published=date)
    if before := _BEFORE_LINK.match(title):
        title = title[before.end() :]
        told = replace(told, title=title, authors=parse_author_list(before["authors"]))
    if (behind := _CITED_TAIL.search(title)) and ")" in title[: behind.start() + 1]:
        venue = take_tag(behind["venue"]).venue or behind["venue"].strip("/ ")
        return replace(told, title=title[: behind.start()], venue=venue, published=behind["year"])
    return told
