"""Papers in Org headings: the heading's links and text, its drawer and the short body below it, as one entry."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from readtrack.infra.text.titles.clean import looks_like_title
from readtrack.infra.text.titles.dates import iso_date, iso_day
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.vocabulary import squeeze_name
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry, build_unlinked_entry, link_to
from readtrack.ingest.parser.items.find_links import TextLink, split_around_links
from readtrack.ingest.parser.items.link_roles import STRONG
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.org.citations import (
    cited,
    cited_only,
    cited_year,
    replace_citations,
    without_citations,
    without_other_links,
)
from readtrack.ingest.parser.org.properties import end_of_drawer
from readtrack.ingest.parser.org.publications import Publication, take_publication
from readtrack.ingest.parser.org.roles import LOCAL, OrgHeading, is_key, says_nothing
from readtrack.ingest.parser.vocabulary.author_names import names_in, parse_author_list
from readtrack.ingest.parser.vocabulary.venues import split_venue, take_tag

_STOPS = ("#+", "|", "```", "~~~", "@", "$$", "\\begin", "[fn:", "# ")
_MAX_LINES, _MAX_CHARS, _MAX_WORDS = 80, 6000, 8
_TAIL = re.compile(r"\s?\((?P<authors>[^():]{2,300}): (?P<date>[^():]{4,40})\)\s?$")
_BEFORE_LINK = re.compile(r"^(?P<authors>[^\[\]:]{2,200}(?:et al\.?|, [^\[\]:]{2,100}| and [^\[\]:]{2,60})): (?=\[)")
_CITED_TAIL = re.compile(r", /?(?P<venue>[^/,\[\]()]{2,100})/?, (?P<year>(?:19|20)\d\d)\.?$")
_YEAR_TAIL = re.compile(r"\s\(?(?P<year>(?:19|20)\d\d)\)?$")
_READ_FIRST = re.compile(r"^(?:read|review|skim|finish)(?: the)?(?: paper)?:?\s+(?=[A-Z“\"])", re.IGNORECASE)
_MIN_WORDS = 3
_EMPHASISED = re.compile(r"(?P<mark>\*{1,2}|/|_)(?P<title>[^*_].{2,300})(?P=mark)\\{0,2}")


@dataclass(frozen=True)
class Body:
    """The text and links below a heading, up to index `end`."""

    end: int
    text: str = ""
    extras: tuple[TextLink, ...] = ()


def read_body(page: NoteDocument, start: int, end: int, *, own_line: int | None = None) -> Body:
    """Read words and supplementary links up to the name of another thing.

    Line `own_line` has the paper's own link.
    """
    texts: list[str] = []
    extras: list[TextLink] = []
    last = index = start
    while index < min(end, start + _MAX_LINES) and sum(map(len, texts)) < _MAX_CHARS:
        text, links = page.text(index), page.links_at(index)
        drawer_end = end_of_drawer(page, index, end) if text.startswith(":") else None
        if drawer_end is not None:
            last = index = drawer_end + 1
            continue
        if text.startswith(_STOPS) or (links and index != own_line and not _goes_with_it(text, links)):
            break
        extras += links
        index += 1
        if text:
            texts += [] if index - 1 == own_line else [replace_citations(text)]
            last = index
    return Body(last, "\n".join(texts), tuple(extras))


def _goes_with_it(text: str, links: Sequence[TextLink]) -> bool:
    """Return True for supplementary links: "Source Code: …", [pdf](…), an address of no paper."""
    rest = " ".join(split_around_links(text, list(links))).strip(" -–+*•()[]:")
    if len(rest.split()) > _MAX_WORDS:
        return False
    is_generic = bool(rest) and says_nothing(rest)
    return all(_is_role(link) or (link.label is None and (link.paper_kind != "paper" or is_generic)) for link in links)


def _is_role(link: TextLink) -> bool:
    return is_key(link.label) or (link.label is not None and len(link.label.split()) == 1)


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
    venue, year = split_venue(properties.get("venue", ""))
    read_on = heading.facts.closed if heading.node.status in {"read", ""} else ""
    item_text = ItemText(
        title=_READ_FIRST.sub("", heading.title) if heading.node.status else heading.title,
        authors=parse_author_list(properties.get("authors", "")) or outside_text.authors,
        published=iso_date(properties.get("published", "")) or outside_text.published or cited_year(heading.cited_in),
        venue=venue or outside_text.venue,
        year=year or outside_text.year,
        read_on=iso_day(properties.get("read_on", "")) or read_on,
        rating=properties.get("rating", ""),
        abstract=properties.get("abstract", "") or outside_text.abstract,
        status=heading.node.status or None,
    )
    item_text = _with_apa(item_text, heading.apa) if heading.apa else _without_tail(item_text)
    if not item_text.venue:
        title, behind = take_publication(item_text.title)
        stated = behind or heading.publication or Publication("", None)
        item_text = replace(item_text, title=title, venue=stated.venue, year=item_text.year or stated.year)
    return replace(item_text, title=properties["title"]) if properties.get("title") else item_text


def drop_title_year(item_text: ItemText) -> ItemText:
    """Move the year after the title of a paper without links from the title to the date."""
    year = _YEAR_TAIL.search(item_text.title)
    if not year or len(item_text.title[: year.start()].split()) < _MIN_WORDS:
        return item_text
    title = item_text.title[: year.start()].rstrip(" ,")
    return replace(item_text, title=title, published=item_text.published or year["year"])


def _with_apa(item_text: ItemText, apa: re.Match[str]) -> ItemText:
    year = apa["year"][:4]
    return replace(
        item_text,
        title=apa["title"],
        authors=item_text.authors or parse_author_list(apa["authors"]),
        published=item_text.published or (year if year.isdecimal() else ""),
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


def read_paper(heading: OrgHeading, context: ItemContext, outside: CitationTarget) -> tuple[int, list[ParsedEntry]]:
    """Return the index after the paper's lines, its entry, and entries of other linked things."""
    own_line = heading.own_line if heading.own_link else None
    body = read_body(heading.page, heading.facts.end, heading.node.end, own_line=own_line)
    context = replace(context, last=heading.page.lines[max(body.end, heading.node.body_start) - 1].number)
    item_text = heading_to_item(heading, outside)
    links = [*heading.facts.links, *outside.links, *heading.child_links, *heading.own_link]
    links = links or [link for link in body.extras if link.paper_kind == "paper"]
    if heading.title_links and (text := _words_beside(heading)):
        links, item_text = [*heading.title_links, *links], replace(item_text, title=text)
    elif heading.title_links:
        first, *others = _from_heading(item_text, context)
        return body.end, [_take_title_below(_complete_entry(first, item_text, body, links), body), *others]
    return body.end, [
        _unlinked_or_linked(heading, replace(item_text, text=body.text), context, [links, [*body.extras]])
    ]


