"""Prose: any other text. Accepts every line, so that no line is lost."""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.formats.bullets import is_bullet
from readtrack.ingest.parser.headings.lines_below import parse_label
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.link_roles import role_from_label
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.unlinked import as_diary_line, begins_with_authors
from readtrack.ingest.parser.vocabulary.citations import parse_citation
from readtrack.ingest.parser.vocabulary.venues import tag_in

_QUOTE = re.compile(r"^(?:>\s?)+")
_ENDS_A_SENTENCE = re.compile(r"[.。!！?？:：;；]$")
_REFERENCE = re.compile(r"\[\^?[\w:.-]{1,20}\][:.]?\s")
_STARTS_SOMETHING = ("#", "|", ">", "```", "~~~", "**", "<", "@")
# A quoted title followed by its address, possibly with a year or a word for the link between them.
_QUOTED = re.compile(
    r"(?:《(?P<a>[^《》]{8,250})》|『(?P<b>[^『』]{8,250})』|“(?P<c>[^“”]{8,250})”|\"(?P<d>[^\"]{8,250})\")"
    r"(?P<between>[^《》『』“”\"\n/]{0,30})(?P<address>https?://[^\s()（）<>\[\]。，、；]{5,500})[)\]]{0,2}"
)
_BETWEEN = re.compile(r"[^\W\d_年]{2,20}")
_DIGITS = re.compile(r"\d\d")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WRAPPED_AT = 60
_MAX_LINES = 200


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    end = start + 1
    while end - start < _MAX_LINES and _goes_on(page, end):
        end += 1
    text = " ".join(_QUOTE.sub("", page.text(index)) for index in range(start, end))
    context = ItemContext(page.lines[start].number, page.lines[end - 1].number, page.outline.topics)
    if _cites(page, start):
        return EntryBlock(end - start, read_piece(text, context, in_list=True, references=True))
    entries = read_piece(_with_quoted_titles(text), context, in_list=False)
    return EntryBlock(end - start, [*map(as_diary_line, entries)] if page.outline.is_of_date else entries)


def _cites(page: NoteDocument, index: int) -> bool:
    """Return True for names, a title and a single address after them, or a year."""
    text, links = page.text(index), page.links_at(index)
    if len(links) == 1 and links[0].label is None:
        return bool(parse_citation(text[: links[0].start]).authors)
    return not links and _YEAR.search(text) is not None and begins_with_authors(text, parse_citation(text))


def _with_quoted_titles(text: str) -> str:
    if "://" not in text or not any(mark in text for mark in '》』”"'):
        return text
    return _QUOTED.sub(_link_title, text)


def _link_title(match: re.Match[str]) -> str:
    """Return `“Title” (address)` as `[Title](address)`, unless other words are between them."""
    tag = tag_in(match["between"].strip(" ,，;；(（")) if _DIGITS.search(match["between"]) else None
    if not tag and not all(role_from_label(word) for word in _BETWEEN.findall(match["between"])):
        return match[0]
    title = next(title for title in match.group("a", "b", "c", "d") if title)
    if tag:  # “Title” (NSDI 2022, address)
        return f"[{title}]({match['address']}) ({tag.venue}{f' {tag.year}' if tag.year else ''})"
    year = "".join(character for character in match["between"] if character.isdigit())
    return f"[{title}]({match['address']})" + (f" ({year})" if len(year) == len("2023") else "")


def _goes_on(page: NoteDocument, index: int) -> bool:
    """Return True if the line above is long and ends no sentence, so that it was wrapped."""
    above, text = page.text(index - 1), page.text(index)
    if len(above) < _WRAPPED_AT or _ENDS_A_SENTENCE.search(above) or not text or text.startswith(_STARTS_SOMETHING):
        return False
    return (
        not is_bullet(text)
        and not parse_label(text)
        and not _REFERENCE.match(text)
        and not page.links_at(index)
        and not page.links_at(index - 1)
        and not page.links_at(index + 1)
    )


SHAPE = Shape("prose", 1000, read)
