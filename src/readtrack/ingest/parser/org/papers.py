"""A paper out of an Org heading: its links, its drawer, and the short body below it, as one entry."""

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from readtrack.infra.text.titles.clean import looks_like_title
from readtrack.ingest.parser.entry import Entry
from readtrack.ingest.parser.headings.outline import squeezed
from readtrack.ingest.parser.items.build_entry import Place, Told, link_to, make, make_unlinked
from readtrack.ingest.parser.items.find_links import Found, find, without
from readtrack.ingest.parser.items.link_roles import STRONG
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.org.body import Body, read_body
from readtrack.ingest.parser.org.citations import cited, cited_only, without_citations, without_other_links
from readtrack.ingest.parser.org.extract_text import Outside, named_only, told_of
from readtrack.ingest.parser.org.roles import LOCAL, Heading, is_key
from readtrack.ingest.parser.vocabulary.person_names import names_in

_EMPHASISED = re.compile(r"(?P<mark>\*{1,2}|/|_)(?P<title>[^*_].{2,300})(?P=mark)\\{0,2}")


def read_paper(heading: Heading, place: Place, outside: Outside) -> tuple[int, list[Entry]]:
    """The index behind the paper's lines, and its entry, with those of further things that the heading links."""
    own_line = heading.body if heading.own_link else None
    body = read_body(heading.page, heading.facts.end, heading.node.end, own=own_line)
    place = replace(place, last=heading.page.lines[max(body.end, heading.node.below) - 1].number)
    told = told_of(heading, outside)
    own = [*_of_facts(heading), *outside.finds, *heading.child_links, *heading.own_link]
    own = own or [each for each in body.extras if each.paper_kind == "paper"]
    if heading.found and (words := _words_beside(heading)):
        own, told = [*heading.found, *own], replace(told, title=words)
    elif heading.found:
        first, *others = _from_heading(told, place)
        return body.end, [_titled_below(_completed(first, told, body, own), body), *others]
    return body.end, [_unlinked_or_linked(heading, replace(told, text=body.text), place, [own, [*body.extras]])]


def _unlinked_or_linked(heading: Heading, told: Told, place: Place, links: Sequence[list[Found]]) -> Entry:
    """`links`: those that name the paper, and those that go with it."""
    own, extras = links
    papers = [each for each in own if each.paper_kind == "paper"]
    if own:
        main = next((each for each in papers if each.ref.scheme in STRONG), (papers or own)[0])
        told = named_only(told) if told.title.endswith(")") else told
        return make(main, told, place, [each for each in (*own, *extras) if each.ref != main.ref])
    return _sure(heading, _named(told, place, extras))


def _of_facts(heading: Heading) -> list[Found]:
    return [found for _, value in heading.facts.addresses for found in find(value)]


def _words_beside(heading: Heading) -> str:
    """The title, where the link's own text is only a key or the name of a file."""
    if not all(is_key(each.label) or _names_its_file(each) for each in heading.found):
        return ""
    return " ".join(without(heading.title, heading.found)).strip(" :-–—()[]")


def _names_its_file(found: Found) -> bool:
    label = squeezed(found.label or "")
    return found.ref.scheme == "file" and bool(label) and label in squeezed(found.ref.key)


def _from_heading(told: Told, place: Place) -> list[Entry]:
    return read_piece(without_citations(told.title), place, listed=True)


def _completed(entry: Entry, told: Told, body: Body, own: Sequence[Found]) -> Entry:
    """What the drawer and the body tell is added; what the heading itself said stays."""
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


def _titled_below(entry: Entry, body: Body) -> Entry:
    """Under a heading of mere identifiers the title is the emphasised line below, and the authors the next."""
    first, _, rest = body.text.partition("\n")
    title = _EMPHASISED.fullmatch(first)
    if entry.kind != "paper" or title is None or (entry.title and not entry.title.startswith("(")):
        return entry
    authors, _, behind = rest.partition("\n")
    names = names_in(authors.rstrip("\\"))
    text = "\n".join(filter(None, [behind if names else rest]))
    return replace(entry, title=title["title"], authors=entry.authors or names, text=text)


def _names_the_same(found: Found, entry: Entry) -> bool:
    return found.paper_kind == "paper" and found.ref.scheme != "url" and entry.paper_kind in {"paper", "page"}


def _named(told: Told, place: Place, extras: Sequence[Found]) -> Entry:
    """A paper without any link on the web; a file on somebody's disk names it, too."""
    local = LOCAL.search(told.title)
    words = without_other_links(without_citations(LOCAL.sub("", told.title) if local else told.title))
    entry = make_unlinked(named_only(replace(told, title=words)), place, extras)
    if not local:
        return entry
    return replace(entry, identifiers=(f"file:{unquote(local['target'].removeprefix('file:'))}",), reason="")


def _sure(heading: Heading, entry: Entry) -> Entry:
    """A citation in a heading, with words that are no title, names a paper by its key only."""
    if entry.title and (not cited(heading.page.lines[heading.node.at].raw) or looks_like_title(entry.title)):
        return entry
    text = "\n".join(filter(None, [entry.title, entry.text]))
    reason = cited_only(heading.keys) if heading.keys else entry.reason
    return replace(entry, kind="lead", paper_kind="", identifiers=(), title="", text=text, reason=reason)
