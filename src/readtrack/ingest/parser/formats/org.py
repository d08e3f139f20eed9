"""Org headings, each with the lines that belong to it.

Whether a note is Org is decided once for the whole note.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from readtrack.ingest.parser.bibliography.work import BibliographyWork, choose_links
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.bibtex import works_by_line
from readtrack.ingest.parser.headings.headlines import name_of, stated_status, stated_status_reason
from readtrack.ingest.parser.headings.outline import (
    ATX_STEP,
    OutlineHeading,
    lists_references,
    no_topic_reason,
    topic_below,
)
from readtrack.ingest.parser.items.build_entry import ItemContext, link_to
from readtrack.ingest.parser.lines import TextLine
from readtrack.ingest.parser.org.outline import OrgNode, headings, is_org
from readtrack.ingest.parser.org.papers import CitationTarget, read_body, read_paper
from readtrack.ingest.parser.org.roles import PAPER, PART, OrgHeading, has_similar_titles, roles

_RULE = frozenset("|-+: ")
_NO_SLASHES = re.compile(r"(?<=\()(https?):(?=[a-z])")
_LISTED_LINK = re.compile(r"[-+] (?:\[[ xX-]\] )?\[[^\[\]]{1,500}\]\([^()\s]{1,2000}\) :: ")
_FILE = re.compile(r"\]\(file:(?=[^()]{1,500}\.pdf\))", re.IGNORECASE)
_FOOTNOTE_MARK = re.compile(r"\s?\[fn:[\w-]{1,40}\]")
_MAX_NESTING = 6


@dataclass(frozen=True)
class OrgNote:
    """State of an Org note; empty for other notes."""

    is_org: bool = False
    headings: dict[int, OrgHeading] = field(default_factory=dict)


@dataclass(frozen=True)
class Works:
    """The bibliography entries in the note, by key and by line index."""

    by_key: dict[str, BibliographyWork]
    by_line: dict[int, BibliographyWork]
    lines: list[int]

    def only_one_below(self, heading: OrgHeading) -> BibliographyWork | None:
        """Return the subtree's only bibliography entry if its title is similar."""
        first, end = (bisect_left(self.lines, index) for index in (heading.node.index, heading.node.subtree_end))
        if end - first != 1:
            return None
        work = self.by_line[self.lines[first]]
        return work if has_similar_titles(work.title, heading.title) else None


@once_per_note
def _find_works(page: NoteDocument) -> Works:
    by_line = works_by_line(page)
    by_key = {work.key: work for work in reversed(by_line.values()) if work.key}
    return Works(by_key, by_line, sorted(by_line))


@once_per_note
def org_note(page: NoteDocument) -> OrgNote:
    """Return the Org state of the note. The lines of an Org note are spelled as in Markdown first."""
    if not is_org(page.lines):
        return OrgNote()
    page.lines[:] = [_spell_as_markdown(line) for line in page.lines]
    return OrgNote(is_org=True, headings=roles(headings(page.lines), page))


def _spell_as_markdown(line: TextLine) -> TextLine:
    """Return a line with table rules, link descriptions and files as in Markdown.

    Missing slashes in addresses are added, footnote marks removed.
    """
    text = line.text
    if text.startswith("|-") and set(text) <= _RULE:
        text = text.replace("+", "|")
    elif " :: " in text and _LISTED_LINK.match(text):
        text = text.replace(" :: ", " – ", 1)
    elif "http" in text:
        text = _NO_SLASHES.sub(r"\1://", text)
    if "[fn:" in text:
        text = _FOOTNOTE_MARK.sub("", text).strip()
    if "(file:" in text:
        text = _FILE.sub("](", text)
    return line if text == line.text else TextLine(line.number, line.raw, text, line.indent)


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    heading = org_note(page).headings.get(start)
    if heading is None:
        return None
    if heading.role == PAPER:
        return _read_paper_heading(heading)
    return _read_part_heading(heading) if heading.role == PART else _read_topic_heading(heading)


def _read_paper_heading(heading: OrgHeading) -> EntryBlock:
    node, page = heading.node, heading.page
    page.outline.enter(OutlineHeading(_level(heading), node.title))
    topics = tuple(dict.fromkeys([*page.outline.topics, *node.tags]))
    number = page.lines[node.index].number
    context = ItemContext(number, number, topics, node.status or page.outline.status)
    end, entries = read_paper(heading, context, _find_cited_work(heading))
    page.outline.enter(OutlineHeading(_level(heading), node.title, paper=entries[0].title or node.title))
    return EntryBlock(end - node.index, entries)


def _find_cited_work(heading: OrgHeading) -> CitationTarget:
    """Return the bibliography entry that the heading cites, or the only one below it."""
    works = _find_works(heading.page)
    matches = [works.by_key[key] for key in heading.keys[:1] if key in works.by_key]
    work = next(iter(matches), None) or works.only_one_below(heading)
    if work is None:
        return CitationTarget()
    main, extras = choose_links(work)
    return CitationTarget(tuple([main, *extras] if main else extras), work.item_text)


def _read_topic_heading(heading: OrgHeading) -> EntryBlock:
    node, page = heading.node, heading.page
    name = name_of(node.title) or node.title
    page.outline.leave(_level(heading))
    end, topics = heading.facts.drawers_end, page.outline.topics
    status = None if node.status else stated_status(page, name)
    topic = "" if status else topic_below(topics or _outer_names(node), name)
    reason = stated_status_reason(name) if status else "" if topic else no_topic_reason(name)
    page.outline.enter(OutlineHeading(_level(heading), name, topic, references=lists_references(name), status=status))
    if node.status and not node.children and not heading.holds_a_list:
        page.outline.enter(OutlineHeading(_level(heading), name))
        return _build_block(heading, end, "snippet", text=node.title, topics=topics)
    if reason:
        return _build_block(heading, end, "junk", title=name, topics=topics, decision="skip", reason=reason)
    links = tuple(link_to(link) for link in heading.title_links if link.address)
    return _build_block(heading, end, "topic", title=topic, topics=topics, links=links)


def _outer_names(node: OrgNode) -> tuple[str, ...]:
    """Return the parent heading even if it is no topic: "Others" is named after it."""
    return (node.parent.title,) if node.parent else ()


def _read_part_heading(heading: OrgHeading) -> EntryBlock:
    """Read a heading within the notes on a paper. Entries below it are filed like the paper."""
    node, page = heading.node, heading.page
    page.outline.enter(OutlineHeading(_level(heading), node.title))
    body = read_body(page, heading.facts.end, node.end)
    end = heading.facts.end if body.extras else max(body.end, node.body_start)
    text = node.title if body.extras else "\n".join(filter(None, [node.title, body.text]))
    return _build_block(heading, end, "snippet", text=text, topics=page.outline.topics)


def _build_block(heading: OrgHeading, end: int, kind: str, **fields: object) -> EntryBlock:
    """Build the block of the heading with the lines below it up to index `end`."""
    node, page = heading.node, heading.page
    entry = ParsedEntry(*page.numbers(node.index, end), 1, kind, **fields)  # type: ignore[arg-type]
    return EntryBlock(end - node.index, [entry])


def _level(heading: OrgHeading) -> int:
    level = heading.node.level
    return (
        level * ATX_STEP if level <= _MAX_NESTING else _MAX_NESTING * ATX_STEP + min(level - _MAX_NESTING, ATX_STEP - 1)
    )


SHAPE = Shape("org", 6, read)
