"""What BibTeX entries take from others: the volume that `crossref` names, and BibLaTeX's `xdata`.

The other entry may come before or after them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from readtrack.ingest.parser.bibliography.bibtex_entries import RawEntry

_XDATA, _PERIODICAL = "xdata", "periodical"
_VOLUMES = frozenset({"proceedings", "mvproceedings"})
_PARENTS = frozenset(
    {*_VOLUMES, _XDATA, _PERIODICAL, "book", "mvbook", "collection", "mvcollection", "conference", "reference"}
)
_IN_BOOKS = frozenset({"inbook", "bookinbook", "suppbook"})  # chapters by the author of the book
_OF_VOLUME = frozenset(
    {"year", "date", "month", "publisher", "series", "organization", "institution", "eventtitle", "journal"}
    | {"journaltitle", "volume", "number", "language"}
)  # not its addresses, which would name the volume instead of the work
_DATES = frozenset({"year", "date", "month"})
_MAX_DEPTH = 4


@dataclass
class ParentEntries:
    """Entries that others may take fields from, by key, and the keys that others name."""

    entries: dict[str, RawEntry] = field(default_factory=dict)
    named_keys: set[str] = field(default_factory=set)

    def note(self, entry: RawEntry) -> None:
        self.named_keys.update(_keys(entry, _XDATA), _keys(entry, "crossref"))
        if entry.type in _PARENTS:
            self.entries.setdefault(entry.key.casefold(), entry)

    def is_only_parent(self, entry: RawEntry) -> bool:
        """Return True for fields that are no work, and for a volume that is there for the works in it."""
        return entry.type == _XDATA or (entry.type in _VOLUMES and entry.key.casefold() in self.named_keys)

    def complete(self, entry: RawEntry, depth: int = 0) -> RawEntry:
        """Return the entry with the fields that it lacks and its parents have."""
        fields = {name: value for name, value in entry.fields.items() if value.strip()}
        for parent in self._parents(entry, _XDATA, depth):
            fields = _add_missing(fields, parent.fields)
        for parent in self._parents(entry, "crossref", depth):
            fields = _add_missing(fields, _fields_for_part(parent, entry.type))
        return replace(entry, fields=fields)

    def _parents(self, entry: RawEntry, name: str, depth: int) -> Iterator[RawEntry]:
        parents = (self.entries.get(key) for key in _keys(entry, name) if depth < _MAX_DEPTH)
        return (self.complete(parent, depth + 1) for parent in parents if parent)


def may_be_parent(entry_type: str) -> bool:
    return entry_type in _PARENTS


def names_parent(text: str) -> bool:
    """Return True for lines that may name a parent, or be one that is no work."""
    folded = text.casefold()
    return "crossref" in folded or _XDATA in folded


def _keys(entry: RawEntry, name: str) -> list[str]:
    return [key for text in entry.fields.get(name, "").split(",") if (key := text.strip().casefold())]


def _fields_for_part(volume: RawEntry, part_type: str) -> dict[str, str]:
    names = _OF_VOLUME | {"author"} if part_type in _IN_BOOKS else _OF_VOLUME
    fields = {name: value for name, value in volume.fields.items() if name in names}
    title = volume.fields.get("booktitle") or volume.fields.get("title", "")
    return {**fields, "journaltitle" if volume.type == _PERIODICAL else "booktitle": title}


def _add_missing(fields: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Return the fields with others that they lack. A date is taken as a whole."""
    taken = {*fields, *(_DATES if not _DATES.isdisjoint(fields) else ())}
    return {**fields, **{name: value for name, value in others.items() if name not in taken and value}}
