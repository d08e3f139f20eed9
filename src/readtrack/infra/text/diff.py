"""Diff and three-way merge (diff3) of texts, with bounded running time, and the changes of each version of a history.

The diff is by word; Han and kana are compared by character.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

MAX_CELLS = 200_000_000  # pairs of pieces: about a tenth of a second, and 25 MB
CONTEXT_CHARS = 80  # Characters of context around a change.
_CJK = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
# Combining marks and variation selectors, which belong to the preceding character.
_MARKS = "\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
_WORD = re.compile(
    rf"[{_CJK}][{_MARKS}]*|(?:(?![{_CJK}])\w)(?:(?![{_CJK}])[\w{_MARKS}])*|[^\S\n]+|.[{_MARKS}]*|\n", re.DOTALL
)
# A sentence ends at a mark and a blank, Chinese and Japanese ones without it; "e.g. " and "J. R. " end none.
SENTENCE = re.compile(r"[^\n]{16,}?(?:[.!?][)\]\"'”’]{0,3}[ \t]+|[。！？][」』）]{0,3})|[^\n]*\n|[^\n]+")
VERSIONS_AT_ONCE = 20
CELLS_PER_VERSION = 40_000_000  # pairs of pieces; twenty versions together take less than half a second


class CellBudget:
    """How many pairs of pieces may be compared yet, by all comparisons that share it."""

    def __init__(self, cells: int = MAX_CELLS) -> None:
        self.remaining = cells


class CommonRun(NamedTuple):
    """So many pieces that are the same, from these places on."""

    one: int
    other: int
    size: int


def common_runs(one: Sequence[str], other: Sequence[str], budget: CellBudget) -> list[CommonRun] | None:
    """The runs that both have, in their order. None when finding them is more work than is left."""
    from rapidfuzz.distance import LCSseq

    start = _count_equal(one, other)
    end = _count_equal(one[start:][::-1], other[start:][::-1])
    cells = (len(one) - start - end) * (len(other) - start - end)
    if cells > budget.remaining:
        return None
    budget.remaining -= cells
    numbers: dict[str, int] = {}  # the library compares hashes, and those of two pieces may be the same
    mine, theirs = ([numbers.setdefault(piece, len(numbers)) for piece in pieces] for pieces in (one, other))
    blocks = LCSseq.editops(mine, theirs).as_matching_blocks()
    return [CommonRun(block.a, block.b, block.size) for block in blocks if block.size]


def _count_equal(one: Sequence[str], other: Sequence[str]) -> int:
    """How many pieces both begin with."""
    together = zip(one, other, strict=False)
    return next((at for at, (piece, there) in enumerate(together) if piece != there), min(len(one), len(other)))


class DiffChange(NamedTuple):
    """A segment of a diff: unchanged text (`same`), or the old text (`before`) and the new text (`after`)."""

    same: str
    before: str = ""
    after: str = ""


LEFT_OUT = DiffChange("")


class ChangeAmount(NamedTuple):
    """Number of characters added and removed."""

    added: int
    removed: int


def diff_texts(before: str, after: str, *, cells: int = MAX_CELLS) -> list[DiffChange]:
    """The texts cut into what is the same and what is not, first by sentence, then by word.

    What takes too long to compare is one change as a whole.
    """
    changes, budget = list[DiffChange](), CellBudget(cells)
    for change in _diff_pieces(SENTENCE.findall(before), SENTENCE.findall(after), budget):
        changes += [change] if change.same else _by_word(change, budget)
    return [DiffChange(*map("".join, zip(*run, strict=True))) for run in _runs(changes)]


def count_changes(changes: Iterable[DiffChange]) -> ChangeAmount:
    """Return the number of characters added and removed."""
    change_list = list(changes)
    return ChangeAmount(
        sum(len(change.after) for change in change_list), sum(len(change.before) for change in change_list)
    )


def collapse_unchanged(changes: Sequence[DiffChange]) -> list[DiffChange]:
    """Replace unchanged text by LEFT_OUT, except for some context around changes."""
    last = len(changes) - 1
    segments = [_cut(change, is_first=index == 0, is_last=index == last) for index, change in enumerate(changes)]
    return [shortened for segment in segments for shortened in segment]


def _by_word(change: DiffChange, budget: CellBudget) -> list[DiffChange]:
    word_changes = _diff_pieces(_WORD.findall(change.before), _WORD.findall(change.after), budget)
    return list(_without_crumbs(word_changes))


def _diff_pieces(old: Sequence[str], new: Sequence[str], budget: CellBudget) -> list[DiffChange]:
    runs = common_runs(old, new, budget)
    changes, old_index, new_index = list[DiffChange](), 0, 0
    for run in [*(runs or []), CommonRun(len(old), len(new), 0)]:
        changes.append(DiffChange("", "".join(old[old_index : run.one]), "".join(new[new_index : run.other])))
        old_index, new_index = run.one + run.size, run.other + run.size
        changes.append(DiffChange("".join(old[run.one : old_index])))
    return [change for change in changes if any(change)]


def _without_crumbs(changes: Sequence[DiffChange]) -> Iterator[DiffChange]:
    """Treat a blank or single character between two changes as part of them."""
    for index, change in enumerate(changes):
        is_crumb = len(change.same.strip()) <= 1 and "\n" not in change.same and 0 < index < len(changes) - 1
        yield DiffChange("", change.same, change.same) if change.same and is_crumb else change


def _runs(changes: Iterable[DiffChange]) -> Iterator[list[DiffChange]]:
    """Group consecutive changes into runs of unchanged and changed segments."""
    run = list[DiffChange]()
    for change in changes:
        if run and bool(run[-1].same) != bool(change.same):
            yield run
            run = []
        run.append(change)
    if run:
        yield run


def _cut(change: DiffChange, *, is_first: bool, is_last: bool) -> list[DiffChange]:
    """Shorten unchanged text to the ends next to a change; keep it if little would be saved."""
    text = change.same
    if len(text) <= 2 * CONTEXT_CHARS:
        return [change]
    head = text[:CONTEXT_CHARS].rpartition(" ")[0] or text[:CONTEXT_CHARS]
    tail = text[-CONTEXT_CHARS:].partition(" ")[2] or text[-CONTEXT_CHARS:]
    context = [] if is_first else [DiffChange(head)], [] if is_last else [DiffChange(tail)]
    return [*context[0], LEFT_OUT, *context[1]]


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
    changes = diff_texts(previous.markdown if previous else "", version.markdown, cells=CELLS_PER_VERSION)
    return VersionStep(
        version, collapse_unchanged(changes) if previous else changes, count_changes(changes), previous is None
    )
