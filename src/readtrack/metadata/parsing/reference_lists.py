"""Lists of what a work cites: of each entry its lasting names, title and year, and nothing of its other words."""

from collections.abc import Iterable

from readtrack.metadata.parsing import dois, json_fields
from readtrack.metadata.types import BibliographyItem, Ref

MOST = 1_000  # entries of one list that are kept: surveys have some hundred
LONGEST = 300  # characters of a title


def parse_cited_work(written: Iterable[str], title: object, year: object) -> BibliographyItem | None:
    """One entry; None when nothing lasting names it."""
    names = tuple(dict.fromkeys(ref for text in written if text and (ref := dois.parse_work_ref(text))))
    return BibliographyItem(names, json_fields.line(title)[:LONGEST], _year(year)) if names else None


def deduplicate_cited(entries: Iterable[BibliographyItem | None]) -> list[BibliographyItem]:
    """In their order, without those that are named already."""
    known: set[Ref] = set()
    found: list[BibliographyItem] = []
    for entry in entries:
        if entry is not None and known.isdisjoint(entry.names) and len(found) < MOST:
            known.update(entry.names)
            found.append(entry)
    return found


def _year(said: object) -> int | None:
    """A number, or what begins with one: "2019a"."""
    return json_fields.parse_year(said[:4] if isinstance(said, str) else said)
