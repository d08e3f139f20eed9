"""Links to own notes: `[[Title]]`, `[[note|Title]]`, `[Title](note.md)`.

A link text that is a paper's title is a paper.
"""

import re
from dataclasses import replace

from readtrack.infra.text.titles.clean import clean_title, could_be_title, names_a_paper, without_emphasis
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, OpenItem, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.notes_below import LINKED
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_unlinked_entry
from readtrack.ingest.parser.vocabulary.title_affixes import take_head

_WIKI = re.compile(
    r"(?<!!)\[\[(?P<name>[^\[\]|#\n]{1,300})(?:#[^\[\]|]{0,200})?(?:\|(?P<shown>[^\[\]]{1,300}))?\]\](?!\()"
)
_LOCAL = re.compile(
    r"(?<!!)\[(?P<shown>[^\[\]]{8,300})\]\((?!#|[a-z]{2,10}:|(?:[^()\s]{0,200}/)?(?:index|readme|contributing|license|summary|changelog|"
    r"code_of_conduct)\.)(?P<name>[^()\s:#]{1,300}\.(?:md|markdown|org|html?|ipynb|txt)|[^()\s:#.]{3,100}[-_][^()\s:#.]{3,200})(?:#[^()\s]{0,200})?\)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_JOINTS = "*_ \t-–—:：|,，;；·()（）"
_FEWEST_WORDS = 3
_FEWEST_NOTES = 3


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    text = page.text(at)
    if page.links_at(at) or text.startswith(("|", "#")):
        return None
    if "[[" in text:
        return _read_links(page, at, _WIKI)
    if "](" in text and _is_item(text):
        return _read_links(page, at, _LOCAL)
    bullet = _BULLET.match(text)
    if not bullet or not (_is_beside_one(page, at) if page.outline.paper else _is_vault(page)):
        return None
    head = take_head(text[bullet.end() :])
    among_titles = _is_title(head.rest) or (_is_beside_one(page, at) and could_be_title(head.rest))
    if not among_titles or head.rest.endswith((".", "。", "?")):
        return None
    told = ItemText(head.rest, venue=head.venue, year=head.year, status=head.status, published=head.published)
    return EntryBlock(1, [_entry(page, at, told)])


def _read_links(page: NoteDocument, at: int, pattern: re.Pattern[str]) -> EntryBlock | None:
    """Read one entry for each title, with the surrounding words as its text."""
    text = page.text(at)
    links = list(pattern.finditer(text))
    among_notes = _is_item(text) and _lists_notes(page, pattern)
    titles = [title for link in links if (title := _title(link, among_notes=among_notes))]
    if not titles:
        return None
    bullet = _BULLET.match(text)
    head = take_head(text[bullet.end() :] if bullet else text)
    rest = pattern.sub("", head.rest).strip(_JOINTS)
    alone = bullet is not None and len(links) == 1
    shown = rest if alone else pattern.sub(lambda link: link["shown"] or link["name"], head.rest)
    told = ItemText(text=shown, venue=head.venue, year=head.year, status=head.status, rating=head.rating)
    named = enumerate(dict.fromkeys(titles), 1)
    return EntryBlock(1, [_entry(page, at, replace(told, title=title), part) for part, title in named])


def _entry(page: NoteDocument, at: int, told: ItemText, part: int = 1) -> ParsedEntry:
    line = page.lines[at]
    page.close_items(line.indent)
    topics = dict.fromkeys([*page.outline.topics, *(item.topic for item in page.items if item.topic)])
    entry = build_unlinked_entry(told, ItemContext(line.number, line.number, tuple(topics)))
    page.nest(OpenItem(line.indent, "", entry.title))
    return replace(entry, part=part, reason=LINKED)


def _title(link: re.Match[str], *, among_notes: bool = False) -> str:
    """Return the name of the note or the link text, whichever reads like a title.

    Among notes on papers, any name counts.
    """
    shown = take_head(without_emphasis(link["shown"] or "")).rest
    names = [shown, link["name"].rpartition("/")[2].removesuffix(".md").strip()]
    if among_notes and shown[:1].isupper() and len(_WORD.findall(shown)) > 1:
        return shown
    if among_notes and not shown and len(_WORD.findall(names[1])) >= _FEWEST_WORDS:
        return names[1]
    return next((name for name in names if _is_title(name)), "")


def _is_item(text: str) -> bool:
    """Return True for a list item: a bullet, or a link alone on its line."""
    return _BULLET.match(text) is not None or any(pattern.fullmatch(text) for pattern in (_WIKI, _LOCAL))


def _lists_notes(page: NoteDocument, pattern: re.Pattern[str]) -> bool:
    """Return True if most of the linked notes are named like papers."""
    kept = f"notes{pattern is _WIKI}"
    if kept not in page.kept:
        mark = "[[" if pattern is _WIKI else "]("
        items = (line.text for line in page.lines if mark in line.text and _is_item(line.text))
        titled = [bool(_title(link)) for text in items for link in pattern.finditer(text)]
        page.kept[kept] = len(titled) >= _FEWEST_NOTES and 2 * sum(titled) > len(titled)
    return bool(page.kept[kept])


def _is_title(name: str) -> bool:
    title = clean_title(name)
    return bool(title) and (
        names_a_paper(title) or (": " in title and len(_WORD.findall(title)) > _FEWEST_WORDS and title[0].isupper())
    )


def _is_beside_one(page: NoteDocument, at: int) -> bool:
    """Return True if an adjacent line is a link to a paper's note.

    Within notes on a paper, only then is a bare line a title.
    """
    beside = f"{page.text(at - 1)} {page.text(at + 1)}"
    return any(_title(link) for pattern in (_WIKI, _LOCAL) for link in pattern.finditer(beside))


def _is_vault(page: NoteDocument) -> bool:
    """Return True if any wiki link in the note has a paper's title."""
    if "vault" not in page.kept:
        links = (link for line in page.lines if "[[" in line.text for link in _WIKI.finditer(line.text))
        page.kept["vault"] = any(_title(link) for link in links)
    return bool(page.kept["vault"])


SHAPE = Shape("wiki_links", 46, read)
