"""Split and merge of preview entries.

Every line stays covered by an entry, and both can be undone.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, count, zip_longest
from typing import Any, Final

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Write
from readtrack.infra.errors import Invalid, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Entry, NoteRevision
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest import parser
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.existing import FILE, find_existing_papers, persistent_identifiers
from readtrack.ingest.imports.propose import Row, mark_known_rows, to_row
from readtrack.ingest.imports.reasons import SPLIT_OR_MERGED
from readtrack.ingest.imports.review_queue import change_entry, get_import_for_update, lock_entries, reindex_entries
from readtrack.ingest.imports.stored_text import read_lines
from readtrack.metadata import sources

CONTINUATION: Final = 0  # the placeholder for the part of an entry that begins within a line, until it is numbered
LONG_LINE_CHARS = 2000  # characters of a line above which only its first entry stores it
MAX_TITLE_CHARS = 1000
MAX_MERGED_ENTRIES = 100
MAX_SPLIT_ENTRIES = 500  # other writers wait while an entry is split
_SINGLE_FIELDS = ("title", "venue", "year", "status", "published", "read_on", "rating", "abstract", "language",
                  "publication_type", "twin", "details")  # fmt: skip
_LISTS = ("identifiers", "links", "topics", "authors", "aliases", "rules")
_BLANK: dict[str, Any] = {
    **dict.fromkeys(("title", "venue", "text", "published", "read_on", "rating", "abstract", "language"), ""),
    **{name: [] for name in _LISTS},
    **dict.fromkeys(("year", "status", "details")),
    **dict.fromkeys(("apart", "alias_taken"), False),
    **dict.fromkeys(("publication_type", "twin", "raw", "kind", "paper_kind", "decision", "reason"), ""),
}


def split_entry(tx: Write, me: CurrentUser, import_id: int, position: int) -> list[int]:
    """Split an entry by its identifiers, or else by its lines.

    Return the positions of the resulting entries in order. Raise Invalid if there is nothing to split.
    """
    revision = get_import_for_update(tx, me, import_id)
    entry = lock_entries(tx, import_id, [position])[position]
    lines = read_lines(tx, import_id, entry.first_line, entry.last_line)
    if max(len(lines), len(entry.identifiers)) > MAX_SPLIT_ENTRIES:
        detail = _(
            "You can split at most {most_split} lines or identifiers at once. Import them as separate notes."
        ).format(most_split=MAX_SPLIT_ENTRIES)
        raise invalid_field("", "too-many", detail)
    if len(persistent_identifiers(entry.identifiers)) > 1:
        rows = _split_by_identifier(entry, lines)
    elif len(lines) > 1 and entry.part == 1:
        rows = _split_by_line(entry, lines)
    else:
        detail = _("This entry has only one line and one identifier. It can't be split.")
        raise invalid_field("", "nothing-to-split", detail)
    return _store_split(tx, revision, entry, mark_known_rows(tx, rows, revision.note_id))


def join_entries(tx: Write, me: CurrentUser, import_id: int, positions: Sequence[int]) -> int:
    """Merge neighbouring entries and the blank lines between them into the first; return its position.

    Raise Invalid if they are not neighbours.
    """
    get_import_for_update(tx, me, import_id)
    entries = sorted(lock_entries(tx, import_id, sorted(set(positions))).values(), key=_order_key)
    if not 2 <= len(entries) <= MAX_MERGED_ENTRIES:
        raise _not_neighbours(
            _("Select 2 to {most_joined} entries to merge.").format(most_joined=MAX_MERGED_ENTRIES, count=len(entries))
        )
    span = _range_filter(entries[0], entries[-1])
    conditions = col(Entry.kind) != "blank", col(Entry.position).not_in([entry.position for entry in entries])
    line_between = tx.scalar(
        sa.select(col(Entry.first_line)).where(span, *conditions).order_by(*queries.ENTRY_ORDER).limit(1)
    )
    if line_between is not None:
        raise _not_neighbours(_("Merge the entry on line {first_line} too.").format(first_line=line_between))
    head, *others = tx.scalars(sa.select(Entry).where(span).order_by(*queries.ENTRY_ORDER))
    if head.part > 1 and any(entry.part == 1 for entry in others):
        raise _not_neighbours(_("Merge the entry on line {first_line} too.").format(first_line=head.first_line))
    for entry in others:
        entry.joined_to = head.position
    last = max(entry.last_line for entry in (head, *others))
    lines = read_lines(tx, import_id, head.first_line, last) if head.part == 1 else [head.raw]
    fields = _merge_fields(tx, [head, *(entry for entry in others if entry.kind != "blank")])
    change_entry(head, fields | {"last_line": last, "raw": "\n".join(lines)})
    reindex_entries(tx, [head])
    return head.position


def _split_by_identifier(entry: Entry, lines: Sequence[str]) -> list[Row]:
    """Split an entry by its identifiers. The first keeps the metadata, the others get none.

    An identifier named on a later line takes that line with it.
    """
    first, *others = persistent_identifiers(entry.identifiers)
    line_by_identifier = {
        name: entry.first_line + offset
        for offset, line in enumerate(lines)
        for name in reversed(_list_identifiers(line))
    }
    identified_links = [(str(sources.recognize(link["url"])), link) for link in entry.links]
    first_links = [link for identifier, link in identified_links if identifier not in others]
    files = [name for name in entry.identifiers if name.startswith(FILE)]
    rows = [
        _to_row(entry)
        | {"identifiers": [first, *files], "links": first_links, "decision": "add", "reason": SPLIT_OR_MERGED}
    ]
    for name in sorted(others, key=lambda name: line_by_identifier.get(name, entry.first_line)):
        line = line_by_identifier.get(name, entry.first_line)
        starts_line = entry.part == 1 and line > rows[-1]["first_line"]
        links = [link for identifier, link in identified_links if identifier == name]
        location = {"first_line": line, "last_line": line, "part": 1 if starts_line else CONTINUATION}
        rows.append({**_build_split_entry(entry, name), **location, "links": links})
    _extend_line_ranges(rows, entry.last_line)
    return [row | {"raw": _join_raw_lines(lines, row, entry.first_line)} for row in rows]


def _build_split_entry(entry: Entry, identifier: str) -> dict[str, Any]:
    """Return the fields of a split-off identifier: same place and remarks, but no title."""
    copied = {name: getattr(entry, name) for name in ("paper_kind", "topics", "text")}
    digest = hashlib.sha256(f"{entry.fingerprint}{identifier}".encode()).hexdigest()[:32]
    values = {"kind": "paper", "decision": "add", "reason": SPLIT_OR_MERGED}
    return {**_BLANK, **copied, **values, "identifiers": [identifier], "fingerprint": digest}


def _split_by_line(entry: Entry, lines: Sequence[str]) -> list[Row]:
    """Split an entry by its lines. Each line is parsed alone, under the same headings."""
    rows = []
    for number, line in enumerate(lines, entry.first_line):
        for parsed in parser.parse(line) or [parser.ParsedEntry(1, 1, 1, "blank", raw=line)]:
            topics = list(dict.fromkeys([*entry.topics, *parsed.topics]))
            location = {"first_line": number, "last_line": number, "part": 1 if parsed.part == 1 else CONTINUATION}
            rows.append(to_row(parsed, 0) | location | {"topics": topics})
    return [rows[0] | {"fingerprint": entry.fingerprint}, *rows[1:]]


def _extend_line_ranges(rows: Sequence[dict[str, Any]], last: int) -> None:
    """Extend each entry that begins a line up to the line where the next one begins."""
    starting_rows = [row for row in rows if row["part"] != CONTINUATION]
    for row, next_row in zip_longest(starting_rows, starting_rows[1:]):
        row["last_line"] = next_row["first_line"] - 1 if next_row else last


def _join_raw_lines(lines: Sequence[str], row: Row, first: int) -> str:
    """Return the text of the row's lines. Only the first entry of a very long line stores it."""
    raw = "\n".join(lines[row["first_line"] - first : row["last_line"] - first + 1])
    return raw if row["part"] != CONTINUATION or len(raw) <= LONG_LINE_CHARS else ""


