"""Grouping of filters that describe the same object.

Examples: `status:read by:@ken`, `due:<1w assignee:@me`, `word in:title`. `by:`, `in:` and `han:` apply to the filters
next to them, and to adjacent parentheses that do not have their own.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from readtrack.search.ast import (
    And,
    AssignmentCondition,
    FieldFilter,
    Node,
    Not,
    Or,
    PassFilter,
    TextTerm,
    Value,
    all_of,
    any_of,
    negate,
)

_PRESENT = frozenset({"status", "progress"})  # Of the current pass.
_FINISHED = frozenset({"depth", "read"})
_ASKED = frozenset({"assignee", "due"})
_STALE = FieldFilter("is", ("stale",))
_OPEN = frozenset({"assigned", "overdue"})
_OWN = frozenset({"mine", "private"})
SILENT = frozenset({"in", "han"})  # They only affect how words are matched.
Leaves = Sequence[FieldFilter]


@dataclass(frozen=True)
class _FilterScope:
    """The inherited scope: `people` has groups of people, any of whom may match.

    `fields` and `han` affect how words are matched.
    """

    people: tuple[tuple[Value, ...], ...] = ()
    fields: tuple[str, ...] = ()
    han: str = ""


def resolve_scopes(node: Node | None) -> Node | None:
    """Return the condition with all scopes resolved into its parts."""
    return None if node is None else _resolve_node(node, _FilterScope())


def is_personal(node: Node | None) -> bool:
    """Return True if the matches depend on who searches: their readings, what they added, or `@me`."""
    return _is_personal(resolve_scopes(node))


def _is_personal(node: Node | None) -> bool:
    match node:
        case And() | Or():
            return any(map(_is_personal, node.parts))
        case Not():
            return _is_personal(node.part)
        case PassFilter():
            return not node.people or "@me" in node.people
        case AssignmentCondition():
            return any(map(_is_personal, node.filters))
        case FieldFilter():
            return "@me" in node.values or (node.name == "is" and not _OWN.isdisjoint(node.values))
        case _:
            return False


def _resolve_node(node: Node, scope: _FilterScope) -> Node | None:
    match node:
        case TextTerm():
            return replace(node, fields=node.fields or scope.fields, han=scope.han)
        case FieldFilter():
            return all_of(_group_filters([node], scope))
        case Not():
            return negate(_resolve_node(node.part, scope))
        case Or():
            return any_of(_resolve_node(part, scope) for part in node.parts)
        case And():
            return all_of(_all_of(node, scope))
        case _:
            return node


def _all_of(node: And, scope: _FilterScope) -> Iterator[Node | None]:
    filters = [part for part in node.parts if isinstance(part, FieldFilter)]
    fields = dict.fromkeys(str(word) for part in filters if part.name == "in" for word in part.values)
    readers = tuple(part.values for part in filters if part.name == "by")
    # "all" takes precedence over "same".
    han = min((str(part.values[0]) for part in filters if part.name == "han"), default=scope.han)
    inner_scope = _FilterScope(readers or scope.people, tuple(fields) or scope.fields, han)
    operands = [part for part in node.parts if not isinstance(part, FieldFilter)]
    has_reading_filter = any(_filters_readings(part) for part in (*filters, *operands))
    yield from _group_filters([part for part in filters if part.name != "by" or not has_reading_filter], inner_scope)
    for part in operands:
        yield _resolve_node(part, inner_scope)


def _group_filters(filters: Leaves, scope: _FilterScope) -> Iterator[Node | None]:
    """Combine adjacent filters on the same object into one condition."""
    remaining = [part for part in filters if part.name not in SILENT]
    for part in _take_matching(remaining, _is_person_filter):
        yield PassFilter(part.values, ())
    yield from _passes(_take_matching(remaining, _is_present_filter), scope, finished=False)
    yield from _passes(_take_matching(remaining, _is_finished_filter), scope, finished=True)
    if assignment_filters := _take_matching(remaining, _is_assignment_filter):
        yield AssignmentCondition(tuple(assignment_filters))
    yield from remaining


def _passes(filters: Leaves, scope: _FilterScope, *, finished: bool) -> Iterable[Node]:
    return [PassFilter(people, tuple(filters), finished) for people in scope.people or ((),)] if filters else []


def _take_matching(filters: list[FieldFilter], is_wanted: Callable[[FieldFilter], bool]) -> list[FieldFilter]:
    """Remove matching filters from the list and return them."""
    matching = [part for part in filters if is_wanted(part)]
    filters[:] = [part for part in filters if not is_wanted(part)]
    return matching


def _is_person_filter(node: FieldFilter) -> bool:
    return node.name == "by"


def _is_present_filter(node: FieldFilter) -> bool:
    return node.name in _PRESENT or node == _STALE


def _is_finished_filter(node: FieldFilter) -> bool:
    return node.name in _FINISHED


def _is_assignment_filter(node: FieldFilter) -> bool:
    return node.name in _ASKED or (node.name == "is" and _OPEN.issuperset(map(str, node.values)))


def _filters_readings(node: Node) -> bool:
    """Return True if the node filters readings without saying whose."""
    match node:
        case FieldFilter():
            return _is_present_filter(node) or _is_finished_filter(node)
        case Not():
            return _filters_readings(node.part)
        case And():
            return not any(map(_is_person_node, node.parts)) and any(map(_filters_readings, node.parts))
        case Or():
            return any(map(_filters_readings, node.parts))
        case _:
            return False


def _is_person_node(node: Node) -> bool:
    return isinstance(node, FieldFilter) and _is_person_filter(node)
