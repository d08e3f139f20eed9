"""Changes to entries before the import is committed: locking, undo data and restore."""

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

# stored with every change, in addition to the changed fields
PROPOSED = ("decision", "kind", "paper_kind", "identifiers", "title", "topics")


def get_import_for_update(tx: Write, me: CurrentUser, import_id: int) -> NoteRevision:
    """Return the import, locked until the transaction ends. Raise Conflict if it is committed."""
    permissions.require(me, "import")
    revision = tx.get(NoteRevision, import_id, with_for_update=True, options=[WITHOUT_TEXT])
    if revision is None or revision.state == "discarded":
        raise queries.import_not_found(import_id)
    if revision.state in {"uploading", "parsing"}:
        raise Conflict(_(STILL_PARSING), code="parsing")
    if revision.state != "preview":
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
        if entries[position].done_at is not None:  # the import was stopped and returned to its preview
            message = _("Entry {position} is already imported. Edit the paper or topic instead.").format(
                position=position
            )
            raise Conflict(message)
    return entries


def change_entry(entry: Entry, changes: Mapping[str, Any]) -> None:
    """Set the fields and store their first values for undo."""
    if not changes:
        return
    before = {name: getattr(entry, name) for name in (*PROPOSED, *changes)}
    entry.proposed = before | (entry.proposed or {})
    for name, value in changes.items():
        setattr(entry, name, value)


def restore_entries(tx: Write, import_id: int, position: int) -> list[int]:
    """Restore the parser's proposal for an entry and those it was merged or split with.

    Return their positions.
    """
    rows = _list_related_entries(tx, import_id, position)
    split_entries = [entry for entry in rows if entry.split_from is not None]
    restored = [entry for entry in rows if entry.split_from is None]
    for entry in split_entries:
        tx.delete(entry)
    for entry in restored:
        for name, value in (entry.proposed or {}).items():
            setattr(entry, name, value)
        entry.joined_to, entry.proposed = None, None
    reindex_entries(tx, rows)
    return sorted(entry.position for entry in restored)


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
