"""Changes to entries that are not applied yet: locking, undo data and restore."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Entry, NoteRevision
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.commands import STILL_PARSING, WITHOUT_TEXT, require_decider
from readtrack.ingest.imports.section_topics import (
    HeadingChange,
    Path,
    follow_headings,
    heading_path,
    is_heading,
    original_path,
    update_topics_below,
)

# stored with every change, in addition to the changed fields
PROPOSED = ("decision", "kind", "paper_kind", "identifiers", "title", "topics")


def get_import_for_update(tx: Write, me: CurrentUser, import_id: int) -> NoteRevision:
    """Return the import, locked until the transaction ends. Raise Conflict if it is committed and nothing waits."""
    permissions.require(me, "import")
    revision = tx.get(NoteRevision, import_id, with_for_update=True, options=[WITHOUT_TEXT])
    if revision is None or revision.state == "discarded":
        raise queries.import_not_found(import_id)
    if revision.state in {"uploading", "parsing"}:
        raise Conflict(_(STILL_PARSING), code="parsing")
    has_rest = revision.state == "committed" and queries.has_open_entries(tx, import_id)
    if revision.state != "preview" and not has_rest:
        message = _("Already imported. Edit the papers instead.")
        raise Conflict(message)
    require_decider(me, revision)
    return revision


def lock_entries(tx: Write, import_id: int, positions: Collection[int]) -> Mapping[int, Entry]:
    """Return the entries by position.

    Raise NotFound if one is missing, Conflict if one has been applied.
    """
    query = sa.select(Entry).where(
        col(Entry.revision_id) == import_id, col(Entry.position).in_(positions), queries.IS_ACTIVE
    )
    entries = {entry.position: entry for entry in tx.scalars(query)}
    for position in positions:
        if position not in entries:
            message = _("Entry {position} not found.").format(position=position)
            raise NotFound(message)
        _require_open(entries[position])
    return entries


def _require_open(entry: Entry) -> None:
    """Raise Conflict if a commit has applied the entry: earlier, while others waited or before the import stopped."""
    if entry.done_at is not None:
        message = _("Entry {position} is already imported. Edit the paper or topic instead.")
        raise Conflict(message.format(position=entry.position))


def change_entry(entry: Entry, changes: Mapping[str, Any]) -> None:
    """Set the fields and store their first values for undo."""
    if not changes:
        return
    before = {name: getattr(entry, name) for name in (*PROPOSED, *changes)}
    entry.proposed = before | (entry.proposed or {})
    for name, value in changes.items():
        setattr(entry, name, value)


def restore_entries(tx: Write, import_id: int, position: int) -> list[int]:
    """Restore the parser's proposal for an entry and those it was merged or split with, under their headings of now.

    The entries below a restored heading follow it.

    Return their positions. Raise Conflict if one of them has been applied.
    """
    rows = _list_related_entries(tx, import_id, position)
    for entry in rows:
        _require_open(entry)
    split_entries = [entry for entry in rows if entry.split_from is not None]
    restored = [entry for entry in rows if entry.split_from is None]
    paths = {entry.position: (is_heading(entry), heading_path(entry)) for entry in restored}
    for entry in split_entries:
        tx.delete(entry)
    for entry in restored:
        for name, value in (entry.proposed or {}).items():
            setattr(entry, name, value)
        entry.joined_to, entry.proposed = None, None
    reindex_entries(tx, rows)
    for entry in restored:
        topics = follow_headings(tx, entry)
        if topics != entry.topics:
            entry.proposed, entry.topics = {"topics": entry.topics}, topics
    changes = {
        entry.position: _build_restored_heading(original, *paths[entry.position], heading_path(entry))
        for entry in restored
        if (original := original_path(entry)) is not None
    }
    if changes:
        update_topics_below(tx, import_id, changes)
    return sorted(entry.position for entry in restored)


def _build_restored_heading(original: Path, was_heading: bool, before: Path, after: Path) -> HeadingChange:  # noqa: FBT001
    """Return the change that also gives the heading to entries above which it was ended."""
    return HeadingChange(original, before if was_heading else None, before[:-1] if was_heading else before, after)


def reindex_entries(tx: Write, entries: Iterable[Entry]) -> None:
    """Update the search index after entries were changed or deleted."""
    tx.flush()  # assigns ids to new entries
    search.update_entries(tx, [entry.id or 0 for entry in entries])


def _list_related_entries(tx: Write, import_id: int, position: int) -> list[Entry]:
    """Return the entry and all entries connected to it by merges and splits."""
    condition = col(Entry.revision_id) == import_id
    is_linked = sa.or_(col(Entry.joined_to).is_not(None), col(Entry.split_from).is_not(None))
    columns = (col(Entry.position), col(Entry.joined_to), col(Entry.split_from))
    links = [set(row) - {None} for row in tx.execute(sa.select(*columns).where(condition, is_linked))]
    connected = {position}
    while added := {number for link in links if link & connected for number in link} - connected:
        connected |= added
    entries = tx.scalars(sa.select(Entry).where(condition, col(Entry.position).in_(connected)))
    return list(entries)
