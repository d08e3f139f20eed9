"""Reference lists of works: identifiers, title and year of each entry.

Other text is dropped.
"""

from collections.abc import Iterable

from readtrack.metadata.parsing import dois, json_fields
from readtrack.metadata.types import BibliographyItem, Ref

MAX_ENTRIES = 1_000  # Maximum entries stored per list; surveys have several hundred.
MAX_TITLE_CHARS = 300  # Characters of a title.


def parse_cited_work(texts: Iterable[str], title: object, year: object) -> BibliographyItem | None:
    """Return one entry, or None if it has no persistent identifier."""
    names = tuple(dict.fromkeys(ref for text in texts if text and (ref := dois.parse_work_ref(text))))
    return BibliographyItem(names, json_fields.line(title)[:MAX_TITLE_CHARS], _year(year)) if names else None


def deduplicate_cited(entries: Iterable[BibliographyItem | None]) -> list[BibliographyItem]:
    """Return the entries in order, without those that share an identifier with an earlier one."""
    refs: set[Ref] = set()
    unique: list[BibliographyItem] = []
    for entry in entries:
        if entry is not None and refs.isdisjoint(entry.names) and len(unique) < MAX_ENTRIES:
            refs.update(entry.names)
            unique.append(entry)
    return unique


def _year(value: object) -> int | None:
    """Parse a year, also from text that begins with one: "2019a"."""
    return json_fields.parse_year(value[:4] if isinstance(value, str) else value)
