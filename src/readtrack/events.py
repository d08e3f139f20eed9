"""What happened, by whom: one append-only table that is both the activity feed and the audit trail."""

from collections.abc import Mapping
from typing import Any

from readtrack.db import Write
from readtrack.models import Event
from readtrack.policy import Visitor


def record(
    tx: Write,
    visitor: Visitor | None,
    verb: str,
    *,
    paper_id: int | None = None,
    data: Mapping[str, Any] | None = None,
    private: bool = False,
) -> None:
    """Writes one event in the transaction of its effect. `verb`: "concept.verbed", as "paper.added"."""
    tx.add(
        Event(
            person_id=visitor.id if visitor else None,
            token_id=visitor.token_id if visitor else None,
            verb=verb,
            paper_id=paper_id,
            data=dict(data or {}),
            private=private,
        )
    )
