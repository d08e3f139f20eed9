"""Triggers that keep the table `change`: it has a row for each resource and audience, renumbered at every change.

They see every statement, those of a bulk action or of a repair by hand too, so that no command can omit a change.
`migrations/env.py` creates them after each migration, as SQLite drops those of a table that it rebuilds. A change of
the rules below needs a migration, if need be one that does nothing else.
"""

import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

PREFIX = "record_change_"  # Of the names of the triggers, and of their functions on PostgreSQL.
TEAM = 0  # The audience of what all people may see; otherwise it is the ID of a person.
MISSING = "Triggers that record changes are missing or outdated ({names}), so that copies kept by the API miss changes."


@dataclass(frozen=True)
class Resource:
    """Where the resources of one kind are stored.

    `item`: the column that names the resource, for readings together with `reader`. `owner`: the only person who sees a
    row that is `private`.
    """

    table: str
    item: str = "id"
    reader: str = ""
    owner: str = ""

    def select_change(self, kind: str, row: str) -> str:
        """Return a SELECT of the change of a row: NEW, OLD, or the table."""
        reader = f"{row}.{self.reader}" if self.reader else "0"
        audience = f"CASE WHEN {row}.private THEN {row}.{self.owner} ELSE {TEAM} END" if self.owner else str(TEAM)
        return f"SELECT '{kind}', {row}.{self.item}, {reader}, {audience}"


class Part(NamedTuple):
    """A table whose rows belong to a resource, the one in `column`."""

    table: str
    kind: str
    column: str


class Dependent(NamedTuple):
    """Resources that look different when `columns` of a row of another table change: those that match `condition`."""

    table: str
    columns: Sequence[str]
    kind: str
    condition: str


RESOURCES: Mapping[str, Resource] = {  # In the order in which a new copy gets them.
    "topic": Resource("topic"),
    "paper": Resource("paper"),
    "relation": Resource("relation"),
    "reading": Resource("reading", item="paper_id", reader="person_id", owner="person_id"),
    "summary": Resource("summary", owner="person_id"),
    "question": Resource("question"),
    "comment": Resource("comment"),
    "comparison": Resource("comparison"),
    "meeting": Resource("meeting"),
    "assignment": Resource("assignment"),
}
PARTS = (
    Part("identifier", "paper", "paper_id"),
    Part("link", "paper", "paper_id"),
    Part("version", "paper", "paper_id"),
    Part("metadata_record", "paper", "paper_id"),
    Part("paper_topic", "paper", "paper_id"),
    Part("translated_title", "paper", "paper_id"),
    Part("topic_alias", "topic", "topic_id"),
    Part("comparison_row", "comparison", "comparison_id"),
    Part("agenda_item", "meeting", "meeting_id"),
    Part("comment", "comment", "parent_id"),  # A deleted comment is shown as long as it has replies.
)
_GONE = ("deleted_at", "merged_into")  # What is about a paper is hidden and shown together with it.
_PARTS = (  # The papers that were merged into one, across several merges.
    "WITH RECURSIVE part(id) AS (SELECT id FROM paper WHERE merged_into = NEW.id "
    "UNION SELECT paper.id FROM paper JOIN part ON paper.merged_into = part.id) SELECT id FROM part"
)
_NAME = ("name",)
DEPENDENTS = (
    Dependent("paper", _GONE, "relation", "from_id = NEW.id OR to_id = NEW.id"),
    Dependent("paper", _GONE, "reading", "paper_id = NEW.id"),
    Dependent("paper", _GONE, "summary", "paper_id = NEW.id"),
    Dependent("paper", _GONE, "summary", f"paper_id IN ({_PARTS})"),  # A merge leaves private ones where they are.
    Dependent("paper", _GONE, "question", "paper_id = NEW.id"),
    Dependent("paper", _GONE, "comment", "paper_id = NEW.id"),
    Dependent("paper", _GONE, "meeting", "id IN (SELECT meeting_id FROM agenda_item WHERE paper_id = NEW.id)"),
    Dependent("paper", _GONE, "assignment", "paper_id = NEW.id"),
    Dependent("person", _NAME, "reading", "person_id = NEW.id"),
    Dependent("person", _NAME, "summary", "person_id = NEW.id"),
    Dependent("person", _NAME, "question", "NEW.id IN (created_by, owner_id, closed_by)"),
    Dependent("person", _NAME, "comment", "NEW.id IN (person_id, resolved_by)"),
    Dependent("person", _NAME, "meeting", "presenter_id = NEW.id"),
    Dependent("person", _NAME, "meeting", "id IN (SELECT meeting_id FROM agenda_item WHERE presenter_id = NEW.id)"),
    Dependent("person", _NAME, "assignment", "NEW.id IN (person_id, created_by)"),
)
# Columns that no representation of a resource has, and that are often written.
UNSEEN: Mapping[str, Collection[str]] = {"paper": {"compared_version"}, "reading": {"position"}}


class Trigger(NamedTuple):
    """A trigger: `event` as in CREATE TRIGGER, and the statement that it runs for each row."""

    name: str
    table: str
    event: str
    statement: str


