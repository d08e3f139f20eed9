"""Tables and columns get the usual names; their constraints and indexes follow, and texts in JSON that name columns."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

TABLES = {
    "attempt": "login_attempt",
    "closed_host": "blocked_host",
    "deed": "undo_entry",
    "duplicate": "duplicate_pair",
    "gloss": "translated_title",
    "half_way": "pending_sign_in",
    "idempotency": "idempotency_key",
    "inquiry": "metadata_request",
    "layout": "graph_layout",
    "lookup": "title_search",
    "machine_use": "llm_usage",
    "notice": "notification",
    "pace": "host_rate_limit",
    "proposal": "match_suggestion",
    "record": "metadata_record",
    "refused_relation": "dismissed_relation",
    "saved_view": "saved_search",
    "seen": "read_marker",
    "sign_in": "session",
}
COLUMNS = {  # by the new name of the table
    "agenda_item": {"place": "position"},
    "citation": {"place": "position"},
    "cited_work": {"refused_at": "dismissed_at", "refused_by": "dismissed_by"},
    "comparison_row": {"place": "position"},
    "dismissed_relation": {"refused_at": "dismissed_at", "refused_by": "dismissed_by"},
    "duplicate_pair": {"one_id": "first_id", "other_id": "second_id"},
    "event": {"at": "created_at"},
    "graph_layout": {"places": "positions"},
    "host_rate_limit": {"next_at": "not_before", "holder": "lease_token"},
    "idempotency_key": {"until": "expires_at"},
    "identifier": {"said_by": "asserted_by"},
    "invitation": {"until": "expires_at"},
    "job": {"fence": "fencing_token", "dedup": "dedup_key", "done": "progress_done", "problem": "error"},
    "llm_usage": {"at": "created_at"},
    "login_attempt": {"at": "created_at"},
    "meeting": {"place": "location"},
    "notification": {"at": "created_at", "by_id": "actor_id", "open_key": "group_key"},
    "paper": {"locked": "field_locks", "named": "user_supplied", "origins": "field_sources", "swept_at": "purged_at"},
    "paper_topic": {"place": "position"},
    "pending_sign_in": {"until": "expires_at"},
    "periodic_task": {"problem": "error"},
    "person": {"notices": "notification_settings"},
    "reading": {"place": "position"},
    "reading_event": {"at": "created_at"},
    "saved_search": {"place": "position"},
    "series": {"at": "start_time", "every": "interval_weeks", "place": "location", "rota": "presenter_order"},
    "session": {"until": "expires_at"},
    "title_search": {"asked": "answered_at"},
    "token": {"until": "expires_at"},
    "topic_alias": {"own": "is_canonical"},
    "undo_entry": {"at": "created_at"},
    "vote": {"at": "voted_at"},
}
NAMES = {  # of constraints and indexes that name a column; the others only begin with the name of their table
    "ck_series_every": "ck_series_interval_weeks",
    "fk_cited_work_refused_by": "fk_cited_work_dismissed_by",
    "fk_duplicate_one_id": "fk_duplicate_pair_first_id",
    "fk_duplicate_other_id": "fk_duplicate_pair_second_id",
    "fk_notice_by_id": "fk_notification_actor_id",
    "fk_refused_relation_refused_by": "fk_dismissed_relation_dismissed_by",
    "ix_attempt_subject_at": "ix_login_attempt_subject_created_at",
    "ix_deed_at": "ix_undo_entry_created_at",
    "ix_duplicate_other_id": "ix_duplicate_pair_second_id",
    "ix_event_at_id": "ix_event_created_at_id",
    "ix_event_person_id_at": "ix_event_person_id_created_at",
    "ix_idempotency_until": "ix_idempotency_key_expires_at",
    "ix_machine_use_at": "ix_llm_usage_created_at",
    "ix_saved_view_person_id_place": "ix_saved_search_person_id_position",
    "uq_citation_paper_id_service_key_place_work_id": "uq_citation_paper_id_service_key_position_work_id",
    "uq_duplicate_one_id_other_id": "uq_duplicate_pair_first_id_second_id",
    "uq_job_dedup": "uq_job_dedup_key",
    "uq_notice_person_id_open_key": "uq_notification_person_id_group_key",
}
AUDITED = {  # how the verbs of events begin whose `before` and `after` hold columns, and of which table
    "agenda.": "agenda_item",
    "meeting.": "meeting",
    "series.": "series",
}
CHUNK = 1_000  # rows whose JSON is read at once

Names = Mapping[str, str]
NewName = Callable[[str], str]


def upgrade() -> None:
    for old, new in TABLES.items():
        op.rename_table(old, new)
    for table, columns in COLUMNS.items():
        for old, new in columns.items():
            op.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{old}" TO "{new}"')
    _rename_constraints_and_indexes(TABLES, NAMES)
    _rename_keys_in_json(COLUMNS)


def downgrade() -> None:
    _rename_keys_in_json({table: _swap(columns) for table, columns in COLUMNS.items()})
    for table, columns in COLUMNS.items():
        for old, new in columns.items():
            op.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{new}" TO "{old}"')
    for old, new in TABLES.items():
        op.rename_table(new, old)
    _rename_constraints_and_indexes(_swap(TABLES), _swap(NAMES))


def _swap(names: Names) -> dict[str, str]:
    return {new: old for old, new in names.items()}


def _rename_constraints_and_indexes(tables: Names, names: Names) -> None:
    """Name them as the naming convention of the models does, after the tables have been renamed."""
    connection = op.get_bind()
    rename = _rename_on_sqlite if connection.dialect.name == "sqlite" else _rename_on_postgresql
    earlier = _swap(tables)
    for table in sa.inspect(connection).get_table_names():
        start = re.compile(f"^([a-z]+)_{earlier.get(table, table)}(?=_|$)")
        rename(connection, table, partial(_new_name, names, start, table))


def _new_name(names: Names, start: re.Pattern[str], table: str, name: str) -> str:
    return names.get(name) or start.sub(rf"\1_{table}", name)


def _rename_on_postgresql(connection: sa.Connection, table: str, new_name: NewName) -> None:
    found = sa.text("SELECT conname FROM pg_constraint WHERE conrelid = CAST(:table AS regclass)")
    constraints = connection.scalars(found, {"table": f'"{table}"'}).all()
    found = sa.text("SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = :table")
    indexes = connection.scalars(found, {"table": table}).all()
    for name in constraints:
        if new_name(name) != name:
            op.execute(f'ALTER TABLE "{table}" RENAME CONSTRAINT "{name}" TO "{new_name(name)}"')
    for name in {*indexes} - {*constraints}:  # the index of a constraint is renamed with it
        if new_name(name) != name:
            op.execute(f'ALTER INDEX "{name}" RENAME TO "{new_name(name)}"')
    columns = {column["name"] for column in sa.inspect(connection).get_columns(table)}
    owned = sa.text("SELECT pg_get_serial_sequence(:table, 'id')")
    sequence = connection.scalar(owned, {"table": f'"{table}"'}) if "id" in columns else None
    if sequence is not None and not sequence.endswith(f".{table}_id_seq"):
        op.execute(f'ALTER SEQUENCE {sequence} RENAME TO "{table}_id_seq"')


def _rename_on_sqlite(connection: sa.Connection, table: str, new_name: NewName) -> None:
    """SQLite renames neither constraints nor indexes: a table with such a constraint is made anew, and its indexes."""
    schema = sa.text("SELECT name, sql FROM sqlite_master WHERE type = :type AND tbl_name = :table AND sql IS NOT NULL")
    ((_name, made),) = connection.execute(schema, {"type": "table", "table": table})
    indexes = [tuple(row) for row in connection.execute(schema, {"type": "index", "table": table})]
    wanted = re.sub(r"(?<=CONSTRAINT )\w+", lambda found: new_name(found[0]), made)
    if wanted == made:
        indexes = [(name, sql) for name, sql in indexes if new_name(name) != name]
    for name, _sql in indexes:
        connection.exec_driver_sql(f'DROP INDEX "{name}"')
    if wanted != made:
        _remake_on_sqlite(connection, table, wanted[wanted.index("(") :])
    for name, sql in indexes:
        connection.exec_driver_sql(re.sub(rf'"?\b{name}\b"?', f'"{new_name(name)}"', sql, count=1))


def _remake_on_sqlite(connection: sa.Connection, table: str, definition: str) -> None:
    """As https://sqlite.org/lang_altertable.html#otheralter has it; foreign keys are off while migrations run."""
    run = connection.exec_driver_sql
    run(f'CREATE TABLE "new_{table}" {definition}')
    run(f'INSERT INTO "new_{table}" SELECT * FROM "{table}"')  # noqa: S608 - our own names
    if "AUTOINCREMENT" in definition:  # no number is given again that a deleted row had
        run("DELETE FROM sqlite_sequence WHERE name = ?", (f"new_{table}",))
        run("INSERT INTO sqlite_sequence SELECT ?, seq FROM sqlite_sequence WHERE name = ?", (f"new_{table}", table))
    run(f'DROP TABLE "{table}"')
    run(f'ALTER TABLE "new_{table}" RENAME TO "{table}"')


