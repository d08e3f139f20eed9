"""Properties outside of lists: `key:: value` lines at the top of a page or below a heading.

At the top of a note, those of a paper make the whole note one about that paper.
"""

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.headings.outline import WHOLE_NOTE, OutlineHeading
from readtrack.ingest.parser.headings.properties import is_property, properties_entry, read_properties


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not is_property(page.text(start)):
        return None
    run = read_properties(page, start, page.lines[start].indent)
    entry = properties_entry(page, start, run, page.outline.topics)
    is_of_page = page.text(start)[0].isalpha() and not any(page.text(index) for index in range(start))
    if entry.kind == "paper" and is_of_page:
        page.outline.enter(OutlineHeading(WHOLE_NOTE, entry.title, paper=entry.title))
    return EntryBlock(run.end - start, [entry])


SHAPE = Shape("properties", 30, read)
