"""Line-by-line comparison of two revisions of a note: added, changed, moved and removed lines.

Equal lines are paired, the longest increasing run of pairs is kept in place, and the other pairs are moved lines
(patience diff). The time is nearly linear in the number of lines.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from readtrack.infra.i18n import N_, format_number
from readtrack.infra.i18n import gettext as _

# An address counts as one word.
_CJK = r"\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"https?://[^\s)\]>|]{{1,400}}|[^\W_{_CJK}]+|[{_CJK}]")
_MAX_LINE_CHARS = 2000  # characters of a line that are compared
_MIN_SIMILARITY = 0.5  # Dice coefficient of the words of two lines from which they count as the same line, changed
_MAX_WORD_LINES = 8  # words that occur in more lines are ignored
_CHANGE_LABELS = {  # in display order
    "added": N_("%(count)s added"),
    "changed": N_("%(count)s changed"),
    "moved": N_("%(count)s moved"),
    "removed": N_("%(count)s removed"),
}
Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class LineChange:
    """One line with its 1-based number in either text.

    `kind`: same, added, changed, moved or removed.
    """

    kind: str
    old: int | None
    new: int | None


@dataclass(frozen=True)
class RevisionDiff:
    """All lines of both texts in the order of the later one, with removed lines at their former place."""

    changes: Sequence[LineChange]
    counts: Mapping[str, int]  # by kind, without blank lines


def compare_lines(old: Sequence[str], new: Sequence[str]) -> RevisionDiff:
    """Compare the lines of two texts, ignoring whitespace at both ends of a line."""
    before, after = [line.strip() for line in old], [line.strip() for line in new]
    same_pairs, moved_pairs = _pair_equal_lines(before, after)
    changed_pairs = _pair_changed_lines(before, after, same_pairs, moved_pairs)
    changes = list(_iter_changes(len(before), len(after), same_pairs, {"moved": moved_pairs, "changed": changed_pairs}))
    nonblank_changes = (
        change for change in changes if (after[change.new - 1] if change.new else before[(change.old or 1) - 1])
    )
    return RevisionDiff(changes, Counter(change.kind for change in nonblank_changes))


def _pair_equal_lines(before: Sequence[str], after: Sequence[str]) -> tuple[Pairs, Pairs]:
    """Return the pairs of equal lines that kept their order, and those that moved."""
    anchors = _find_longest_run(_pair_unique_lines(before, after))
    same_pairs = _find_longest_run(_fill_gaps(before, after, anchors))
    remaining_old = _list_remaining(len(before), (i for i, _ in same_pairs))
    remaining_new = _list_remaining(len(after), (j for _, j in same_pairs))
    moved_pairs = [
        (remaining_old[i], remaining_new[j])
        for i, j in _pair_by_occurrence([before[i] for i in remaining_old], [after[j] for j in remaining_new])
        if before[remaining_old[i]]
    ]
    return same_pairs, moved_pairs


def _pair_unique_lines(before: Sequence[str], after: Sequence[str]) -> Pairs:
    counts_before = Counter(before)
    index_by_line = {line: index for index, line in enumerate(before) if line and counts_before[line] == 1}
    counts_after = Counter(after)
    return [
        (index_by_line[line], index)
        for index, line in enumerate(after)
        if line in index_by_line and counts_after[line] == 1
    ]


def _fill_gaps(before: Sequence[str], after: Sequence[str], anchors: Pairs) -> Pairs:
    """Add pairs of equal lines between the anchors: first those adjacent to an anchor, then the others."""
    pairs: Pairs = []
    for (i, j), (i_end, j_end) in pairwise([(-1, -1), *anchors, (len(before), len(after))]):
        start, end = 1, 1
        while i + start < i_end and j + start < j_end and before[i + start] == after[j + start]:
            pairs.append((i + start, j + start))
            start += 1
        tail: Pairs = []
        while i_end - end >= i + start and j_end - end >= j + start and before[i_end - end] == after[j_end - end]:
            tail.append((i_end - end, j_end - end))
            end += 1
        gap_old, gap_new = before[i + start : i_end - end + 1], after[j + start : j_end - end + 1]
        pairs += [(i + start + a, j + start + b) for a, b in _pair_by_occurrence(gap_old, gap_new)]
        pairs += reversed(tail)
        pairs += [(i_end, j_end)] * (i_end < len(before) and j_end < len(after))
    return sorted(pairs, key=lambda pair: pair[1])


def _pair_by_occurrence(before: Sequence[str], after: Sequence[str]) -> Pairs:
    """Pair equal lines in order: the first with the first, the second with the second."""
    indexes_by_line: dict[str, list[int]] = defaultdict(list)
    for index, line in enumerate(before):
        indexes_by_line[line].append(index)
    used_counts: Counter[str] = Counter()
    pairs: Pairs = []
    for index, line in enumerate(after):
        if used_counts[line] < len(indexes_by_line.get(line, ())):
            pairs.append((indexes_by_line[line][used_counts[line]], index))
            used_counts[line] += 1
    return pairs


def _find_longest_run(pairs: Pairs) -> Pairs:
    """Return the longest run of pairs that increases on both sides.

    `pairs` are sorted by the later text.
    """
    ends: list[int] = []  # the smallest earlier line that ends a run of this length
    last: list[int] = []  # the index of its pair
    before: list[int] = []  # the index of the preceding pair of each pair
    for index, (i, _j) in enumerate(pairs):
        length = bisect_left(ends, i)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [i]
        last[length : length + 1] = [index]
    return _trace_run(pairs, before, last[-1] if last else -1)


def _trace_run(pairs: Pairs, before: Sequence[int], index: int) -> Pairs:
    run: Pairs = []
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def _pair_changed_lines(before: Sequence[str], after: Sequence[str], same_pairs: Pairs, moved_pairs: Pairs) -> Pairs:
    """Pair lines between the same neighbours that share most of their words."""
    paired_old, paired_new = ({pair[side] for pair in (*same_pairs, *moved_pairs)} for side in (0, 1))
    pairs: Pairs = []
    for (i, j), (i_end, j_end) in pairwise([(-1, -1), *same_pairs, (len(before), len(after))]):
        removed = [index for index in range(i + 1, i_end) if index not in paired_old and before[index]]
        added = [index for index in range(j + 1, j_end) if index not in paired_new and after[index]]
        if removed and added:
            pairs += _pair_similar_lines(
                {index: before[index] for index in removed}, {index: after[index] for index in added}
            )
    return pairs


def _pair_similar_lines(removed: Mapping[int, str], added: Mapping[int, str]) -> Pairs:
    """Pair each new line with the most similar removed line, if similar enough.

    Each line is used once.
    """
    words_by_index = {index: _split_words(line) for index, line in removed.items()}
    lines_by_word: dict[str, list[int]] = defaultdict(list)
    for index, removed_words in words_by_index.items():
        for word in removed_words:
            lines_by_word[word].append(index)
    pairs: Pairs = []
    for index, line in added.items():
        added_words = _split_words(line)
        shared_counts = Counter(
            i
            for word in added_words
            if len(lines_by_word[word]) <= _MAX_WORD_LINES
            for i in lines_by_word[word]
            if i in words_by_index
        )
        best = max(shared_counts, key=lambda i: (_word_similarity(words_by_index[i], added_words), -i), default=None)
        if best is not None and _word_similarity(words_by_index[best], added_words) >= _MIN_SIMILARITY:
            pairs.append((best, index))
            del words_by_index[best]
    return pairs


def _split_words(line: str) -> set[str]:
    return set(_WORD.findall(line[:_MAX_LINE_CHARS].lower()))


def _word_similarity(left: set[str], right: set[str]) -> float:
    return 2 * len(left & right) / ((len(left) + len(right)) or 1)


def _iter_changes(
    old_count: int, new_count: int, same_pairs: Pairs, other_pairs: Mapping[str, Pairs]
) -> Iterator[LineChange]:
    """Yield the lines in the order of the later text, removed lines before the lines that replaced them."""
    origins = {j: (kind, i) for kind, pairs in other_pairs.items() for i, j in pairs}
    paired_old = {i for _, i in origins.values()}
    done_old = done_new = 0
    for i, j in [*same_pairs, (old_count, new_count)]:
        for new_index in range(done_new, j):
            kind, old_index = origins.get(new_index, ("added", -1))
            removed_end = old_index if kind == "changed" else i
            yield from (
                LineChange("removed", index + 1, None)
                for index in range(done_old, removed_end)
                if index not in paired_old
            )
            done_old = max(done_old, removed_end)
            yield LineChange(kind, old_index + 1 or None, new_index + 1)
        yield from (LineChange("removed", index + 1, None) for index in range(done_old, i) if index not in paired_old)
        if i < old_count and j < new_count:
            yield LineChange("same", i + 1, j + 1)
        done_old, done_new = i + 1, j + 1


def _list_remaining(length: int, indexes: Iterable[int]) -> list[int]:
    excluded = set(indexes)
    return [index for index in range(length) if index not in excluded]


@dataclass(frozen=True)
class Fold:
    """A range of unchanged lines far from any change, with their numbers in the later text."""

    first: int
    last: int


def fold_unchanged(changes: Sequence[LineChange], context_lines: int = 2) -> list[LineChange | Fold]:
    """Return the changes with `context_lines` lines of context, and fold the unchanged lines between them."""
    in_context = [False] * len(changes)
    for index, change in enumerate(changes):
        if change.kind != "same":
            in_context[max(index - context_lines, 0) : index + context_lines + 1] = [True] * len(
                in_context[max(index - context_lines, 0) : index + context_lines + 1]
            )
    folded: list[LineChange | Fold] = []
    for change, is_visible in zip(changes, in_context, strict=True):
        if is_visible:
            folded.append(change)
        elif folded and isinstance(folded[-1], Fold):
            folded[-1] = Fold(folded[-1].first, change.new or 0)
        else:
            folded.append(Fold(change.new or 0, change.new or 0))
    return folded


def summarize_changes(counts: Mapping[str, int]) -> str:
    """Return a summary such as "12 added, 3 moved, 1 removed"."""
    kinds = [kind for kind in _CHANGE_LABELS if counts.get(kind)]
    if not kinds:
        return _("no changes")
    return _(", ").join(_(_CHANGE_LABELS[kind]) % {"count": format_number(counts[kind])} for kind in kinds)