def _rename_keys_in_json(columns: Mapping[str, Names]) -> None:
    """Rename columns where JSON holds a row: snapshots of readings, deleted meetings, the audit trail."""
    connection = op.get_bind()
    for name in ("before", "after"):
        _change_json(connection, "reading_event", name, partial(_with_keys, columns["reading"]))
        for verb, table in AUDITED.items():
            _change_json(connection, "event", name, partial(_with_keys, columns[table]), verb=verb)
    _change_json(connection, "undo_entry", "undo", partial(_with_meeting, columns), verb="meeting.deleted")


def _change_json(
    connection: sa.Connection, table: str, column: str, change: Callable[[Any], Any], *, verb: str = ""
) -> None:
    rows = sa.table(table, sa.column("id", sa.Integer), sa.column("verb", sa.String), sa.column(column, sa.JSON))
    value = rows.c[column]
    query = sa.select(rows.c.id, value).where(value.is_not(None), rows.c.verb.startswith(verb))
    update = sa.update(rows).where(rows.c.id == sa.bindparam("row_id")).values({column: sa.bindparam("new")})
    last = 0
    while found := connection.execute(query.where(rows.c.id > last).order_by(rows.c.id).limit(CHUNK)).all():
        last = found[-1][0]
        changed = [{"row_id": row_id, "new": new} for row_id, old in found if (new := change(old)) != old]
        if changed:
            connection.execute(update, changed)


def _with_keys(names: Names, row: Any) -> Any:  # noqa: ANN401 - of JSON
    return {names.get(key, key): value for key, value in row.items()} if isinstance(row, dict) else row


def _with_meeting(columns: Mapping[str, Names], undo: dict[str, Any]) -> dict[str, Any]:
    items = [_with_keys(columns["agenda_item"], item) for item in undo["items"]]
    return {**undo, "row": _with_keys(columns["meeting"], undo["row"]), "items": items}
