"""Prose: any other text. Accepts every line, so that no line is lost."""

import re

from readtrack.infra.text.titles.dates import YEAR
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.formats.mail_heads import holds_mail
from readtrack.ingest.parser.headings.lines_below import has_label, parse_label
from readtrack.ingest.parser.items.find_links import is_bare
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.sentence_titles import find_titles
from readtrack.ingest.parser.items.title_runs import is_talk
from readtrack.ingest.parser.items.unlinked import as_diary_line, begins_with_authors
from readtrack.ingest.parser.lists.list_items import is_bullet
from readtrack.ingest.parser.vocabulary.venues import take_tag

_QUOTE = re.compile(r"^(?:>\s?)+")
_ENDS_A_SENTENCE = re.compile(r"[.。．!！?？:：;；]$")
_REFERENCE = re.compile(r"\[\^?[\w:.-]{1,20}\][:.]?\s")
_STARTS_SOMETHING = ("#", "|", ">", "```", "~~~", "**", "<", "@")
_LABEL = re.compile(r"[a-z]{2,12}:\s")  # `todo: …`
_SAYS = re.compile("[a-z]+\\b|[\u3041-\u3096]")
_BREAKS_OFF = re.compile(r"(?:[,，、]|\b(?:and|but|or|while|that|as|of|in|the|und|et|que))$")
_QUOTED_LAST = re.compile(
    r"[^\W\d_a-z][^\"“”]{2,300},\s[\"“](?=[^\W_a-z])[^\"“”]{8,300}(?:[\"”][.,]?)?$"
)  # `Author, Ann, “The Title”`
_WRAPPED_AT = 60
_MAX_LINES, _NAMES_END, _YEAR_END = 200, 30, 6


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    end = start + 1
    while end - start < _MAX_LINES and _goes_on(page, end):
        end += 1
    if end < len(page.lines) and is_bare(page.text(end), page.links_at(end)) and _names_one(page, start, end):
        end += 1
    text = " ".join(_QUOTE.sub("", page.text(index)) for index in range(start, end))
    context = page.context(start, end)
    if _cites(page, start):
        return EntryBlock(end - start, read_piece(text, context, in_list=True, references=True))
    entries = read_piece(text, context, in_list=False)
    names_no_topic = page.outline.is_of_date or holds_mail(page) or has_label(text)
    return EntryBlock(end - start, [*map(as_diary_line, entries)] if names_no_topic else entries)


def _cites(page: NoteDocument, index: int) -> bool:
    """Return True for names, a title and a single address after them, or a year, or a title in quotes and no more."""
    text, links = page.text(index), page.links_at(index)
    if not links and _QUOTED_LAST.match(text):
        return bool(parse_citation(text).authors)
    if not links:
        return YEAR.search(text) is not None and begins_with_authors(text, parse_citation(text))
    words = text[: links[0].start]
    authors = parse_citation(words).authors if len(links) == 1 and links[0].label is None else ()
    if not authors or authors[0].split()[-1] not in words[:_NAMES_END] or is_talk(words):
        return False
    titles = find_titles(text, tuple((link.start, link.end) for link in links))
    return sum(title.start < links[0].start for title in titles) <= 1


def _is_reference(page: NoteDocument, index: int) -> bool:
    """Return True for a line with a whole reference. In a sentence, a verb follows the year, or the line breaks off."""
    text = page.text(index)
    return _cites(page, index) and not (_BREAKS_OFF.search(text) or _SAYS.match(parse_citation(text).title))


def _names_one(page: NoteDocument, start: int, end: int) -> bool:
    """Return True if the lines have one title and no address, so that an address right below is that of the title."""
    text = " ".join(map(page.text, range(start, end)))
    return not any(map(page.links_at, range(start, end))) and len(find_titles(text)) == 1


def _goes_on(page: NoteDocument, index: int) -> bool:
    """Return True if the line above is long and ends no sentence, so that it was wrapped.

    It was not if both are whole references.
    """
    above, text = page.text(index - 1), page.text(index)
    if len(above) < _WRAPPED_AT or _ENDS_A_SENTENCE.search(above) or not text or text.startswith(_STARTS_SOMETHING):
        return False
    if is_bullet(text) or parse_label(text) or _REFERENCE.match(text) or _LABEL.match(text):
        return False
    if page.links_at(index) and YEAR.search(above[-_YEAR_END:]) and take_tag(above).venue:
        return False  # a whole title with its venue, above another with an address
    if text.startswith("http") or (_is_reference(page, index) and _is_reference(page, index - 1)):
        return False
    return text[0].islower() or not any(map(page.links_at, range(index - 1, index + 2)))


SHAPE = Shape("prose", 1000, read)
