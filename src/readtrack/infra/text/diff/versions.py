"""Version history with the changes of each version, with bounded running time per page."""

from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from readtrack.infra.text.diff.diff import ChangeAmount, DiffChange, collapse_unchanged, count_changes, diff_texts

VERSIONS_AT_ONCE = 20
CELLS = 40_000_000  # pairs of pieces for each of them: together they take less than half a second


class VersionText(Protocol):
    """An object with a text."""

    @property
    def markdown(self) -> str: ...


Some = TypeVar("Some", bound=VersionText)


class VersionStep(NamedTuple, Generic[Some]):
    """A version and its difference from the previous one.

    `first`: the previous one is unknown, all text counts as new.
    """

    version: Some
    changes: Sequence[DiffChange]
    amount: ChangeAmount
    first: bool


def version_steps(versions: Sequence[Some], oldest_previous: Some | None) -> list[VersionStep[Some]]:
    """Return versions, newest first, with their changes.

    `oldest_previous` is the version before the oldest of them.
    """
    previous_versions = [*versions[1:], oldest_previous]
    return [_step(version, previous_versions[index]) for index, version in enumerate(versions)]


def _step(version: Some, previous: Some | None) -> VersionStep[Some]:
    changes = diff_texts(previous.markdown if previous else "", version.markdown, cells=CELLS)
    return VersionStep(
        version, collapse_unchanged(changes) if previous else changes, count_changes(changes), previous is None
    )
