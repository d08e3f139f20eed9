"""Syntax tree of search queries, and the error for invalid ones."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from readtrack.infra.errors import BadRequest

TRIAGE = frozenset({"inbox", "library", "rejected"})  # Values of `is:` for the triage state.


@dataclass(frozen=True)
class TextTerm:
    """A word, or a phrase (`exact`), in any of these fields, or anywhere if none is given.

    `han` selects the variants of Han characters: "all", "same" as typed, or "" for the user's setting.
    """

    text: str
    exact: bool = False
    fields: tuple[str, ...] = ()
    han: str = ""


@dataclass(frozen=True, order=True)
class NumberRange:
    """The numbers from `low` to `high`, inclusive; None is unbounded."""

    low: int | None
    high: int | None

    def __str__(self) -> str:
        if self.low is not None and self.low == self.high:
            return str(self.low)
        return f"{'*' if self.low is None else self.low}..{'*' if self.high is None else self.high}"


@dataclass(frozen=True)
class TimeRange:
    """A range of dates or moments.

    Either a comparison (`sign` >, >=, <, <=) with a bound as typed, or, without a sign, a bound or a range from `low`
    to `high`. A bound is a year, month, day or moment (2024, 2024-05, 2024-05-16, 2024-05-16t12:00z), `today` or, with
    a sign, an age (2w).
    """

    sign: str
    low: str
    high: str = ""

    def __str__(self) -> str:
        return f"{self.sign}{self.low}" + (f"..{self.high}" if self.high else "")


Value: TypeAlias = str | NumberRange | TimeRange


@dataclass(frozen=True)
class FieldFilter:
    """A filter that is no text search; any of its values may match."""

    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class PassFilter:
    """A single pass through a paper that matches all filters.

    It is by any of `people`, or by the user if `people` is empty. `finished`: any finished pass, even if another
    followed; otherwise the current pass.
    """

    people: tuple[Value, ...]
    filters: tuple[FieldFilter, ...]
    finished: bool = False


@dataclass(frozen=True)
class AssignmentCondition:
    """A single assignment that matches all filters."""

    filters: tuple[FieldFilter, ...]


@dataclass(frozen=True)
class Not:
    part: "Node"


@dataclass(frozen=True, eq=False)
class _BooleanNode:
    """A node whose parts are in the order of input; comparison ignores the order."""

    parts: tuple["Node", ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and {*self.parts} == {*other.parts}

    def __hash__(self) -> int:
        return hash((type(self), frozenset(self.parts)))


class And(_BooleanNode):
    pass


class Or(_BooleanNode):
    pass


# The last two are built from filters, see scopes.
Leaf: TypeAlias = TextTerm | FieldFilter | PassFilter | AssignmentCondition
Node: TypeAlias = Leaf | Not | And | Or


@dataclass(frozen=True)
class Sort:
    """The sort order requested in the query: one of qualifiers.SORTED, or `near` the paper `to`."""

    field: str
    descending: bool
    to: str = ""  # An identifier, arxiv:2305.15778.

    def __str__(self) -> str:
        target = f'"{self.to}"' if set('()",，') & {*self.to} else self.to
        return f"{self.field}{f'({target})' if target else ''}-{'desc' if self.descending else 'asc'}"


@dataclass(frozen=True)
class Query:
    """A parsed query. Without a condition it matches every paper."""

    condition: Node | None = None
    sort: Sort | None = None

    @cached_property
    def has_words(self) -> bool:
        """Return True if the query contains plain words, not only filters."""
        return any(iter_texts(self.condition))

    @cached_property
    def has_triage_filter(self) -> bool:
        """Return True if the query filters on the triage state (`is:inbox`), even if only to exclude one."""
        return _has_triage_filter(self.condition)


class QueryError(BadRequest):
    """The query is invalid: `length` characters at `position` (from 0) are the cause."""

    code = "invalid-query"

    def __init__(self, message: str, *, position: int, length: int, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.length = length
        self.suggestion = suggestion


def _has_triage_filter(node: Node | None) -> bool:
    match node:
        case And() | Or():
            return any(map(_has_triage_filter, node.parts))
        case Not():
            return _has_triage_filter(node.part)
        case _:
            return isinstance(node, FieldFilter) and node.name == "is" and not TRIAGE.isdisjoint(node.values)


def iter_texts(node: Node | None) -> Iterator[TextTerm]:
    """Yield the searched texts, without negated ones."""
    return (leaf for leaf in iter_leaves(node) if isinstance(leaf, TextTerm))


def iter_leaves(node: Node | None) -> Iterator[Leaf]:
    """Yield the texts and filters, without negated ones."""
    match node:
        case And() | Or():
            for part in node.parts:
                yield from iter_leaves(part)
        case None | Not():
            return
        case _:
            yield node


def all_of(parts: Iterable[Node | None]) -> Node | None:
    """Combine conditions with AND, without duplicates; None is skipped."""
    operands = dict.fromkeys(
        operand for part in parts if part for operand in (part.parts if isinstance(part, And) else (part,))
    )
    return And(tuple(operands)) if len(operands) > 1 else next(iter(operands), None)


def any_of(parts: Iterable[Node | None]) -> Node | None:
    """Combine conditions with OR, without duplicates; None is skipped."""
    operands = dict.fromkeys(
        operand for part in parts if part for operand in (part.parts if isinstance(part, Or) else (part,))
    )
    return Or(tuple(operands)) if len(operands) > 1 else next(iter(operands), None)


def negate(node: Node | None) -> Node | None:
    """Negate a condition; a double negation is removed."""
    if isinstance(node, Not):
        return node.part
    return Not(node) if node else None
