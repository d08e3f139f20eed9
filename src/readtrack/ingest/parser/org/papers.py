"""Papers in Org headings: the heading's links, its drawer and the short body below it, as one entry."""

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from readtrack.infra.text.titles.clean import looks_like_title
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import squeeze_name
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry, build_unlinked_entry, link_to
from readtrack.ingest.parser.items.find_links import TextLink, find_links, split_around_links
from readtrack.ingest.parser.items.link_roles import STRONG
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.org.body import Body, read_body
from readtrack.ingest.parser.org.citations import cited, cited_only, without_citations, without_other_links
from readtrack.ingest.parser.org.extract_text import CitationTarget, drop_title_year, heading_to_item
from readtrack.ingest.parser.org.roles import LOCAL, OrgHeading, is_key
from readtrack.ingest.parser.vocabulary.person_names import names_in

_EMPHASISED = re.compile(r"(?P<mark>\*{1,2}|/|_)(?P<title>[^*_].{2,300})(?P=mark)\\{0,2}")


def read_paper(heading: OrgHeading, place: ItemContext, outside: CitationTarget) -> tuple[int, list[ParsedEntry]]:
    """Return the index after the paper's lines, its entry, and entries of other linked things."""
    own_line = heading.body if heading.own_link else None
    body = read_body(heading.page, heading.facts.end, heading.node.end, own=own_line)
    place = replace(place, last=heading.page.lines[max(body.end, heading.node.below) - 1].number)
    told = heading_to_item(heading, outside)
    own = [*_links_from_properties(heading), *outside.finds, *heading.child_links, *heading.own_link]
    own = own or [each for each in body.extras if each.paper_kind == "paper"]
    if heading.title_links and (words := _words_beside(heading)):
        own, told = [*heading.title_links, *own], replace(told, title=words)
    elif heading.title_links:
        first, *others = _from_heading(told, place)
        return body.end, [_take_title_below(_complete_entry(first, told, body, own), body), *others]
    return body.end, [_unlinked_or_linked(heading, replace(told, text=body.text), place, [own, [*body.extras]])]


def _unlinked_or_linked(
    heading: OrgHeading, told: ItemText, place: ItemContext, links: Sequence[list[TextLink]]
) -> ParsedEntry:
    """Build the paper. `links`: those of the paper, and supplementary ones."""
    own, extras = links
    papers = [each for each in own if each.paper_kind == "paper"]
    if own:
        main = next((each for each in papers if each.ref.scheme in STRONG), (papers or own)[0])
        told = drop_title_year(told) if told.title.endswith(")") else told
        return build_entry(main, told, place, [each for each in (*own, *extras) if each.ref != main.ref])
    return _sure(heading, _build_unlinked_paper(told, place, extras))


def _links_from_properties(heading: OrgHeading) -> list[TextLink]:
    return [found for _, value in heading.facts.addresses for found in find_links(value)]


def _words_beside(heading: OrgHeading) -> str:
    """Return the title if the link's text is only a key or file name, otherwise ""."""
    if not all(is_key(each.label) or _names_its_file(each) for each in heading.title_links):
        return ""
    return " ".join(split_around_links(heading.title, heading.title_links)).strip(" :-–—()[]")


def _names_its_file(found: TextLink) -> bool:
    label = squeeze_name(found.label or "")
    return found.ref.scheme == "file" and bool(label) and label in squeeze_name(found.ref.key)


def _from_heading(told: ItemText, place: ItemContext) -> list[ParsedEntry]:
    return read_piece(without_citations(told.title), place, listed=True)


def _complete_entry(entry: ParsedEntry, told: ItemText, body: Body, own: Sequence[TextLink]) -> ParsedEntry:
    """Add details from the drawer and the body. Details in the heading take precedence."""
    text = "\n".join(filter(None, [entry.text, body.text]))
    if entry.kind not in {"paper", "lead"}:
        return replace(entry, text=text)
    extras = [*own, *body.extras]
    same = [str(each.ref) for each in extras if _names_the_same(each, entry)]
    published = entry.published or told.published
    return replace(
        entry,
        authors=entry.authors or told.authors,
        published=published,
        venue=entry.venue or told.venue,
        year=entry.year or (int(published[:4]) if published else None),
        status=entry.status or told.status,
        read_on=told.read_on or entry.read_on,
        rating=entry.rating or told.rating,
        abstract=entry.abstract or told.abstract,
        identifiers=tuple(dict.fromkeys([*entry.identifiers, *same])),
        links=tuple(dict.fromkeys([*entry.links, *(link_to(each) for each in extras if each.address)])),
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
    authors, _, behind = rest.partition("\n")
    names = names_in(authors.rstrip("\\"))
    text = "\n".join(filter(None, [behind if names else rest]))
    return replace(entry, title=title["title"], authors=entry.authors or names, text=text)


def _names_the_same(found: TextLink, entry: ParsedEntry) -> bool:
    return found.paper_kind == "paper" and found.ref.scheme != "url" and entry.paper_kind in {"paper", "page"}


def _build_unlinked_paper(told: ItemText, place: ItemContext, extras: Sequence[TextLink]) -> ParsedEntry:
    """Build a paper without web links. A link to a local file identifies it."""
    local = LOCAL.search(told.title)
    words = without_other_links(without_citations(LOCAL.sub("", told.title) if local else told.title))
    entry = build_unlinked_entry(drop_title_year(replace(told, title=words)), place, extras)
    if not local:
        return entry
    return replace(entry, identifiers=(f"file:{unquote(local['target'].removeprefix('file:'))}",), reason="")


def _sure(heading: OrgHeading, entry: ParsedEntry) -> ParsedEntry:
    """Return a lead if the heading has only a citation and words that are no title."""
    if entry.title and (not cited(heading.page.lines[heading.node.at].raw) or looks_like_title(entry.title)):
        return entry
    text = "\n".join(filter(None, [entry.title, entry.text]))
    reason = cited_only(heading.keys) if heading.keys else entry.reason
    return replace(entry, kind="lead", paper_kind="", identifiers=(), title="", text=text, reason=reason)
