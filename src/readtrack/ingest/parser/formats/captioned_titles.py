"""Titles above a line on them: who wrote them (`by Ada Lovelace`), or a remark in Japanese or Chinese.

Either tells only where several paragraphs of the note have this form.
"""

import re

from readtrack.infra.text.titles.clean import clean_title, is_generic
from readtrack.infra.text.titles.vocabulary import CJK, LETTER
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note
from readtrack.ingest.parser.headings.evidence import is_list_name
from readtrack.ingest.parser.headings.lines_below import parse_label
from readtrack.ingest.parser.items.build_entry import ItemText, build_unlinked_entry
from readtrack.ingest.parser.items.subjects import is_question, is_task
from readtrack.ingest.parser.items.title_runs import is_talk
from readtrack.ingest.parser.lists.list_items import is_bullet
from readtrack.ingest.parser.vocabulary.author_names import is_name, names_in
from readtrack.ingest.parser.vocabulary.title_affixes import take_head

_BYLINE = re.compile(r"(?:by|By|BY):?\s(?P<names>[^\W\d_a-z][^\n]{2,200}?)(?:\s\((?:Author|Editor|Narrator)\))?\.?")
_BEGINS_OTHER = ("#", ">", "|", "```", "~~~", "<", "!", "[", "{", "\\", "@", "%", "$", "- ", "* ")
_ENDS_A_SENTENCE = (".", "。", ":", "：", ";", "；", ",", "、", "，")
_MIN_BYLINES, _MIN_REMARKS = 2, 4
_MIN_WORDS, _MIN_WORDS_OF_MOST, _MAX_WORDS, _MAX_LINES = 2, 4, 30, 12


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not _may_be_title(page, start):
        return None
    if (names := _read_names_below(page, start)) and _has_bylines(page):
        return _build_block(page, start, start + 2, names, "")
    if not (_heads_remark(page, start) and _has_remarks(page)):
        return None
    end = _find_end_of_paragraph(page, start)
    return _build_block(page, start, end, (), "\n".join(page.text(index) for index in range(start + 1, end)))


def _build_block(page: NoteDocument, start: int, end: int, names: tuple[str, ...], remark: str) -> EntryBlock:
    head = take_head(page.text(start))
    item_text = ItemText(
        clean_title(head.title), remark, venue=head.venue, year=head.year, status=head.status, authors=names
    )
    context = page.context(start, end, head.status)
    return EntryBlock(end - start, [build_unlinked_entry(item_text, context)])


def _may_be_title(page: NoteDocument, index: int) -> bool:
    """Return True for a line of several words that is no item and no sentence, with another right below it."""
    text, words = page.text(index), page.text(index).split()
    if not text or not page.text(index + 1) or index in page.ignored_lines or index + 1 in page.ignored_lines:
        return False
    if text.startswith(_BEGINS_OTHER) or text.endswith(_ENDS_A_SENTENCE) or is_bullet(text) or CJK.search(text):
        return False
    is_short = _MIN_WORDS <= len(words) <= _MAX_WORDS and not text[0].islower()
    return is_short and not (page.links_at(index) or parse_label(text) or is_generic(text) or is_list_name(text))


def _read_names_below(page: NoteDocument, index: int) -> tuple[str, ...]:
    """Return the names in the last of the two lines of a paragraph."""
    byline = _BYLINE.fullmatch(page.text(index + 1))
    is_alone = not (index and page.text(index - 1)) and _find_end_of_paragraph(page, index) == index + 2
    if byline is None or not is_alone or page.links_at(index + 1):
        return ()
    names = byline["names"]
    return names_in(names) or ((names,) if is_name(names) else ())


def _heads_remark(page: NoteDocument, index: int) -> bool:
    """Return True for a paragraph with a line in Latin letters and then only ones in Japanese or Chinese."""
    if page.text(index - 1) and index:
        return False
    end = _find_end_of_paragraph(page, index)
    below = [page.text(line) for line in range(index + 1, end)]
    is_remark = end - index <= _MAX_LINES and all(CJK.search(text) and not is_bullet(text) for text in below)
    is_title = LETTER.search(page.text(index)) is not None and not is_talk(page.text(index))
    is_title = is_title and not is_question(page.text(index)) and not parse_citation(page.text(index)).authors
    return is_remark and is_title and not any(page.links_at(line) for line in range(index, end))


def _find_end_of_paragraph(page: NoteDocument, index: int) -> int:
    end = index
    while end < len(page.lines) and page.text(end):
        end += 1
    return end


@once_per_note
def _has_bylines(page: NoteDocument) -> bool:
    """Return True for several paragraphs of a title and a byline."""
    indexes = range(len(page.lines))
    found = [index for index in indexes if _may_be_title(page, index) and _read_names_below(page, index)]
    return len(found) >= _MIN_BYLINES


@once_per_note
def _has_remarks(page: NoteDocument) -> bool:
    """Return True for several titles with remarks, most of them of more words than names and terms have."""
    found = [index for index in range(len(page.lines)) if _may_be_title(page, index) and _heads_remark(page, index)]
    titles = [page.text(index) for index in found if not is_task(page.text(index))]
    long = sum(len(title.split()) >= _MIN_WORDS_OF_MOST for title in titles)
    return len(titles) >= _MIN_REMARKS and 2 * long >= len(titles)


SHAPE = Shape("captioned_titles", 39, read)
