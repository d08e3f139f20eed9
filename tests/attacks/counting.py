"""A regular expression is tried as the machine of `re` tries it, and each of its steps is counted.

The tree that `re` made of the pattern is walked by functions that go on with one another, back to the last choice when
one fails: the same choices in the same order, so the same hits, and as many tries on every computer. Single characters
and places (`^`, a word's edge) are asked of `re` itself.
"""

import re
from collections.abc import Callable
from functools import partial
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Then = Callable[[int], int]  # goes on at a place; where it ends, or FAILED
Step = Callable[[int, Then], int]
FAILED = -1
SIGNS = {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN}
REPEATS = (sre.MAX_REPEAT, sre.POSSESSIVE_REPEAT, sre.MIN_REPEAT)


class TooMany(Exception):
    """More steps than somebody is willing to wait for."""


class Counted:
    """One pattern. `most`: how often a part is repeated that may be repeated so often, or oftener; None: as it says."""

    def __init__(self, pattern: re.Pattern[Any], *, most: int | None = None) -> None:
        source = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
        flags = (pattern.flags & ~re.UNICODE | re.ASCII) if isinstance(pattern.pattern, bytes) else pattern.flags
        self.tree = parser.parse(source, flags)
        self.text, self.steps, self.limit, self.most = "", 0, 0, most
        self.groups: dict[int, tuple[int, int]] = {}
        self.whole = self._sequence(self.tree, self.tree.state.flags)

    def match(self, text: str, *, limit: int, full: bool = False) -> int:
        """Where it ends that begins at the beginning, or FAILED. Raises TooMany."""
        self._begin(text, limit)
        return self._at(0, (lambda at: at if at == len(text) else FAILED) if full else _end)

    def spans(self, text: str, *, limit: int) -> list[tuple[int, int]]:
        """All hits, as `finditer` finds them. Raises TooMany."""
        self._begin(text, limit)
        found: list[tuple[int, int]] = []
        start, empty = 0, False  # nothing empty is found twice at one place
        while start <= len(text):
            end = self._at(start, partial(_beyond, start) if empty else _end)
            if end == FAILED:
                start, empty = start + 1, False
            else:
                found.append((start, end))
                start, empty = end, end == start
        return found

    def _begin(self, text: str, limit: int) -> None:
        self.text, self.steps, self.limit = text, 0, limit

    def _at(self, start: int, then: Then) -> int:
        self.groups = {}
        self._step()
        return self.whole(start, then)

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.limit:
            raise TooMany

    def _sequence(self, tree: Any, flags: int) -> Step:
        steps = [self._part(op, arg, flags) for op, arg in tree]

        def run(at: int, then: Then) -> int:
            return go(0, at, then)

        def go(number: int, at: int, then: Then) -> int:
            if number == len(steps):
                return then(at)
            return steps[number](at, lambda here: go(number + 1, here, then))

        return steps[0] if len(steps) == 1 else run

    def _part(self, op: Any, arg: Any, flags: int) -> Step:
        known: dict[Any, Callable[[], Step]] = {
            sre.SUBPATTERN: lambda: self._group(arg[0], self._sequence(arg[3], (flags | arg[1]) & ~arg[2])),
            sre.BRANCH: lambda: _branch([self._sequence(tree, flags) for tree in arg[1]]),
            sre.ATOMIC_GROUP: lambda: _alone(self._sequence(arg, flags)),
            sre.ASSERT: lambda: self._look(arg[0], arg[1], flags, wanted=True),
            sre.ASSERT_NOT: lambda: self._look(arg[0], arg[1], flags, wanted=False),
            sre.GROUPREF: lambda: self._again(arg, flags),
            sre.GROUPREF_EXISTS: lambda: self._if(arg[0], [self._sequence(way or [], flags) for way in arg[1:]]),
            sre.FAILURE: lambda: lambda _at, _then: FAILED,
            **{kind: lambda: self._sign(op, arg, flags) for kind in (*SIGNS, sre.AT)},
            **{kind: lambda: self._repeat(op, arg, flags) for kind in REPEATS},
        }
        return known[op]()

    def _sign(self, op: Any, arg: Any, flags: int) -> Step:
        fits, width = self._fits(op, arg, flags), 0 if op is sre.AT else 1

        def run(at: int, then: Then) -> int:
            self._step()
            return then(at + width) if fits(at) else FAILED

        return run

    def _fits(self, op: Any, arg: Any, flags: int) -> Callable[[int], bool]:
        """Whether one character fits, asked once for each; or a place, asked there."""
        tree = parser.SubPattern(self.tree.state, [(op, arg)])
        one = compiler.compile(tree, flags & ~re.DEBUG)
        known: dict[str, bool] = {}

        def place(at: int) -> bool:
            return one.match(self.text, at) is not None

        def sign(at: int) -> bool:
            here = self.text[at : at + 1]
            if here not in known:
                known[here] = bool(here) and one.fullmatch(here) is not None
            return known[here]

        return place if op is sre.AT else sign

    def _group(self, group: int | None, inner: Step) -> Step:
        if group is None:
            return inner

        def run(at: int, then: Then) -> int:
            before = self.groups.get(group)

            def close(here: int) -> int:
                last, self.groups[group] = self.groups.get(group), (at, here)
                end = then(here)
                if end == FAILED:
                    self._restore(group, last)
                return end

            end = inner(at, close)
            if end == FAILED:
                self._restore(group, before)
            return end

        return run

    def _restore(self, group: int, span: tuple[int, int] | None) -> None:
        if span is None:
            self.groups.pop(group, None)
        else:
            self.groups[group] = span

    def _repeat(self, op: Any, arg: Any, flags: int) -> Step:
        least, most, tree = arg
        if self.most is not None and most is not sre.MAXREPEAT:
            most = max(least, min(most, self.most))
        if len(tree) == 1 and tree[0][0] in SIGNS:
            fits = self._fits(tree[0][0], tree[0][1], flags)
            run = self._lazy_run(fits, least, most) if op is sre.MIN_REPEAT else self._run(fits, least, most)
        else:
            run = self._rounds(self._sequence(tree, flags), least, most, greedy=op is not sre.MIN_REPEAT)
        return _alone(run) if op is sre.POSSESSIVE_REPEAT else run

    def _run(self, fits: Callable[[int], bool], least: int, most: int) -> Step:
        """A character as often as it goes, then one less each time."""

        def run(at: int, then: Then) -> int:
            here = at
            while here - at < most and fits(here):
                self._step()
                here += 1
            while here - at >= least:
                self._step()
                if (end := then(here)) != FAILED:
                    return end
                here -= 1
            return FAILED

        return run

    def _lazy_run(self, fits: Callable[[int], bool], least: int, most: int) -> Step:
        def run(at: int, then: Then) -> int:
            here = at
            while True:
                self._step()
                if here - at >= least and (end := then(here)) != FAILED:
                    return end
                if here - at >= most or not fits(here):
                    return FAILED
                here += 1

        return run

    def _rounds(self, inner: Step, least: int, most: int, *, greedy: bool) -> Step:
        def again(count: int, at: int, then: Then) -> int:
            self._step()

            def one_more() -> int:
                if count >= most:
                    return FAILED
                return inner(at, lambda here: FAILED if here == at and count >= least else again(count + 1, here, then))

            if count < least:
                return one_more()
            first, second = (one_more, lambda: then(at)) if greedy else (lambda: then(at), one_more)
            return end if (end := first()) != FAILED else second()

        return lambda at, then: again(0, at, then)

    def _look(self, direction: int, tree: Any, flags: int, *, wanted: bool) -> Step:
        inner, width = self._sequence(tree, flags), tree.getwidth()[0] if direction < 0 else 0

        def run(at: int, then: Then) -> int:
            self._step()
            there = at >= width and inner(at - width, _end) != FAILED
            return then(at) if there == wanted else FAILED

        return run

    def _again(self, group: int, flags: int) -> Step:
        def run(at: int, then: Then) -> int:
            self._step()
            span = self.groups.get(group)
            said = None if span is None else self.text[slice(*span)]
            if said is None or not re.match(re.escape(said), self.text[at : at + len(said)], flags & re.IGNORECASE):
                return FAILED
            return then(at + len(said))

        return run

    def _if(self, group: int, ways: list[Step]) -> Step:
        def run(at: int, then: Then) -> int:
            return ways[0 if group in self.groups else 1](at, then)

        return run


def _end(at: int) -> int:
    return at


def _beyond(start: int, at: int) -> int:
    return FAILED if at == start else at


def _branch(ways: list[Step]) -> Step:
    def run(at: int, then: Then) -> int:
        return next((end for way in ways if (end := way(at, then)) != FAILED), FAILED)

    return run


def _alone(inner: Step) -> Step:
    """What it found stays, whatever comes behind."""

    def run(at: int, then: Then) -> int:
        end = inner(at, _end)
        return FAILED if end == FAILED else then(end)

    return run
