"""Three-way merge (diff3) of two texts edited from a common base.

Texts are split into sentences; a line break belongs to the last sentence of its line. Changes to adjacent sentences
conflict: at least one unchanged sentence or blank line must lie between two changes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from readtrack.infra.text.diff.common_runs import CellBudget, common_runs
from readtrack.infra.text.diff.diff import SENTENCE

Value = TypeVar("Value")


class MergePart(NamedTuple):
    """A segment of the merge. `merged` is the merged text, or None for a conflict."""

    base: str
    theirs: str
    mine: str
    merged: str | None


def merge_texts(base: str, theirs: str, mine: str) -> list[MergePart]:
    """Merge two texts and return the segments.

    If they differ too much to compare, return one conflicting segment.
    """
    texts = [SENTENCE.findall(f"{text}\n") for text in (base, theirs, mine)]
    mappings = [_places(texts[0], text) for text in texts[1:]]
    if None in mappings:
        return [_part(*(f"{text}\n" for text in (base, theirs, mine)))]
    return list(_parts(texts, [mapping for mapping in mappings if mapping is not None]))


def is_conflict(base: object, theirs: object, mine: object) -> bool:
    """Return True if both sides changed the value to different values."""
    return theirs != base and mine not in {base, theirs}


def merge_value(base: Value, theirs: Value, mine: Value) -> Value:
    """Return the merged value of a field without a conflict."""
    return theirs if mine == base else mine


def merged_text(parts: Sequence[MergePart]) -> str | None:
    """Return the merged text, or None if there are conflicts."""
    settled_texts = [part.merged for part in parts if part.merged is not None]
    return _without_end("".join(settled_texts)) if len(settled_texts) == len(parts) else None


def conflict_text(parts: Sequence[MergePart], heads: Sequence[str]) -> str:
    """Return the text with conflict markers.

    `heads` are the lines before their text, before mine, and after both.
    """
    text = ""
    for part in parts:
        if part.merged is not None:
            text += part.merged
            continue
        for head, words in zip(heads, (part.theirs, part.mine, ""), strict=True):
            text += f"{_break(text)}{head}\n{words}"
    return _without_end(text)


def _break(text: str) -> str:
    """Return the line break needed before a marker line."""
    return "" if not text or text.endswith("\n") else "\n"


def _without_end(text: str) -> str:
    """Remove the line break added to each text, which makes an appended line no change of the last one."""
    return text.removesuffix("\n")


def _places(base: Sequence[str], text: Sequence[str]) -> Mapping[int, int] | None:
    """Map indexes of base sentences to their indexes in the other text.

    None if the comparison exceeds its budget.
    """
    runs = common_runs(base, text, CellBudget())
    if runs is None:
        return None
    return {run.one + offset: run.other + offset for run in runs for offset in range(run.size)}


def _parts(texts: Sequence[Sequence[str]], mappings: Sequence[Mapping[int, int]]) -> Iterator[MergePart]:
    """Yield the sentences common to all three texts and the segments between them."""
    base, theirs, mine = texts
    previous = (0, 0, 0)
    end_positions = (len(base), len(theirs), len(mine))
    common = [
        (base_index, mappings[0][base_index], mappings[1][base_index])
        for base_index in range(len(base))
        if all(base_index in position for position in mappings)
    ]
    for position in [*common, end_positions]:
        segment = _part(*("".join(text[start:end]) for text, start, end in zip(texts, previous, position, strict=True)))
        if any(segment[:3]):
            yield segment
        previous = (position[0] + 1, position[1] + 1, position[2] + 1)
        if position != end_positions:
            yield MergePart(*(base[position[0]],) * 4)


def _part(base: str, theirs: str, mine: str) -> MergePart:
    if mine in {base, theirs}:
        return MergePart(base, theirs, mine, theirs)
    return MergePart(base, theirs, mine, mine if theirs == base else None)