def _store_split(tx: Write, revision: NoteRevision, entry: Entry, rows: Sequence[Row]) -> list[int]:
    """Store the rows: the first replaces the entry, the others get new positions.

    Return all positions in order.
    """
    last = sa.select(sa.func.max(col(Entry.position))).where(col(Entry.revision_id) == revision.id)
    free_positions = count((tx.scalar(last) or 0) + 1)
    parts = _count_parts(tx, entry)
    head, *others = rows
    change_entry(entry, {name: value for name, value in head.items() if name not in {"position", "part", "made"}})
    entries = [entry]
    for row in others:
        part = row["part"] if row["part"] != CONTINUATION else parts[row["first_line"]] + 1
        parts[row["first_line"]] = max(part, parts[row["first_line"]])
        location = {"position": next(free_positions), "part": part, "split_from": entry.position}
        entries.append(Entry(**{**row, **location, "revision_id": revision.id}))
    tx.add_all(entries)
    reindex_entries(tx, entries)
    return [result.position for result in sorted(entries, key=_order_key)]


def _count_parts(tx: Write, entry: Entry) -> Counter[int]:
    """Count the entries that begin on each line of the entry."""
    in_range = col(Entry.first_line).between(entry.first_line, entry.last_line)
    parts = sa.select(col(Entry.first_line), sa.func.max(col(Entry.part))).group_by(col(Entry.first_line))
    query = parts.where(col(Entry.revision_id) == entry.revision_id, queries.IS_ACTIVE, in_range)
    return Counter({line: part for line, part in tx.execute(query)})  # noqa: C416 - mypy does not accept rows as pairs


