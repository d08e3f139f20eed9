"""Hook for saved texts: search, links and mentions subscribe to changes of texts that people write.

Commands call `text_saved` in the transaction of the change. Subscribers register when their module is imported.
`text_saved` raises RuntimeError if an expected one is missing, so that a program that forgot to import it cannot lose
updates.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from readtrack.infra.db import Write
from readtrack.infra.permissions import CurrentUser

Kind = Literal["summary", "topic", "comment"]
EXPECTED = frozenset({"search index", "links", "mentions"})


@dataclass(frozen=True)
class TextEdit:
    """The author of a saved text and its previous text as others could read it ("" if none)."""

    author: CurrentUser
    before: str


Subscriber = Callable[[Write, Kind, Sequence[int], TextEdit | None], None]
SUBSCRIBERS: dict[str, Subscriber] = {}


def on_text_saved(name: str) -> Callable[[Subscriber], Subscriber]:
    """Register a subscriber under one of the EXPECTED names."""

    def register(subscriber: Subscriber) -> Subscriber:
        SUBSCRIBERS[name] = subscriber
        return subscriber

    return register


def text_saved(tx: Write, kind: Kind, ids: Iterable[int], *, edit: TextEdit | None = None) -> None:
    """Notify all subscribers that these texts were saved, changed or deleted.

    `edit` is set if a person saved one of them.
    """
    if missing_names := EXPECTED - SUBSCRIBERS.keys():
        message = (
            f"Nobody subscribed to saved texts as {', '.join(sorted(missing_names))}: import readtrack.bootstrap first."
        )
        raise RuntimeError(message)
    numbers = sorted({*ids})
    for name in sorted(EXPECTED):
        SUBSCRIBERS[name](tx, kind, numbers, edit)
