"""Reference lists, numbered, as footnotes, wrapped, or annotated with one line per work.

Examples: `[1] A. Author, Title, Venue, 2020.`, `[^1]: …`, `Author, A. (2020). A title that goes on` above its rest.
"""

import re
from dataclasses import replace

from readtrack.infra.text.titles.clean import clean_title
from readtrack.infra.text.titles.dates import YEAR
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.citations.parse_citation import parse_citation, without_label
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.headlines import begins_reference, is_label
from readtrack.ingest.parser.headings.lines_below import parse_label
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry, join_texts
from readtrack.ingest.parser.items.find_links import find_links, split_around_links
from readtrack.ingest.parser.items.phrases import merge_links, read_piece
from readtrack.ingest.parser.items.unlinked import begins_with_authors, read_wordless
from readtrack.ingest.parser.lists.list_items import is_bullet, without_bullet
from readtrack.ingest.parser.vocabulary.author_names import VENUE_LIKE, names_by_commas, names_in
from readtrack.ingest.parser.vocabulary.venues import take_tag

_MARK = re.compile(
    r"""
    (?:(?P<bold>\*\*)|[-*+]\s)?
    \[(?:
        (?P<foot>\^[^\[\]\s]{1,40})                  # [^note]
        | \d{1,3}                                    # [12]
        | [A-Z][A-Za-z+]{1,12}\d{2,4}[a-z]?          # [Knu84a]
        | (?P<names>                                 # [Knuth and Plass, 1981]
              [A-Z][a-z][\w'’-]{0,30}(?:(?:,|,?\sand|\s&)\s[A-Z][\w'’-]{1,30}){0,3}(?:\set\ al\.?)?
          ),?\s(?:19|20)\d\d[a-z]?
    )\]
    (?(bold)\*\*)
    (?(foot):\s{0,3}|[:.]?\s{1,3})
    (?P<body>\S.*)
    """,
    re.VERBOSE,
)
_YEAR_LAST = re.compile(r"[.,]?\s\(?(?:19|20)\d\d[a-z]?\)?[.,:]?$")
_DIGIT = re.compile(r"\d")
_RST_CITATION = re.compile(r"\.\.\s\[[^\[\]\s]{1,40}\]\s{1,3}(?P<body>\S.*)")
_YEAR_OF_KEY = re.compile(r"[^\[\]]{0,6}\[[A-Za-z+_-]{2,30}(?P<year>(?:19|20)\d\d)[a-z]?\]")  # `.. [Lovelace1843] `
_RST_DOI = re.compile(r":doi:`(?:[^`<>]{0,200}<)?(?P<doi>10\.[^`<>\s]{1,200})>?`")
_RST_LINK = re.compile(r"`(?P<text>[^`<>]{0,200}?)\s?<(?P<address>[^`<>\s]{1,500})>`__?")
_RST_ESCAPE = re.compile(r"\\(?=\S)")
_DEFINES = re.compile(r":\s{1,3}(?=\S)")  # the text below a term in a list of definitions
# A name, and what stands behind the first of several or before a title: `Cook, R. I.`, `Kipf T N, `, `Star et al.`.
_NAME_FIRST = re.compile(
    r"(?:[a-z]{2,3}\s){0,2}[^\W\d_a-z][\w'’.-]{0,30}(?:\s[^\W\d_a-z][\w'’.-]{0,30}){0,3}\s?(?:[,，、;:：&.]|\sand\s|\set\sal)|[\u3400-\u9fff]{2,4}[,，、.．]"
)
_TITLE_LINE = re.compile(r"(?P<words>[^\W_].{8,300}?)\.(?:\s\((?P<year>(?:19|20)\d\d)\)\.)?")
_JOURNAL_LINE = re.compile(r"[*_](?P<name>[^*_]{4,200})[*_].{0,40}")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_ADDRESS_WORDS = re.compile(
    r"(?:[\W_]|doi|url|arxiv|available|online|retrieved|accessed|from|at|link|pdf)*", re.IGNORECASE
)
_QUOTED_ADDRESS = re.compile(r">\s?(?:pdf|doi|arxiv|url|link)\s?[:：]", re.IGNORECASE)
_STARTS_SOMETHING = ("#", "|", ">", "```", "**", "<", "@", "%", "\\")
_ENDS = (".", "。", "．", ")", "]", "）")
_MAX_LINES = 7
_WRAPPED_AT = 40


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if (mark := _match_mark(text)) is not None:
        return _with_year_of_key(_read_numbered(page, start, mark["body"]), text)
    if (block := _RST_CITATION.match(text)) is not None:
        return _with_year_of_key(_read_rst_citation(page, start, block["body"]), text)
    if is_label(page, start) and (labelled := _read_labelled(page, start)) is not None:
        return labelled
    if (wrapped := _read_wrapped(page, start, text) or _read_title_above_journal(page, start)) is not None:
        return wrapped
    if not page.outline.references or page.links_at(start) or not text or is_bullet(text):
        return None
    return EntryBlock(1, read_piece(text, page.context(start, start + 1), in_list=True, references=True))


