"""By which indexes a database finds the rows of a statement."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from readtrack.infra.db import Read


def plans(tx: Read, run: Callable[[], object]) -> list[str]:
    """How each SELECT that `run` sends is answered, as the database says it."""
    seen: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        seen.append((statement, parameters))

    connection = tx.connection()
    sa.event.listen(connection, "before_cursor_execute", note)
    run()
    sa.event.remove(connection, "before_cursor_execute", note)
    is_postgres = connection.dialect.name == "postgresql"
    if is_postgres:
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # which it likes best for a small table
    explain = "EXPLAIN" if is_postgres else "EXPLAIN QUERY PLAN"
    return [
        "\n".join(str(row[-1]) for row in connection.exec_driver_sql(f"{explain} {statement}", parameters))
        for statement, parameters in seen
        if statement.startswith("SELECT")
    ]