def _to_row(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in (*_BLANK, "first_line", "last_line", "part", "fingerprint")}


def _list_identifiers(line: str) -> list[str]:
    return [name for entry in parser.parse(line) for name in entry.identifiers]


def _range_filter(first: Entry, last: Entry) -> sa.ColumnElement[bool]:
    """Filter the active entries between the two, inclusive."""
    is_active = sa.and_(col(Entry.revision_id) == first.revision_id, queries.IS_ACTIVE)
    order = sa.tuple_(*queries.ENTRY_ORDER)
    return sa.and_(is_active, order >= sa.tuple_(*_order_key(first)), order <= sa.tuple_(*_order_key(last)))


def _merge_fields(tx: Write, entries: Sequence[Entry]) -> dict[str, Any]:
    """Merge the fields of entries: all lists, the first value of each field, other words as text."""
    papers = [entry for entry in entries if entry.kind in queries.PAPER_ENTRY_KINDS]
    main_entry = next((entry for entry in papers if entry.kind == "paper"), (papers or list(entries))[0])
    fields = {
        name: next((value for entry in entries if (value := getattr(entry, name))), None) for name in _SINGLE_FIELDS
    }
    lists = {name: _unique_values(getattr(entry, name) for entry in entries) for name in _LISTS}
    title = fields["title"] or (_first_line(entries[0].text) if papers else "")
    existing_papers = find_existing_papers(tx, lists["identifiers"])
    if fields["twin"] in lists["identifiers"]:  # the earlier paper is now part of this entry
        fields["twin"] = ""
    return {
        **{
            name: value if value is not None or name in {"year", "status", "details"} else ""
            for name, value in fields.items()
        },
        **lists,
        "kind": main_entry.kind,
        "paper_kind": main_entry.paper_kind,
        "title": title,
        "text": " · ".join(_unique_values(_list_texts(entry) for entry in entries if _list_texts(entry) != [title])),
        "decision": "known" if existing_papers else "add",
        "reason": SPLIT_OR_MERGED,
    }


def _list_texts(entry: Entry) -> list[str]:
    return [text for text in (entry.title, entry.text) if text]


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:MAX_TITLE_CHARS]


def _unique_values(lists: Iterable[Iterable[Any]]) -> list[Any]:
    values: list[Any] = []
    for value in chain.from_iterable(lists):
        if value not in values:
            values.append(value)
    return values


def _order_key(entry: Entry) -> tuple[int, int, int]:
    return entry.first_line, entry.part, entry.position


def _not_neighbours(detail: str) -> Invalid:
    return invalid_field("/entries", "not-neighbours", detail)