def _with_year_of_key(block: EntryBlock | None, text: str) -> EntryBlock | None:
    """Return the entries of a reference with the year in its key, if nothing else tells one."""
    key = _YEAR_OF_KEY.match(text) if block else None
    if block is None or key is None or any(entry.year or entry.published for entry in block.entries):
        return block
    return replace(block, entries=[replace(block.entries[0], year=int(key["year"])), *block.entries[1:]])


def _match_mark(text: str) -> re.Match[str] | None:
    """Match a number, footnote mark or citation key in brackets.

    The tag of a venue in brackets does not count.
    """
    if not text.startswith(("[", "**[", "- [", "* [", "+ [")):
        return None
    mark = _MARK.match(text)
    if mark and mark["names"]:  # a surname and a year have the form of a venue
        return mark if not VENUE_LIKE.match(mark["names"]) else None
    return mark if mark and not take_tag(mark[0].strip()).venue else None


def _read_numbered(page: NoteDocument, start: int, body: str) -> EntryBlock | None:
    """Read one reference, wrapped or not.

    Without an address it must be in a reference list or have authors.
    """
    last, text = _join_lines(page, start, body)
    end = _find_end_of_quoted_addresses(page, last)
    context = page.context(start, end)
    if any(page.links_at(index) for index in range(start, last)):
        first, *others = read_reference(text, context)
    else:
        citation = parse_citation(text)
        if not citation.authors and not page.outline.references:
            return None
        first, others = read_wordless(text, context, references=True, among_papers=bool(citation.authors)), []
    links = [link for index in range(last, end) for link in page.links_at(index)]
    return EntryBlock(end - start, [merge_links(first, links) if links else first, *others])


def _read_rst_citation(page: NoteDocument, start: int, body: str) -> EntryBlock:
    r"""Read `.. [Key] \A. Author, "Title", …` with the deeper lines below, and resolve its roles and hyperlinks."""
    end = start + 1
    while page.is_deeper(end, start):
        end += 1
    text = _RST_ESCAPE.sub("", " ".join([body, *(page.text(index) for index in range(start + 1, end))]))
    text = _RST_LINK.sub(r"\g<text> \g<address>", _RST_DOI.sub(r"doi:\g<doi>", text))
    context = page.context(start, end)
    if find_links(text):
        return EntryBlock(end - start, read_reference(text, context))
    return EntryBlock(end - start, [read_wordless(text, context, references=True, among_papers=True)])


def _read_wrapped(page: NoteDocument, start: int, first: str) -> EntryBlock | None:
    """Read a reference of several lines that begins with its authors.

    Deeper lines below a bullet belong to it in any case.
    """
    body = without_bullet(first)
    is_item = body != first
    body = without_label(_DEFINES.sub("", body, count=1) if body.startswith(":") else body)
    if not _NAME_FIRST.match(body) or (is_item and page.is_deeper(start + 1, start)):
        return None
    end, text = _join_lines(page, start, body)
    if end == start + 1 or not YEAR.search(text) or not begins_with_authors(text, parse_citation(text)):
        return None
    return EntryBlock(end - start, read_reference(text, page.context(start, end)))


def _read_title_above_journal(page: NoteDocument, start: int) -> EntryBlock | None:
    """Read a title, the journal in italics and the address, each on a line: `The Title. (2025).`, `*Journal, 3*(2).`"""
    journal = _JOURNAL_LINE.fullmatch(page.text(start + 1))
    title = _TITLE_LINE.fullmatch(page.text(start)) if journal and _is_address(page, start + 2) else None
    if journal is None or title is None or page.links_at(start) or names_in(title["words"]):
        return None
    year = int(title["year"]) if title["year"] else None
    venue = find_venue(f"{journal[0]} {title['year'] or ''}")[0]
    if not (venue or year):
        return None
    venue = venue or journal["name"].rstrip(". ")
    item_text = ItemText(clean_title(title["words"]), venue=venue, year=year)
    link, *others = [*page.links_at(start + 2), *page.links_at(start + 1)]
    return EntryBlock(3, [build_entry(link, item_text, page.context(start, start + 3), others)])


