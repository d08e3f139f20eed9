"""Which filters speak of one and the same thing: `status:read by:@ken`, `due:<1w assignee:@me`, `word in:title`. Pure.

`by:`, `in:` and `han:` govern what stands beside them, and in the parentheses beside them unless these have their own.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from readtrack.search.ast import And, Filter, Node, Not, Or, Pass, Request, Text, Value, all_of, any_of, negated

_PRESENT = frozenset({"status", "progress"})  # of the pass that somebody is at
_FINISHED = frozenset({"depth", "read"})
_ASKED = frozenset({"assignee", "due"})
_STALE = Filter("is", ("stale",))
_OPEN = frozenset({"assigned", "overdue"})
SILENT = frozenset({"in", "han"})  # they say how words are looked for, and nothing else
Leaves = Sequence[Filter]


@dataclass(frozen=True)
class _Scope:
    """`by`: each group of people of whom any one suffices; `fields`, `han`: where words are looked for, and how."""

    by: tuple[tuple[Value, ...], ...] = ()
    fields: tuple[str, ...] = ()
    han: str = ""


def resolved(node: Node | None) -> Node | None:
    """The same condition, in which each part says by itself whom and what it means."""
    return None if node is None else _resolved(node, _Scope())


def _resolved(node: Node, scope: _Scope) -> Node | None:
    match node:
        case Text():
            return replace(node, fields=node.fields or scope.fields, han=scope.han)
        case Filter():
            return all_of(_together([node], scope))
        case Not():
            return negated(_resolved(node.part, scope))
        case Or():
            return any_of(_resolved(part, scope) for part in node.parts)
        case And():
            return all_of(_all_of(node, scope))
        case _:
            return node


def _all_of(node: And, scope: _Scope) -> Iterator[Node | None]:
    filters = [part for part in node.parts if isinstance(part, Filter)]
    fields = dict.fromkeys(str(word) for part in filters if part.name == "in" for word in part.values)
    by = tuple(part.values for part in filters if part.name == "by")
    han = min((str(part.values[0]) for part in filters if part.name == "han"), default=scope.han)  # all before same
    inner = _Scope(by or scope.by, tuple(fields) or scope.fields, han)
    others = [part for part in node.parts if not isinstance(part, Filter)]
    governed = any(_reads(part) for part in (*filters, *others))
    yield from _together([part for part in filters if part.name != "by" or not governed], inner)
    for part in others:
        yield _resolved(part, inner)


def _together(filters: Leaves, scope: _Scope) -> Iterator[Node | None]:
    """Filters that stand beside one another, those of one thing as one."""
    left = [part for part in filters if part.name not in SILENT]
    for part in _taken(left, _by):
        yield Pass(part.values, ())
    yield from _passes(_taken(left, _present), scope, finished=False)
    yield from _passes(_taken(left, _finished), scope, finished=True)
    if asked := _taken(left, _asked):
        yield Request(tuple(asked))
    yield from left


def _passes(filters: Leaves, scope: _Scope, *, finished: bool) -> Iterable[Node]:
    return [Pass(by, tuple(filters), finished) for by in scope.by or ((),)] if filters else []


def _taken(filters: list[Filter], wanted: Callable[[Filter], bool]) -> list[Filter]:
    """Takes those that are wanted out of the list."""
    found = [part for part in filters if wanted(part)]
    filters[:] = [part for part in filters if not wanted(part)]
    return found


def _by(part: Filter) -> bool:
    return part.name == "by"


def _present(part: Filter) -> bool:
    return part.name in _PRESENT or part == _STALE


def _finished(part: Filter) -> bool:
    return part.name in _FINISHED


def _asked(part: Filter) -> bool:
    return part.name in _ASKED or (part.name == "is" and _OPEN.issuperset(map(str, part.values)))


def _reads(node: Node) -> bool:
    """Whether it says something of a reading, and not of whose."""
    match node:
        case Filter():
            return _present(node) or _finished(node)
        case Not():
            return _reads(node.part)
        case And():
            return not any(map(_is_by, node.parts)) and any(map(_reads, node.parts))
        case Or():
            return any(map(_reads, node.parts))
        case _:
            return False


def _is_by(node: Node) -> bool:
    return isinstance(node, Filter) and _by(node)
