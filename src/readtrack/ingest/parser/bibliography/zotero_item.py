"""An item of a Zotero library, and the entry built from it. Zotero exports it as JSON and as RDF."""

import re
from dataclasses import dataclass, replace

from readtrack.infra.text.normalize import clean_line
from readtrack.ingest.parser.bibliography.publication_types import parse_publication_type
from readtrack.ingest.parser.bibliography.reading_marks import take_reading_marks
from readtrack.ingest.parser.bibliography.work import BibliographyWork, entry_of, format_published, to_doi_address
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import topics_of
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, join_texts
from readtrack.ingest.parser.markup import strip_tags

_KINDS = {
    "computerProgram": "code",
    "podcast": "video",
    "presentation": "slides",
    "tvBroadcast": "video",
    "videoRecording": "video",
}
_WEB = frozenset({*_KINDS, "blogPost", "dataset", "document", "forumPost", "webpage"})
_ARXIV = re.compile(r"arxiv:\s?(?P<id>\S{4,40})(?:\s\[[\w.-]{1,20}\])?", re.IGNORECASE)
_MAX_NOTE_CHARS = 20_000
NOT_ITEMS = frozenset({"annotation", "attachment"})


@dataclass(frozen=True)
class ZoteroItem:
    """An item. `detail`: what kind of thesis it is. `notes`: as HTML.

    `collections`: the names of those that it is in, each after those above it.
    """

    type: str
    detail: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    date: str = ""
    doi: str = ""
    archive_id: str = ""
    url: str = ""
    abstract: str = ""
    language: str = ""
    extra: str = ""
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    key: str = ""


def build_item_entry(item: ZoteroItem, context: ItemContext) -> ParsedEntry:
    """Build the entry of an item; a note that belongs to no item is a text."""
    marks = take_reading_marks(item.tags, item.extra)
    topics = tuple(dict.fromkeys([*topics_of(item.collections), *marks.topics]))
    if item.type == "note":
        topics = tuple(dict.fromkeys([*context.topics, *topics]))
        return ParsedEntry(context.first, context.last, 1, "snippet", topics=topics, text=_note_text(item))
    arxiv_ids = [found["id"] for line in (item.archive_id, *marks.extra) if (found := _ARXIV.fullmatch(line))]
    remarks = [line for line in marks.extra if not _ARXIV.fullmatch(line)]
    work = BibliographyWork(
        title=item.title,
        item_text=ItemText(
            text=join_texts(_note_text(item), *remarks),
            venue=item.venue,
            authors=item.authors,
            published=format_published(item.date),
            abstract=clean_line(item.abstract),
            status=marks.status,
            rating=marks.rating,
            read_on=marks.read_on,
        ),
        addresses=tuple(filter(None, (to_doi_address(item.doi), *(f"arXiv:{name}" for name in arxiv_ids), item.url))),
        topics=topics,
        kind=_KINDS.get(item.type, ""),
        publication_type=parse_publication_type(item.type, item.detail),
        language=item.language,
        on_the_web=item.type in _WEB,
        has_credits=item.type not in _WEB,
        key=item.key,
    )
    return replace(entry_of(work, context), citation_key=item.key)


def _note_text(item: ZoteroItem) -> str:
    notes = (clean_line(strip_tags(note.replace("><", "> <"))) for note in item.notes)
    return join_texts(*notes)[:_MAX_NOTE_CHARS]
