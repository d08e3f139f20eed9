"""Lines with a title in italics and perhaps a short name or subject before it: `A3C. *Asynchronous Methods for …*`.

The whole note decides: where most of such lines plainly name papers, the others do too.
"""

import re

from readtrack.infra.text.titles.clean import is_generic, names_a_paper
from readtrack.infra.text.titles.dates import YEAR
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note
from readtrack.ingest.parser.items.build_entry import ItemText, build_unlinked_entry
from readtrack.ingest.parser.items.title_runs import is_clear_title, is_talk
from readtrack.ingest.parser.vocabulary.author_names import VENUE_LIKE

_LINE = re.compile(
    r"(?:[-*+]\s+)?(?P<lead>(?![^*]{0,40}\d{4})[^*_,;()\[\]\s][^*_,;()\[\]]{0,40}\s)?"
    r"\*(?P<title>[^*\s][^*]{2,300}[^*\s])\*(?P<rest>\s[^*]{0,1000})?"
)
_MIN_TITLES, _MIN_WORDS = 5, 2


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    match = _match(page, start)
    if match is None or page.is_deeper(start + 1, start) or not _names_papers_in_italics(page):
        return None  # no such line, or an item that is read with what is nested below it
    title = match["title"]
    if len(title.split()) < _MIN_WORDS or is_generic(title):
        return None
    page.close_items(page.lines[start].indent)
    remark = " ".join(part.strip(" .:：") for part in (match["lead"], match["rest"]) if part)
    return EntryBlock(1, [build_unlinked_entry(ItemText(title, remark), page.context(start, start + 1))])


def _match(page: NoteDocument, index: int) -> re.Match[str] | None:
    text = page.text(index)
    if "*" not in text or page.links_at(index) or index in page.ignored_lines:
        return None
    match = _LINE.fullmatch(text)
    is_cited = match is not None and (YEAR.search(match["rest"] or "") or VENUE_LIKE.fullmatch(match["title"]))
    return None if is_cited else match


@once_per_note
def _names_papers_in_italics(page: NoteDocument) -> bool:
    titles = [match["title"] for index in range(len(page.lines)) if (match := _match(page, index))]
    plain = sum((names_a_paper(title) or is_clear_title(title)) and not is_talk(title) for title in titles)
    return plain >= _MIN_TITLES and 3 * plain >= 2 * len(titles)


SHAPE = Shape("italic_titles", 47, read)
