"""Lines specific to Org: keywords, comments, drawers, planning, code blocks, citations."""

import re

from readtrack.infra.text.titles.dates import iso_date
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, keep_as_remark, skip_lines
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.bibtex import read_framed_entries
from readtrack.ingest.parser.formats.org import org_note
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry, build_unlinked_entry
from readtrack.ingest.parser.org.citations import cited, cited_only, without_citations
from readtrack.ingest.parser.org.properties import end_of_drawer, is_planning, read_properties
from readtrack.ingest.parser.reasons import ORG_COMMENT, ORG_DRAWER, ORG_SETTING
from readtrack.ingest.parser.vocabulary.author_names import parse_author_list

_BEGIN = re.compile(r"#\+begin_(?P<name>\w{1,30})\b.*", re.IGNORECASE)
_FIXED = re.compile(r": .+|:$")
_BULLET = re.compile(r"^(?:[-+]|\d{1,3}[.)])\s(?:\[[ xX-]\]\s)?")
_BRACKETED = re.compile(r"\([^()]{0,200}\)?")
_TITLE = re.compile(r"#\+title:\s?(?P<title>.{3,300})", re.IGNORECASE)
_NEAR_TITLE = 12
_MAX_BLOCK_LINES = 2000


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not org_note(page).is_org:
        return None
    text = page.text(start)
    if text.startswith("#"):
        return _read_hash_line(page, start)
    if text.startswith(":"):
        return _read_colon_line(page, start)
    if is_planning(text):
        return skip_lines(page, start, start + 1, ORG_DRAWER)
    return _read_lone_citation(page, start) if "cite" in text.casefold() else None


def _read_hash_line(page: NoteDocument, index: int) -> EntryBlock | None:
    text = page.text(index)
    if match := _BEGIN.fullmatch(text):
        return _read_block(page, index, match["name"].lower())
    if text.startswith("#+"):
        return skip_lines(page, index, index + 1, ORG_SETTING)
    return skip_lines(page, index, index + 1, ORG_COMMENT) if text == "#" or text.startswith("# ") else None


def _read_block(page: NoteDocument, start: int, name: str) -> EntryBlock:
    """Read a block. Code and examples are one snippet; quotations are parsed line by line."""
    end_marker = f"#+end_{name}"
    last = next((index for index in _below(page, start) if page.text(index).lower().startswith(end_marker)), None)
    if last is None or name in {"quote", "center", "verse", "abstract"}:
        return skip_lines(page, start, start + 1, ORG_SETTING)
    if entries := read_framed_entries(page, start, last):
        return entries
    text = "\n".join(line.text for line in page.lines[start + 1 : last])
    return keep_as_remark(page, start, last + 1, text)


def _below(page: NoteDocument, index: int) -> range:
    return range(index + 1, min(len(page.lines), index + _MAX_BLOCK_LINES))


def _read_colon_line(page: NoteDocument, index: int) -> EntryBlock | None:
    last = end_of_drawer(page, index, len(page.lines))
    if last is not None:
        paper = _build_paper_of_note(page, index) if not page.outline.open else None
        return EntryBlock(last - index + 1, [paper]) if paper else skip_lines(page, index, last + 1, ORG_DRAWER)
    if not _FIXED.match(page.text(index)):
        return None
    return keep_as_remark(page, index, index + 1, page.text(index)[1:].strip())


def _build_paper_of_note(page: NoteDocument, start: int) -> ParsedEntry | None:
    """Return the paper if the drawer above the note's title identifies one."""
    facts = read_properties(page, start, len(page.lines))
    lines = range(facts.end, min(facts.end + _NEAR_TITLE, len(page.lines)))
    title = next((text["title"] for index in lines if (text := _TITLE.fullmatch(page.text(index)))), "")
    if not title or not (facts.links or facts.citing):
        return None
    item_text = ItemText(
        title,
        authors=parse_author_list(facts.values.get("authors", "")),
        published=iso_date(facts.values.get("published", "")),
    )
    context = ItemContext(*page.numbers(start, facts.end))
    if not facts.links:
        return build_unlinked_entry(item_text, context)
    return build_entry(facts.links[0], item_text, context, facts.links[1:])


def _read_lone_citation(page: NoteDocument, index: int) -> EntryBlock | None:
    """Read a bullet or line with citations only, as a lead: a citation key is not a title."""
    raw = page.lines[index].raw
    keys = cited(raw)
    rest = _BRACKETED.sub("", without_citations(_BULLET.sub("", page.text(index))))
    if not keys or page.links_at(index) or any(character.isalpha() for character in rest):
        return None
    numbers, text = page.numbers(index, index + 1), page.text(index)
    return EntryBlock(
        1, [ParsedEntry(*numbers, 1, "lead", topics=page.outline.topics, text=text, reason=cited_only(keys))]
    )


SHAPE = Shape("org_lines", 7, read)