def _read_labelled(page: NoteDocument, start: int) -> EntryBlock | None:
    """Read a reference below a bold line that says what it is for: `**[2] Colour distances**`."""
    block = _read_wrapped(page, start + 1, page.text(start + 1)) or _read_title_above_journal(page, start + 1)
    if block is None:
        return None
    first, *others = block.entries
    first = replace(first, first=page.lines[start].number, text=join_texts(page.text(start).strip("*"), first.text))
    return EntryBlock(block.count + 1, [first, *others])


def read_reference(text: str, context: ItemContext) -> list[ParsedEntry]:
    """Read one reference. Addresses without words of their own are further ones of the same work."""
    first, *others = read_piece(text, context, in_list=True, references=True)
    if not others or not first.title or any(entry.title for entry in others):
        return [first, *others]
    return [merge_links(first, find_links(text))]


def _join_lines(page: NoteDocument, start: int, body: str) -> tuple[int, str]:
    """Return the index after a reference, and its text. A sentence below a complete one is a remark on it."""
    end, text = start + 1, body
    while end < start + _MAX_LINES and (
        _is_address_of(page, start, end)
        or (_goes_on(page, start, end, text) and not (_begins_sentence(page.text(end)) and _is_complete(text)))
    ):
        text = f"{text} {page.text(end)}"
        end += 1
    return end, text


def _goes_on(page: NoteDocument, start: int, index: int, so_far: str) -> bool:
    """Return True for a deeper line, and for one below a long line that does not begin the next reference."""
    text, above = page.text(index), page.text(index - 1)
    if not text or text.startswith(_STARTS_SOMETHING) or is_bullet(text):
        return False
    if text.startswith("[") and (page.links_at(index) or _match_mark(text)):
        return False
    if _begins_sentence(text) and parse_label(text):
        return False
    deeper = page.lines[index].indent - page.lines[start].indent
    if deeper > 1 or (deeper == 1 and not _is_next(text, so_far)):
        return True
    if page.links_at(index - 1) and page.links_at(index) and not _is_address(page, index):
        return False  # two works, each with its address
    is_wrapped = (
        begins_reference(page, start)
        or len(above) + len(CJK.findall(above)) >= _WRAPPED_AT
        or text[0].islower()
        or not (_begins_sentence(text) or above.endswith(_ENDS))
        or _are_names(without_bullet(above))
        or (_DIGIT.search(text) and find_venue(text)[0])
    )
    return bool(is_wrapped) and not _is_next(text, so_far)


def _is_next(text: str, so_far: str) -> bool:
    """Return True if authors, a title and a year begin another reference."""
    is_dated = YEAR.search(so_far) is not None and YEAR.search(text) is not None
    return is_dated and _NAME_FIRST.match(text) is not None and begins_with_authors(text, parse_citation(text))


def _are_names(text: str) -> bool:
    """Return True for names alone, which the year may follow."""
    text = _YEAR_LAST.sub("", text)
    return bool(names_in(text) or names_by_commas(text))


def _begins_sentence(text: str) -> bool:
    return text[0].isupper() or CJK.match(text) is not None


def _is_complete(text: str) -> bool:
    """Return True for authors, a title, a year, and where it appeared, up to the end of a sentence."""
    if not text.endswith(_ENDS) or not YEAR.search(text) or _are_names(text):
        return False
    citation = parse_citation(text)
    return bool(citation.authors) and _LETTERS.search(citation.remainder) is not None


def _is_address_of(page: NoteDocument, start: int, index: int) -> bool:
    """Return True for an address alone on its line, below a reference without one."""
    return _is_address(page, index) and not any(map(page.links_at, range(start, index)))


def _is_address(page: NoteDocument, index: int) -> bool:
    links = page.links_at(index)
    return bool(links) and _ADDRESS_WORDS.fullmatch(" ".join(split_around_links(page.text(index), links))) is not None


def _find_end_of_quoted_addresses(page: NoteDocument, end: int) -> int:
    """Return the index after `> PDF: [paper.pdf](…)` and the like below a reference, `end` without any."""
    index = first = end if page.text(end) else end + 1
    while _QUOTED_ADDRESS.match(page.text(index)) and _is_address(page, index):
        index += 1
    return index if index > first else end


SHAPE = Shape("references", 42, read)
