"""Links to own notes: `[[Title]]`, `[[note|Title]]`, `[Title](note.md)`.

A link text that is a paper's title is a paper.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from readtrack.infra.text.titles.clean import clean_title, could_be_title, names_a_paper, without_emphasis
from readtrack.infra.text.titles.marks import status_of
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, OpenItem, Shape, once_per_note
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import no_topic_reason, topics_of
from readtrack.ingest.parser.headings.properties import read_properties, with_properties
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_unlinked_entry
from readtrack.ingest.parser.items.diary import take_reading
from readtrack.ingest.parser.items.find_links import find_links, is_bare
from readtrack.ingest.parser.items.phrases import merge_links
from readtrack.ingest.parser.lists.list_items import place_item, without_bullet
from readtrack.ingest.parser.reasons import LINKED
from readtrack.ingest.parser.vocabulary.author_names import names_in, single_name
from readtrack.ingest.parser.vocabulary.title_affixes import take_hashtags, take_head

_WIKI = re.compile(
    r"(?<!!)\[\[(?P<name>[^\[\]|#\n]{1,300})(?:#[^\[\]|]{0,200})?(?:\|(?P<shown>[^\[\]]{1,300}))?\]\](?!\()"
)
_LOCAL = re.compile(
    r"""
    (?<!!)\[(?P<shown>[^\[\]]{8,300})\]\(
    (?!\#|[a-z]{2,10}:)                                                     # no heading, no address
    (?!(?:[^()\s]{0,200}/)?                                                 # no page on the collection itself
       (?:index|readme|contributing|license|summary|changelog|code_of_conduct)\.)
    (?P<name>
        [^()\s:#]{1,300}\.(?:md|markdown|org|html?|ipynb|txt)
        | [^()\s:#.]{3,100}[-_][^()\s:#.]{3,200}                            # `some-name`, without an ending
    )
    (?:\#[^()\s]{0,200})?\)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WORK = re.compile(
    r"(?:Book|Paper|Article|Study|论文|論文|文献)/(?P<title>(?![^/]*\.\w{2,5}$)[^/]+)"
)  # of Logseq: `[[Book/Title]]`
_BY = re.compile(r"by (?P<names>[^:]{3,200})", re.IGNORECASE)
_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_JOINTS = "*_ \t-–—:：|,，;；·()（）"
_MIN_WORDS = 3
_MIN_NOTES = 3


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if page.links_at(start) or text.startswith(("|", "#")):
        return None
    if "[[" in text:
        return _read_links(page, start, _WIKI)
    if "](" in text and _is_item(text):
        return _read_links(page, start, _LOCAL)
    bullet = _BULLET.match(text)
    if not bullet or not (_is_beside_one(page, start) if page.outline.paper else _is_vault(page)):
        return None
    head = take_head(text[bullet.end() :])
    among_titles = _is_title(head.title) or (_is_beside_one(page, start) and could_be_title(head.title))
    if not among_titles or head.title.endswith((".", "。", "．", "?")):
        return None
    item_text = ItemText(head.title, venue=head.venue, year=head.year, status=head.status, published=head.published)
    return EntryBlock(1, [_entry(page, start, item_text)])


def _read_links(page: NoteDocument, index: int, pattern: re.Pattern[str]) -> EntryBlock | None:
    """Read one entry for each title, with the surrounding words as its text."""
    text = page.text(index)
    links = list(pattern.finditer(text))
    among_notes = _is_item(text) and pattern in _patterns_of_papers(page)
    titles = [title for link in links if (title := _title(link, among_notes=among_notes))]
    if not titles or (any(_WORK.fullmatch(link["name"]) for link in links) and _heads_addresses(page, index)):
        return None
    bullet = _BULLET.match(text)
    words, tags = take_hashtags(text[bullet.end() :] if bullet else text)
    is_of_one = bullet is not None and len(links) == 1
    item_text = _read_words(words, links[0] if is_of_one else None, pattern)
    entries = [
        _entry(page, index, replace(item_text, title=title), part, topics_of(tags))
        for part, title in enumerate(dict.fromkeys(titles), 1)
    ]
    if len(entries) > 1:
        return EntryBlock(1, entries)
    run = read_properties(page, index + 1, page.lines[index].indent + 1)
    if run.fields:
        return EntryBlock(run.end - index, [with_properties(entries[0], run, page.lines[run.end - 1].number)])
    return _with_lines_below(page, index, entries[0])


def _read_words(text: str, link: re.Match[str] | None, pattern: re.Pattern[str]) -> ItemText:
    """Return what a line says about its titles. `link`: the only one of an item, whose text is not repeated."""
    words, reading_status = take_reading(text)
    head = take_head(words)
    if link:
        remark = pattern.sub("", head.title).strip(_JOINTS)
        label = take_head(without_emphasis(link["shown"] or ""))
    else:
        remark = pattern.sub(lambda match: match["shown"] or match["name"], head.title)
        label = head
    return ItemText(
        text=remark,
        venue=head.venue or label.venue,
        year=head.year or label.year,
        status=head.status or label.status or reading_status,
        published=head.published or label.published,
        rating=head.rating or label.rating,
    )


def _with_lines_below(page: NoteDocument, index: int, entry: ParsedEntry) -> EntryBlock:
    """Return the entry with the authors and the address of the items directly below: `by [[Ada Lovelace]]`."""
    end = index + 1
    while page.is_deeper(end, index):
        words = without_bullet(page.text(end))
        byline = _BY.fullmatch(_WIKI.sub(r"\g<name>", words))
        links = find_links(words)
        if byline and (names := names_in(byline["names"]) or single_name(byline["names"])):
            entry = replace(entry, authors=entry.authors or names)
        elif links and is_bare(words, links) and not entry.links:
            merged = merge_links(entry, links)
            entry = replace(merged, identifiers=merged.identifiers or (str(links[0].ref),), reason="")
        else:
            break
        end += 1
    return EntryBlock(end - index, [replace(entry, last=page.lines[end - 1].number)])


def _heads_addresses(page: NoteDocument, index: int) -> bool:
    """Return True for a page above several addresses, which is no work but what they are about."""
    below = (find_links(page.text(line)) for line in range(index + 1, min(index + 3, len(page.lines))))
    return page.is_deeper(index + 2, index) and all(below)


def _entry(
    page: NoteDocument, index: int, item_text: ItemText, part: int = 1, own_topics: Sequence[str] = ()
) -> ParsedEntry:
    line = page.lines[index]
    page.close_items(line.indent)
    topics = dict.fromkeys([*place_item(page, line.number, line.number, None).topics, *own_topics])
    entry = build_unlinked_entry(item_text, ItemContext(line.number, line.number, tuple(topics)))
    page.nest(OpenItem(line.indent, "", entry.title))
    return replace(entry, part=part, reason=LINKED)


def _title(link: re.Match[str], *, among_notes: bool = False) -> str:
    """Return the name of the note or the link text, whichever reads like a title.

    Among notes on papers, any name counts.
    """
    label = take_head(without_emphasis(link["shown"] or "")).title
    work = _WORK.fullmatch(link["name"])
    if work and not (no_topic_reason(work["title"]) or status_of(work["title"])):
        return label or work["title"]
    names = [label, link["name"].rpartition("/")[2].removeprefix("@").removesuffix(".md").strip()]
    if among_notes and label[:1].isupper() and len(_WORD.findall(label)) > 1:
        return label
    if among_notes and not label and len(_WORD.findall(names[1])) >= _MIN_WORDS:
        return names[1]
    return next((name for name in names if _is_title(name)), "")


def _is_item(text: str) -> bool:
    """Return True for a list item: a bullet, or a link alone on its line."""
    return _BULLET.match(text) is not None or any(pattern.fullmatch(text) for pattern in (_WIKI, _LOCAL))


@once_per_note
def _patterns_of_papers(page: NoteDocument) -> list[re.Pattern[str]]:
    """Return the ways of linking, `[[note]]` or `[text](note.md)`, whose notes are mostly named like papers."""
    return [pattern for pattern in (_WIKI, _LOCAL) if _are_mostly_papers(page, pattern)]


def _are_mostly_papers(page: NoteDocument, pattern: re.Pattern[str]) -> bool:
    mark = "[[" if pattern is _WIKI else "]("
    items = (line.text for line in page.lines if mark in line.text and _is_item(line.text))
    flags = [bool(_title(link)) for text in items for link in pattern.finditer(text)]
    return len(flags) >= _MIN_NOTES and 2 * sum(flags) > len(flags)


def _is_title(name: str) -> bool:
    title = clean_title(name)
    return bool(title) and (
        names_a_paper(title) or (": " in title and len(_WORD.findall(title)) > _MIN_WORDS and title[0].isupper())
    )


def _is_beside_one(page: NoteDocument, index: int) -> bool:
    """Return True if an adjacent line is a link to a paper's note.

    Within notes on a paper, only then is a bare line a title.
    """
    neighbors = f"{page.text(index - 1)} {page.text(index + 1)}"
    return any(_title(link) for pattern in (_WIKI, _LOCAL) for link in pattern.finditer(neighbors))


@once_per_note
def _is_vault(page: NoteDocument) -> bool:
    """Return True if any wiki link in the note has a paper's title."""
    links = (link for line in page.lines if "[[" in line.text for link in _WIKI.finditer(line.text))
    return any(_title(link) for link in links)


SHAPE = Shape("wiki_links", 46, read)