def install_triggers(connection: sa.Connection) -> None:
    """Create the triggers, and number all changes anew, as some may not have been recorded.

    A library that has no incarnation yet, as after a restore, gets one.
    """
    drop_triggers(connection)
    for trigger in _list_triggers(connection):
        for statement in _create_statements(trigger, connection.dialect.name):
            connection.exec_driver_sql(statement)
    if connection.exec_driver_sql("SELECT incarnation FROM change_feed").first() is None:
        feed = sa.table("change_feed", sa.column("id"), sa.column("incarnation"))
        connection.execute(sa.insert(feed).values(id=1, incarnation=secrets.token_hex(8)))
    recorded = "SELECT kind, item, reader, audience FROM change"
    present = [
        f"{resource.select_change(kind, resource.table)} FROM {resource.table}" for kind, resource in RESOURCES.items()
    ]
    connection.exec_driver_sql(_record_all([*present, f"{recorded} WHERE true"]))


def drop_triggers(connection: sa.Connection) -> None:
    """Drop the triggers, as those of other tables are in the way when SQLite rebuilds one that they name."""
    is_sqlite = connection.dialect.name == "sqlite"
    for name in _stored_triggers(connection):
        connection.exec_driver_sql(f"DROP TRIGGER {name}" if is_sqlite else f"DROP FUNCTION {name} CASCADE")


def find_trigger_problems(connection: sa.Connection) -> list[str]:
    """Return a sentence if triggers are missing or not those of this version."""
    stored, is_sqlite = _stored_triggers(connection), connection.dialect.name == "sqlite"
    wanted = {
        trigger.name: _create_statements(trigger, "sqlite")[0] if is_sqlite else _function_body(trigger)
        for trigger in _list_triggers(connection)
    }
    odd = sorted(name for name in {*stored, *wanted} if stored.get(name) != wanted.get(name))
    return [MISSING.format(names=", ".join(odd))] if odd else []


def _list_triggers(connection: sa.Connection) -> Iterator[Trigger]:
    tables = {resource.table for resource in RESOURCES.values()} | {part.table for part in PARTS}
    for table in sorted(tables):
        for event, rows in (("INSERT", ("NEW",)), ("UPDATE", ("NEW", "OLD")), ("DELETE", ("OLD",))):
            changes = [select for row in rows for select in _select_changes(table, row)]
            columns = _seen_columns(connection, table) if event == "UPDATE" else ""
            yield Trigger(f"{PREFIX}{table}_{event.lower()}", table, event + columns, _record_all(changes))
    for table in dict.fromkeys(dependent.table for dependent in DEPENDENTS):
        dependents = [dependent for dependent in DEPENDENTS if dependent.table == table]
        event = f"UPDATE OF {', '.join(dependents[0].columns)}"
        changes = [_select_dependents(dependent) for dependent in dependents]
        yield Trigger(f"{PREFIX}beside_{table}", table, event, _record_all(changes))


def _select_changes(table: str, row: str) -> Iterator[str]:
    """Yield a SELECT for each resource that a changed row of a table is, or is a part of."""
    for kind, resource in RESOURCES.items():
        if resource.table == table:
            yield resource.select_change(kind, row)
    for part in PARTS:
        if part.table == table:
            owner = f"{row}.{part.column}"
            yield f"SELECT '{part.kind}', {owner}, 0, {TEAM} WHERE {owner} IS NOT NULL"


def _select_dependents(dependent: Dependent) -> str:
    table = RESOURCES[dependent.kind].table
    changes = RESOURCES[dependent.kind].select_change(dependent.kind, table)
    return f"{changes} FROM {table} WHERE {dependent.condition}"


def _seen_columns(connection: sa.Connection, table: str) -> str:
    """Return the part of a trigger's event that leaves UNSEEN columns out."""
    unseen = UNSEEN.get(table)
    if not unseen:
        return ""
    names = [column["name"] for column in sa.inspect(connection).get_columns(table) if column["name"] not in unseen]
    return " OF " + ", ".join(connection.dialect.identifier_preparer.quote(name) for name in names)


def _record_all(selects: Sequence[str]) -> str:
    """Return the statement that gives changes the highest numbers. UNION leaves each out that comes twice."""
    return (
        f"INSERT INTO change (kind, item, reader, audience) {' UNION '.join(dict.fromkeys(selects))} "
        "ON CONFLICT (kind, item, reader, audience) DO UPDATE SET id = excluded.id"
    )


def _create_statements(trigger: Trigger, dialect: str) -> Sequence[str]:
    head = f"CREATE TRIGGER {trigger.name} AFTER {trigger.event} ON {trigger.table} FOR EACH ROW"
    if dialect == "sqlite":
        return [f"{head} BEGIN {trigger.statement}; END"]
    function = f"CREATE OR REPLACE FUNCTION {trigger.name}() RETURNS trigger LANGUAGE plpgsql AS"
    return [f"{function} $${_function_body(trigger)}$$", f"{head} EXECUTE FUNCTION {trigger.name}()"]


def _function_body(trigger: Trigger) -> str:
    return f"BEGIN {trigger.statement}; RETURN NULL; END"


def _stored_triggers(connection: sa.Connection) -> dict[str, str]:
    """Return our triggers by name, each with its text, on PostgreSQL with the body of its function."""
    if connection.dialect.name == "sqlite":
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    else:
        query = (
            "SELECT tgname, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
            "JOIN pg_class ON pg_class.oid = tgrelid WHERE relnamespace = current_schema()::regnamespace "
            "AND tgenabled <> 'D'"
        )
    return {name: text for name, text in connection.exec_driver_sql(query) if name.startswith(PREFIX)}
