"""Papers as e-mail alerts, search pages and clippings list them: a title, a line with its authors, and what follows.

The line of authors, right below the title, tells them from other paragraphs: `M Kleppmann, J Howell - CACM, 2020`,
`Heidi Howard, Dahlia Malkhi`, `— Mike Lewis et al.`. Lines below it state the venue, the address or anything else.
"""

import re
from dataclasses import dataclass, field

from readtrack.infra.text.titles.clean import is_broken_off, names_a_paper
from readtrack.infra.text.titles.dates import YEAR
from readtrack.infra.text.titles.vocabulary import CJK, LETTER_OR_DIGIT
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, keep_as_remark
from readtrack.ingest.parser.headings.lines_below import parse_label
from readtrack.ingest.parser.items.build_entry import ItemText, build_entry, build_unlinked_entry
from readtrack.ingest.parser.items.find_links import TextLink, split_around_links
from readtrack.ingest.parser.items.link_groups import find_titled_link
from readtrack.ingest.parser.items.link_roles import has_name
from readtrack.ingest.parser.lists.list_items import is_bullet
from readtrack.ingest.parser.vocabulary.author_names import is_name, names_by_commas, names_in
from readtrack.ingest.parser.vocabulary.venues import tag_in

_NUMBER = re.compile(r"\A[(（]?\d{1,3}[.)）]\s+")
_FORM = re.compile(r"\A\[(?:PDF|HTML|BOOK|B|C|CITATION|DOC)\]\s+", re.IGNORECASE)
_BREAK = re.compile(r"\s?<br\s?/?>\Z", re.IGNORECASE)
_QUOTED = (">", "- >")
_CHAPTER = re.compile(r"[一二三四五六七八九十]{1,3}、")
_QUOTE = re.compile(r"(?:>\s?)+")
_OTHER_SHAPES = ("#", "|", "```", "~~~", "<", "![", "**", "__", "@", "%", "\\", "*", "- ", "+ ", "=", "{")
_BYLINE = re.compile(r"(?P<names>[^–—]{3,400}?)\s[-–—]\s(?P<where>.{2,300})")
_WHERE = re.compile(r"(?P<venue>[^·|,]{2,80}?)\s?(?:[·|,]\s?(?P<year>(?:19|20)\d\d))")
_POSTED = re.compile(r"(?:posted|published|submitted|available online)\b.{0,20}?(?P<year>(?:19|20)\d\d)", re.IGNORECASE)
_SENTENCE = re.compile(r"[。．！!;；:：,，]$|[a-z0-9)]\.$")
_QUOTES = '"“”«»「」『』 '
_SECTION = re.compile(r"[A-Z][A-Z &,/-]{3,60}")
_TITLE_LABEL = re.compile(r"title\s?[:：]", re.IGNORECASE)
_NAME = "cards"
_MAX_LINES, _MAX_LINE_CHARS, _MIN_WORDS, _CJK_LETTERS, _TITLE_AND_NAMES = 16, 500, 2, 4, 2


@dataclass
class _Byline:
    """The authors of a paper, and what stands behind them on their line."""

    authors: tuple[str, ...]
    where: str = ""


@dataclass
class _Card:
    title: str
    byline: _Byline
    venue: str = ""
    year: int | None = None
    links: list[TextLink] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not _begins_paragraph(page, start):
        return None
    lines = _lines_of(page, start)
    found = _find_title(page, lines) if lines else None
    if _SECTION.fullmatch(page.text(start)) and (found is None or found[2] > _TITLE_AND_NAMES):
        return _read_section(page, lines)
    if found is None or any(_TITLE_LABEL.match(page.text(index)) for index in lines):
        return None
    title, byline, below = found
    lines = _until_next(page, lines, below)
    card = _Card(title, byline, links=[*page.links_at(start)])
    if byline.where:
        card.venue, card.year = find_venue(byline.where)
    for index in lines[below:]:
        _read_line(page, index, card)
    if not _is_certain(card):
        return None
    context = page.context(start, lines[-1] + 1)
    text = ItemText(card.title, " ".join(card.text), venue=card.venue, year=card.year, authors=card.byline.authors)
    if not card.links:
        return EntryBlock(len(lines), [build_unlinked_entry(text, context)])
    main_link = find_titled_link(card.links)
    extras = [link for link in card.links if link.ref != main_link.ref]
    return EntryBlock(len(lines), [build_entry(main_link, text, context, extras)])


def _read_section(page: NoteDocument, lines: range) -> EntryBlock | None:
    """Read the name of a section in capitals directly above a card: `RESEARCH ARTICLES`."""
    if len(lines) == 1 or _find_title(page, lines[1:]) is None:
        return None
    page.format_states[_NAME] = lines[1]
    return keep_as_remark(page, lines[0], lines[1], page.text(lines[0]))


def _begins_paragraph(page: NoteDocument, index: int) -> bool:
    above = page.text(index - 1)
    is_quotation = page.text(index).startswith(">") and is_bullet(above) and not above.startswith(_QUOTED)
    return not LETTER_OR_DIGIT.search(above) or is_quotation or page.format_states.get(_NAME) == index


