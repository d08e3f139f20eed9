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

from readtrack.infra.i18n import N_, format_number, ngettext
from readtrack.infra.i18n import gettext as _

# An address counts as one word.
_CJK = r"\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"https?://[^\s)\]>|]{{1,400}}|[^\W_{_CJK}]+|[{_CJK}]")
_COMPARED = 2000  # characters of a line that are compared
_ALIKE = 0.5  # Dice coefficient of the words of two lines from which they count as the same line, changed
_RARE = 8  # words that occur in more lines are ignored
_CHANGE_LABELS = {  # for all but the first kind, in display order
    "added": N_("{count} added"),
    "changed": N_("{count} changed"),
    "moved": N_("{count} moved"),
    "removed": N_("{count} removed"),
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
    kept, moved = _pair_equal_lines(before, after)
    changed = _pair_changed_lines(before, after, kept, moved)
    changes = list(_iter_changes(len(before), len(after), kept, {"moved": moved, "changed": changed}))
    said = (change for change in changes if (after[change.new - 1] if change.new else before[(change.old or 1) - 1]))
    return RevisionDiff(changes, Counter(change.kind for change in said))


def _pair_equal_lines(before: Sequence[str], after: Sequence[str]) -> tuple[Pairs, Pairs]:
    """Return the pairs of equal lines that kept their order, and those that moved."""
    anchors = _find_longest_run(_pair_unique_lines(before, after))
    kept = _find_longest_run(_fill_gaps(before, after, anchors))
    left_old = _list_remaining(len(before), (i for i, _ in kept))
    left_new = _list_remaining(len(after), (j for _, j in kept))
    moved = [
        (left_old[i], left_new[j])
        for i, j in _pair_by_occurrence([before[i] for i in left_old], [after[j] for j in left_new])
        if before[left_old[i]]
    ]
    return kept, moved


def _pair_unique_lines(before: Sequence[str], after: Sequence[str]) -> Pairs:
    once = Counter(before)
    places = {line: at for at, line in enumerate(before) if line and once[line] == 1}
    again = Counter(after)
    return [(places[line], at) for at, line in enumerate(after) if line in places and again[line] == 1]


def _fill_gaps(before: Sequence[str], after: Sequence[str], anchors: Pairs) -> Pairs:
    """Add pairs of equal lines between the anchors: first those adjacent to an anchor, then the others."""
    filled: Pairs = []
    for (i, j), (i_end, j_end) in pairwise([(-1, -1), *anchors, (len(before), len(after))]):
        start, end = 1, 1
        while i + start < i_end and j + start < j_end and before[i + start] == after[j + start]:
            filled.append((i + start, j + start))
            start += 1
        tail: Pairs = []
        while i_end - end >= i + start and j_end - end >= j + start and before[i_end - end] == after[j_end - end]:
            tail.append((i_end - end, j_end - end))
            end += 1
        gap_old, gap_new = before[i + start : i_end - end + 1], after[j + start : j_end - end + 1]
        filled += [(i + start + a, j + start + b) for a, b in _pair_by_occurrence(gap_old, gap_new)]
        filled += reversed(tail)
        filled += [(i_end, j_end)] * (i_end < len(before) and j_end < len(after))
    return sorted(filled, key=lambda pair: pair[1])


def _pair_by_occurrence(before: Sequence[str], after: Sequence[str]) -> Pairs:
    """Pair equal lines in order: the first with the first, the second with the second."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(before):
        places[line].append(at)
    used: Counter[str] = Counter()
    pairs: Pairs = []
    for at, line in enumerate(after):
        if used[line] < len(places.get(line, ())):
            pairs.append((places[line][used[line]], at))
            used[line] += 1
    return pairs


def _find_longest_run(pairs: Pairs) -> Pairs:
    """Return the longest run of pairs that increases on both sides.

    `pairs` are sorted by the later text.
    """
    ends: list[int] = []  # the smallest earlier line that ends a run of this length
    last: list[int] = []  # the index of its pair
    before: list[int] = []  # the index of the preceding pair of each pair
    for at, (i, _j) in enumerate(pairs):
        length = bisect_left(ends, i)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [i]
        last[length : length + 1] = [at]
    return _trace_run(pairs, before, last[-1] if last else -1)


def _trace_run(pairs: Pairs, before: Sequence[int], number: int) -> Pairs:
    run: Pairs = []
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _pair_changed_lines(before: Sequence[str], after: Sequence[str], kept: Pairs, moved: Pairs) -> Pairs:
    """Pair lines between the same neighbours that share most of their words."""
    settled_old, settled_new = ({pair[side] for pair in (*kept, *moved)} for side in (0, 1))
    pairs: Pairs = []
    for (i, j), (i_end, j_end) in pairwise([(-1, -1), *kept, (len(before), len(after))]):
        gone = [at for at in range(i + 1, i_end) if at not in settled_old and before[at]]
        come = [at for at in range(j + 1, j_end) if at not in settled_new and after[at]]
        if gone and come:
            pairs += _pair_similar_lines({at: before[at] for at in gone}, {at: after[at] for at in come})
    return pairs


def _pair_similar_lines(gone: Mapping[int, str], come: Mapping[int, str]) -> Pairs:
    """Pair each new line with the most similar removed line, if similar enough.

    Each line is used once.
    """
    words = {at: _split_words(line) for at, line in gone.items()}
    having: dict[str, list[int]] = defaultdict(list)
    for at, said in words.items():
        for word in said:
            having[word].append(at)
    pairs: Pairs = []
    for at, line in come.items():
        mine = _split_words(line)
        shared = Counter(i for word in mine if len(having[word]) <= _RARE for i in having[word] if i in words)
        best = max(shared, key=lambda i: (_word_similarity(words[i], mine), -i), default=None)
        if best is not None and _word_similarity(words[best], mine) >= _ALIKE:
            pairs.append((best, at))
            del words[best]
    return pairs


def _split_words(line: str) -> set[str]:
    return set(_WORD.findall(line[:_COMPARED].lower()))


def _word_similarity(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / ((len(one) + len(other)) or 1)


def _iter_changes(lines_old: int, lines_new: int, kept: Pairs, others: Mapping[str, Pairs]) -> Iterator[LineChange]:
    """Yield the lines in the order of the later text, removed lines before the lines that replaced them."""
    came = {j: (kind, i) for kind, pairs in others.items() for i, j in pairs}
    still = {i for _, i in came.values()}
    done_old = done_new = 0
    for i, j in [*kept, (lines_old, lines_new)]:
        for at in range(done_new, j):
            kind, was = came.get(at, ("added", -1))
            until = was if kind == "changed" else i
            yield from (LineChange("removed", gone + 1, None) for gone in range(done_old, until) if gone not in still)
            done_old = max(done_old, until)
            yield LineChange(kind, was + 1 or None, at + 1)
        yield from (LineChange("removed", gone + 1, None) for gone in range(done_old, i) if gone not in still)
        if i < lines_old and j < lines_new:
            yield LineChange("same", i + 1, j + 1)
        done_old, done_new = i + 1, j + 1


def _list_remaining(length: int, taken: Iterable[int]) -> list[int]:
    gone = set(taken)
    return [at for at in range(length) if at not in gone]


@dataclass(frozen=True)
class Fold:
    """A range of unchanged lines far from any change, with their numbers in the later text."""

    first: int
    last: int


def fold_unchanged(changes: Sequence[LineChange], around: int = 2) -> list[LineChange | Fold]:
    """Return the changes with `around` lines of context, and fold the unchanged lines between them."""
    near = [False] * len(changes)
    for at, change in enumerate(changes):
        if change.kind != "same":
            near[max(at - around, 0) : at + around + 1] = [True] * len(near[max(at - around, 0) : at + around + 1])
    shown: list[LineChange | Fold] = []
    for change, seen in zip(changes, near, strict=True):
        if seen:
            shown.append(change)
        elif shown and isinstance(shown[-1], Fold):
            shown[-1] = Fold(shown[-1].first, change.new or 0)
        else:
            shown.append(Fold(change.new or 0, change.new or 0))
    return shown


def summarize_changes(counts: Mapping[str, int]) -> str:
    """Return a summary such as "12 lines added, 3 moved and 1 removed"."""
    kinds = [kind for kind in _CHANGE_LABELS if counts.get(kind)]
    if not kinds:
        return _("no line differs")
    rest = (_(_CHANGE_LABELS[kind]).format(count=format_number(counts[kind])) for kind in kinds[1:])
    *others, last = [_format_line_count(kinds[0], counts[kinds[0]]), *rest]
    return _("{many} and {last}").format(many=_(", ").join(others), last=last) if others else last


def _format_line_count(kind: str, count: int) -> str:
    said = {
        "added": ngettext("{count} line added", "{count} lines added", count),
        "changed": ngettext("{count} line changed", "{count} lines changed", count),
        "moved": ngettext("{count} line moved", "{count} lines moved", count),
        "removed": ngettext("{count} line removed", "{count} lines removed", count),
    }
    return said[kind].format(count=format_number(count))
