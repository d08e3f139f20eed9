"""Linked short names with a venue or year, each above its full title: `[ICLR22 Short](address)`, then the title alone.

The whole note decides: where most of such names have words that may be a title right below, all do.
"""

import re
from typing import NamedTuple

from readtrack.infra.text.titles.clean import clean_title, could_be_title, names_a_paper
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note
from readtrack.ingest.parser.headings.lines_below import parse_label
from readtrack.ingest.parser.items.build_entry import ItemText, build_entry
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.title_runs import is_talk
from readtrack.ingest.parser.lists.list_items import is_bullet
from readtrack.ingest.parser.vocabulary.venues import Venue, tag_in

_DATED_NAME = re.compile(
    r"(?P<tag>\S{0,16}\s?['’]?\d\d(?:\d\d)?)[\s:：-]{1,2}(?P<name>[^\W\d]\S{0,40}(?:\s\S{1,40}){0,3})"
)
_YEAR = re.compile(r"['’]?(?:20)?(?P<digits>[0-4]\d)")
_ENDS_A_SENTENCE = ("。", ":", "：", ";", "；")
_BEGINS_OTHER = ("#", ">", "|", "```", "<", "!", "[")
_MIN_TITLES = 3


class _DatedName(NamedTuple):
    link: TextLink
    tag: Venue
    name: str


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    dated_name = _match(page, start)
    if dated_name is None or not _is_title(page, start + 1) or not _has_titles_below(page):
        return None
    link, tag, name = dated_name
    item_text = ItemText(page.text(start + 1), name, venue=tag.venue, year=tag.year)
    return EntryBlock(2, [build_entry(link, item_text, page.context(start, start + 2))])


def _match(page: NoteDocument, index: int) -> _DatedName | None:
    """Return the link that is all of a line, if its text is a short name with a venue or year before it."""
    text = page.text(index)
    links = page.links_at(index) if text.startswith("[") and index not in page.ignored_lines else []
    if len(links) != 1 or links[0].paper_kind not in {"paper", "page"} or text != text[: links[0].end].strip():
        return None
    match = _DATED_NAME.fullmatch(links[0].label or "")
    year = _YEAR.fullmatch(match["tag"]) if match else None
    tag = (Venue("", year=2000 + int(year["digits"])) if year else tag_in(match["tag"])) if match else None
    return _DatedName(links[0], tag, match["name"]) if match and tag and tag.year else None


def _is_title(page: NoteDocument, index: int) -> bool:
    text = page.text(index)
    if not text or text.startswith(_BEGINS_OTHER) or text.endswith(_ENDS_A_SENTENCE) or page.links_at(index):
        return False
    title = clean_title(text)
    is_title = names_a_paper(title) or (could_be_title(title) and not is_talk(title))
    return is_title and not is_bullet(text) and parse_label(text) is None


@once_per_note
def _has_titles_below(page: NoteDocument) -> bool:
    names = [index for index in range(len(page.lines)) if _match(page, index)]
    titles = sum(_is_title(page, index + 1) for index in names)
    return titles >= _MIN_TITLES and 3 * titles >= 2 * len(names)


SHAPE = Shape("titles_below", 49, read)