def _text(page: NoteDocument, index: int) -> str:
    text = _BREAK.sub("", page.text(index))
    return _QUOTE.sub("", text, count=1).strip() if text.startswith(">") else text


def _lines_of(page: NoteDocument, start: int) -> range:
    """Return the indexes of the paragraph, up to a quotation in it or behind it."""
    is_quoted = page.text(start).startswith(_QUOTED)
    end = start
    while end < start + _MAX_LINES and _text(page, end) and page.text(end).startswith(_QUOTED) == is_quoted:
        end += 1
    return range(start, end)


def _until_next(page: NoteDocument, lines: range, below: int) -> range:
    """Return the lines up to the title of another card, which has its authors below it."""
    for position in range(below, len(lines) - 1):
        byline = _read_byline(_text(page, lines[position + 1]))
        text = _text(page, lines[position])
        is_title = names_a_paper(text) and len(text.split()) + len(CJK.findall(text)) // _CJK_LETTERS > _MIN_WORDS + 1
        if byline and len(byline.authors) > 1 and is_title and _may_be_title(page, lines[position], is_first=True):
            page.format_states[_NAME] = lines[position]
            return lines[:position]
    return lines


def _find_title(page: NoteDocument, lines: range) -> tuple[str, _Byline, int] | None:
    """Return the title, which may be wrapped once, its authors, and how many lines both take."""
    link = _linked_title(page, lines[0]) if len(lines) > 1 else None
    if link and not any(map(has_name, page.links_at(lines[1]))) and (byline := _read_byline(_text(page, lines[1]))):
        return link.label or "", byline, _TITLE_AND_NAMES
    for count in (1, 2):
        if len(lines) <= count or not _may_be_title(page, lines[count - 1], is_first=count == 1):
            return None
        is_item = is_bullet(page.text(lines[count])) and bool(page.links_at(lines[count]))
        byline = None if is_item else _read_byline(_text(page, lines[count]))
        if byline is not None:
            title = " ".join(_text(page, index) for index in lines[:count])
            return _FORM.sub("", _NUMBER.sub("", title, count=1), count=1).strip(_QUOTES), byline, count + 1
    return None


def _linked_title(page: NoteDocument, index: int) -> TextLink | None:
    """Return the link of a line that is nothing else: `[Title](address)`."""
    links = page.links_at(index)
    is_only = (
        len(links) == 1
        and bool(links[0].label)
        and page.text(index).strip("* ") == f"[{links[0].label}]({links[0].address})"
    )
    return (
        links[0]
        if is_only and links[0].paper_kind in {"paper", "page"} and not names_in(links[0].label or "")
        else None
    )


def _may_be_title(page: NoteDocument, index: int, *, is_first: bool) -> bool:
    text = _FORM.sub("", _text(page, index), count=1)
    text = _NUMBER.sub("", text, count=1) if is_first else text
    if not text or len(text) > _MAX_LINE_CHARS or text.startswith(_OTHER_SHAPES) or is_bullet(text):
        return False
    is_other = (
        _CHAPTER.match(text)
        or page.links_at(index)
        or index in page.ignored_lines
        or parse_label(text)
        or _SENTENCE.search(text)
    )
    if is_other or text.lower().endswith(".pdf"):
        return False
    return not names_in(text) and (
        not is_first or len(text.split()) + len(CJK.findall(text)) // _CJK_LETTERS >= _MIN_WORDS
    )


def _read_byline(text: str) -> _Byline | None:
    match = _BYLINE.fullmatch(text)
    if match and YEAR.search(match["where"]):
        names = names_in(match["names"]) or names_by_commas(match["names"].rstrip("…. "))
        return _Byline(names, match["where"]) if names else None
    words = text.strip(" -–—>")
    names = names_in(words) or ((words,) if is_name(words) else ())
    return _Byline(names) if names else None


def _read_line(page: NoteDocument, index: int, card: _Card) -> None:
    text, links = _text(page, index), page.links_at(index)
    if links:
        card.links += links
        text = " ".join(split_around_links(page.text(index), links)).strip(" :>()")
        if len(text.split()) > _MIN_WORDS:
            card.text.append(text)
        return
    tag, where = tag_in(text), _WHERE.fullmatch(text)
    posted = _POSTED.match(text)
    if card.year or not (tag or where or posted or YEAR.fullmatch(text)):
        card.text.append(text)
    elif where:
        card.venue, card.year = card.venue or where["venue"].strip(), int(where["year"])
    elif tag:
        card.venue, card.year = card.venue or tag.venue, tag.year
    else:
        card.year = int(posted["year"] if posted else text)


def _is_certain(card: _Card) -> bool:
    """Return True if another fact than the authors speaks for a paper."""
    if not any(map(str.isalpha, card.title)) or is_broken_off(card.title):
        return False
    is_stated = bool(card.links or card.byline.where or card.year)
    return is_stated or (len(card.byline.authors) > 1 and names_a_paper(card.title))


SHAPE = Shape(_NAME, 27, read)
