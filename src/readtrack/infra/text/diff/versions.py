"""A history as it is shown: each version with what it changed. Pure, and bounded work for a page of versions."""

from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from readtrack.infra.text.diff.diff import ChangeAmount, DiffChange, collapse_unchanged, count_changes, diff_texts

VERSIONS_AT_ONCE = 20
CELLS = 40_000_000  # pairs of pieces for each of them: together they take less than half a second


class VersionText(Protocol):
    """Whatever has a text."""

    @property
    def markdown(self) -> str: ...


Some = TypeVar("Some", bound=VersionText)


class VersionStep(NamedTuple, Generic[Some]):
    """A version with how its text differs from the one before; from nothing, when that is not known (`first`)."""

    version: Some
    changes: Sequence[DiffChange]
    amount: ChangeAmount
    first: bool


def version_steps(versions: Sequence[Some], before: Some | None) -> list[VersionStep[Some]]:
    """Versions, the newest first, each with what it changed; `before`: the one before the last of them."""
    earlier = [*versions[1:], before]
    return [_step(version, earlier[place]) for place, version in enumerate(versions)]


def _step(version: Some, before: Some | None) -> VersionStep[Some]:
    changes = diff_texts(before.markdown if before else "", version.markdown, cells=CELLS)
    return VersionStep(
        version, collapse_unchanged(changes) if before else changes, count_changes(changes), before is None
    )