def _unlinked_or_linked(
    heading: OrgHeading, item_text: ItemText, context: ItemContext, links: Sequence[list[TextLink]]
) -> ParsedEntry:
    """Build the paper. `links`: those of the paper, and supplementary ones."""
    own_links, extras = links
    papers = [link for link in own_links if link.paper_kind == "paper"]
    if own_links:
        main = next((link for link in papers if link.ref.scheme in STRONG), (papers or own_links)[0])
        item_text = drop_title_year(item_text) if item_text.title.endswith(")") else item_text
        return build_entry(main, item_text, context, [link for link in (*own_links, *extras) if link.ref != main.ref])
    return _sure(heading, _build_unlinked_paper(item_text, context, extras))


def _words_beside(heading: OrgHeading) -> str:
    """Return the title if the link's text is only a key or file name, otherwise ""."""
    if not all(is_key(link.label) or _names_its_file(link) for link in heading.title_links):
        return ""
    return " ".join(split_around_links(heading.title, heading.title_links)).strip(" :-–—()[]")


def _names_its_file(link: TextLink) -> bool:
    label = squeeze_name(link.label or "")
    return link.ref.scheme == "file" and bool(label) and label in squeeze_name(link.ref.key)


def _from_heading(item_text: ItemText, context: ItemContext) -> list[ParsedEntry]:
    return read_piece(without_citations(item_text.title), context, in_list=True)


def _complete_entry(entry: ParsedEntry, item_text: ItemText, body: Body, own_links: Sequence[TextLink]) -> ParsedEntry:
    """Add details from the drawer and the body. Details in the heading take precedence."""
    text = "\n".join(filter(None, [entry.text, body.text]))
    if entry.kind not in {"paper", "lead"}:
        return replace(entry, text=text)
    extras = [*own_links, *body.extras]
    identifiers = [str(link.ref) for link in extras if _names_the_same(link, entry)]
    published = entry.published or item_text.published
    return replace(
        entry,
        authors=entry.authors or item_text.authors,
        published=published,
        venue=entry.venue or item_text.venue,
        year=entry.year or item_text.year or (int(published[:4]) if published else None),
        status=entry.status or item_text.status,
        read_on=item_text.read_on or entry.read_on,
        rating=entry.rating or item_text.rating,
        abstract=entry.abstract or item_text.abstract,
        identifiers=tuple(dict.fromkeys([*entry.identifiers, *identifiers])),
        links=tuple(dict.fromkeys([*entry.links, *(link_to(link) for link in extras if link.address)])),
        text=text,
    )


def _take_title_below(entry: ParsedEntry, body: Body) -> ParsedEntry:
    """Take title and authors from the lines below a heading of identifiers.

    The title is emphasised, and the authors are on the next line.
    """
    first, _, rest = body.text.partition("\n")
    title = _EMPHASISED.fullmatch(first)
    if entry.kind != "paper" or title is None or (entry.title and not entry.title.startswith("(")):
        return entry
    authors, _, remainder = rest.partition("\n")
    names = names_in(authors.rstrip("\\"))
    text = "\n".join(filter(None, [remainder if names else rest]))
    return replace(entry, title=title["title"], authors=entry.authors or names, text=text)


def _names_the_same(link: TextLink, entry: ParsedEntry) -> bool:
    return link.paper_kind == "paper" and link.ref.scheme != "url" and entry.paper_kind in {"paper", "page"}


def _build_unlinked_paper(item_text: ItemText, context: ItemContext, extras: Sequence[TextLink]) -> ParsedEntry:
    """Build a paper without web links. A link to a local file identifies it."""
    local_link = LOCAL.search(item_text.title)
    title = without_other_links(without_citations(LOCAL.sub("", item_text.title) if local_link else item_text.title))
    entry = build_unlinked_entry(drop_title_year(replace(item_text, title=title)), context, extras)
    if not local_link:
        return entry
    return replace(entry, identifiers=(f"file:{unquote(local_link['target'].removeprefix('file:'))}",), reason="")


def _sure(heading: OrgHeading, entry: ParsedEntry) -> ParsedEntry:
    """Return a lead if the heading has only a citation and words that are no title."""
    if entry.title and (not cited(heading.page.lines[heading.node.index].raw) or looks_like_title(entry.title)):
        return entry
    text = "\n".join(filter(None, [entry.title, entry.text]))
    reason = cited_only(heading.keys) if heading.keys else entry.reason
    return replace(entry, kind="lead", paper_kind="", identifiers=(), title="", text=text, reason=reason)
