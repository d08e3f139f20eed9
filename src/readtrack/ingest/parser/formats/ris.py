"""RIS and EndNote records, in files or within notes."""

from readtrack.ingest.parser.bibliography.ris import work_of_endnote, work_of_ris
from readtrack.ingest.parser.bibliography.tagged_records import (
    begins_endnote,
    begins_ris,
    is_headless_ris,
    read_endnote,
    read_ris,
)
from readtrack.ingest.parser.bibliography.work import entry_of
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.items.build_entry import ItemContext

_FEWEST_TAGS = 2


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if begins_ris(text) or (text[2:3] in {" ", "-"} and is_headless_ris(page.lines, start)):
        record, to_work = read_ris(page.lines, start), work_of_ris
    elif begins_endnote(text):
        record, to_work = read_endnote(page.lines, start), work_of_endnote
    else:
        return None
    if len(record.values) < _FEWEST_TAGS:
        return None
    first, last = page.lines[start].number, page.lines[start + record.count - 1].number
    return EntryBlock(record.count, [entry_of(to_work(record), ItemContext(first, last, page.outline.topics))])


SHAPE = Shape("ris", 9, read)
