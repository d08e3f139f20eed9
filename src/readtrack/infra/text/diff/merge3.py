"""Two texts that began from the same one, put together where what they changed does not touch (diff3). Pure.

A text is cut into sentences, a line's end with its last one. Who changed neighbouring sentences has changed the same
thing: between two changes there is a sentence or a blank line that both left as it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from readtrack.infra.text.diff.common_runs import CellBudget, common_runs
from readtrack.infra.text.diff.diff import SENTENCE

Value = TypeVar("Value")


class MergePart(NamedTuple):
    """A piece of both: what came of it, or None where they clash."""

    base: str
    theirs: str
    mine: str
    settled: str | None


def merge_texts(base: str, theirs: str, mine: str) -> list[MergePart]:
    """The texts in parts. They are one that clashes when they are too far apart to be compared."""
    texts = [SENTENCE.findall(f"{text}\n") for text in (base, theirs, mine)]
    found = [_places(texts[0], text) for text in texts[1:]]
    if None in found:
        return [_part(*(f"{text}\n" for text in (base, theirs, mine)))]
    return list(_parts(texts, [places for places in found if places is not None]))


def is_conflict(base: object, theirs: object, mine: object) -> bool:
    """Whether both changed a thing that is changed as a whole, and not to the same."""
    return theirs != base and mine not in {base, theirs}


def merge_value(base: Value, theirs: Value, mine: Value) -> Value:
    """What comes of such a thing where they did not."""
    return theirs if mine == base else mine


def merged_text(parts: Sequence[MergePart]) -> str | None:
    """The text that came of both; None when they clash somewhere."""
    settled = [part.settled for part in parts if part.settled is not None]
    return _without_end("".join(settled)) if len(settled) == len(parts) else None


def conflict_text(parts: Sequence[MergePart], heads: Sequence[str]) -> str:
    """All of both, to be put together by hand: three `heads` stand over their words, over mine and after both."""
    text = ""
    for part in parts:
        if part.settled is not None:
            text += part.settled
            continue
        for head, words in zip(heads, (part.theirs, part.mine, ""), strict=True):
            text += f"{_break(text)}{head}\n{words}"
    return _without_end(text)


def _break(text: str) -> str:
    """What a line of its own needs before it."""
    return "" if not text or text.endswith("\n") else "\n"


def _without_end(text: str) -> str:
    """Each text was given an end to its last line, so that writing on below is no change of that line."""
    return text.removesuffix("\n")


def _places(base: Sequence[str], text: Sequence[str]) -> Mapping[int, int] | None:
    """Where each sentence of the base is in the text, if it is."""
    runs = common_runs(base, text, CellBudget())
    if runs is None:
        return None
    return {run.one + at: run.other + at for run in runs for at in range(run.size)}


def _parts(texts: Sequence[Sequence[str]], found: Sequence[Mapping[int, int]]) -> Iterator[MergePart]:
    """What all three have, and what lies between."""
    base, theirs, mine = texts
    at = (0, 0, 0)
    ends = (len(base), len(theirs), len(mine))
    held = [(place, found[0][place], found[1][place]) for place in range(len(base)) if all(place in to for to in found)]
    for to in [*held, ends]:
        between = _part(*("".join(text[start:end]) for text, start, end in zip(texts, at, to, strict=True)))
        if any(between[:3]):
            yield between
        at = (to[0] + 1, to[1] + 1, to[2] + 1)
        if to != ends:
            yield MergePart(*(base[to[0]],) * 4)


def _part(base: str, theirs: str, mine: str) -> MergePart:
    if mine in {base, theirs}:
        return MergePart(base, theirs, mine, theirs)
    return MergePart(base, theirs, mine, mine if theirs == base else None)
