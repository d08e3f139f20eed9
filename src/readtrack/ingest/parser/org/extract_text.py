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

    links: tuple[TextLink, ...] = ()
    item_text: ItemText = field(default_factory=ItemText)


def heading_to_item(heading: OrgHeading, outside: CitationTarget) -> ItemText:
    """Return the details except the text of the body.

    The title is verbatim, to be cleaned later.
    """
    properties, outside_text = heading.facts.values, outside.item_text
    read_on = heading.facts.closed if heading.node.status in {"read", ""} else ""
    item_text = ItemText(
        title=_READ_FIRST.sub("", heading.title) if heading.node.status else heading.title,
        authors=parse_author_list(properties.get("authors", "")) or outside_text.authors,
        published=iso_date(properties.get("published", "")) or outside_text.published or cited_year(heading.cited_in),
        venue=properties.get("venue", "") or outside_text.venue,
        read_on=iso_day(properties.get("read_on", "")) or read_on,
        rating=properties.get("rating", ""),
        abstract=properties.get("abstract", "") or outside_text.abstract,
        status=heading.node.status or None,
    )
    item_text = _apa(heading, item_text) if heading.apa else _without_tail(item_text)
    return replace(item_text, title=properties["title"]) if properties.get("title") else item_text


def drop_title_year(item_text: ItemText) -> ItemText:
    """Move the year after the title of a paper without links from the title to the date."""
    year = _YEAR_TAIL.search(item_text.title)
    if not year or len(item_text.title[: year.start()].split()) < _FEWEST_WORDS:
        return item_text
    title = item_text.title[: year.start()].rstrip(" ,")
    return replace(item_text, title=title, published=item_text.published or year["year"])


def _apa(heading: OrgHeading, item_text: ItemText) -> ItemText:
    if not (match := heading.apa):
        return item_text
    authors, published = (
        item_text.authors or parse_author_list(match["authors"]),
        item_text.published or match["year"][:4],
    )
    return replace(
        item_text,
        title=match["title"],
        authors=authors,
        published=published if published.isdecimal() else item_text.published,
    )


def _without_tail(item_text: ItemText) -> ItemText:
    """Split details from a title.

    They are `(Hu, Chen: May 2019)` or `, Venue, 2000.` at the end, or `Morris et al.:` before a link.
    """
    title = item_text.title
    if (tail := _TAIL.search(title)) and (date := iso_date(tail["date"])):
        return replace(
            item_text, title=title[: tail.start()], authors=parse_author_list(tail["authors"]), published=date
        )
    if before := _BEFORE_LINK.match(title):
        title = title[before.end() :]
        item_text = replace(item_text, title=title, authors=parse_author_list(before["authors"]))
    if (cited_tail := _CITED_TAIL.search(title)) and ")" in title[: cited_tail.start() + 1]:
        venue = take_tag(cited_tail["venue"]).venue or cited_tail["venue"].strip("/ ")
        return replace(item_text, title=title[: cited_tail.start()], venue=venue, published=cited_tail["year"])
    return item_text
