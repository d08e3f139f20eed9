"""What a search is made of once it is read, and what is said when it cannot be read. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from readtrack.infra.errors import BadRequest

TRIAGE = frozenset({"inbox", "library", "rejected"})  # the words of `is:` that say where papers stand


@dataclass(frozen=True)
class TextTerm:
    """A word, or a phrase (`exact`), in any one of these fields, or anywhere when none is named.

    `han`: in which forms of its characters: all, the same as typed, or (blank) as the asker wants it.
    """

    text: str
    exact: bool = False
    fields: tuple[str, ...] = ()
    han: str = ""


@dataclass(frozen=True, order=True)
class NumberRange:
    """Numbers from `low` to `high`, both included; None is open."""

    low: int | None
    high: int | None

    def __str__(self) -> str:
        if self.low is not None and self.low == self.high:
            return str(self.low)
        return f"{'*' if self.low is None else self.low}..{'*' if self.high is None else self.high}"


@dataclass(frozen=True)
class TimeRange:
    """Days or moments: `sign` (blank, >, >=, <, <=) and a bound as it was written, or from `low` to `high`.

    A bound is a year, month, day or moment (2024, 2024-05, 2024-05-16, 2024-05-16t12:00z), `today`, or, behind a sign,
    an age (2w).
    """

    sign: str
    low: str
    high: str = ""

    def __str__(self) -> str:
        return f"{self.sign}{self.low}" + (f"..{self.high}" if self.high else "")


Value: TypeAlias = str | NumberRange | TimeRange


@dataclass(frozen=True)
class FieldFilter:
    """A qualifier that is no text search; any one of the values suffices."""

    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class PassFilter:
    """One pass through a paper for which all the filters hold, by any one of `by`; none named: by the asker.

    `finished`: any that is finished, whatever followed; else the one that they are at.
    """

    by: tuple[Value, ...]
    filters: tuple[FieldFilter, ...]
    finished: bool = False


@dataclass(frozen=True)
class AssignmentCondition:
    """One assignment for which all the filters hold."""

    filters: tuple[FieldFilter, ...]


@dataclass(frozen=True)
class Not:
    part: "Node"


@dataclass(frozen=True, eq=False)
class _BooleanNode:
    """Parts in the order in which they were written; in another order they say the same."""

    parts: tuple["Node", ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and {*self.parts} == {*other.parts}

    def __hash__(self) -> int:
        return hash((type(self), frozenset(self.parts)))


class And(_BooleanNode):
    pass


class Or(_BooleanNode):
    pass


Leaf: TypeAlias = (
    TextTerm | FieldFilter | PassFilter | AssignmentCondition
)  # the last two are made of filters: see scopes
Node: TypeAlias = Leaf | Not | And | Or


@dataclass(frozen=True)
class Sort:
    """The order that the search itself asks for; which there are: qualifiers.SORTED, and `near` the paper `to`."""

    field: str
    descending: bool
    to: str = ""  # an identifier, arxiv:2305.15778

    def __str__(self) -> str:
        to = f'"{self.to}"' if set('()",，') & {*self.to} else self.to
        return f"{self.field}{f'({to})' if to else ''}-{'desc' if self.descending else 'asc'}"


@dataclass(frozen=True)
class Query:
    """A search that was read. No condition: every paper."""

    condition: Node | None = None
    sort: Sort | None = None

    @cached_property
    def has_words(self) -> bool:
        """Whether any plain word is looked for, not only filters."""
        return any(iter_texts(self.condition))

    @cached_property
    def has_triage_filter(self) -> bool:
        """Whether it says itself where papers stand (`is:inbox`), if only to exclude them."""
        return _has_triage_filter(self.condition)


class QueryError(BadRequest):
    """The search cannot be read: `length` characters at `position` (from 0) are the reason."""

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
    """The texts that are looked for; not those that must be absent."""
    match node:
        case TextTerm():
            yield node
        case And() | Or():
            for part in node.parts:
                yield from iter_texts(part)
        case _:
            return


def all_of(parts: Iterable[Node | None]) -> Node | None:
    """One condition out of several, each once; None among them says nothing."""
    flat = dict.fromkeys(
        piece for part in parts if part for piece in (part.parts if isinstance(part, And) else (part,))
    )
    return And(tuple(flat)) if len(flat) > 1 else next(iter(flat), None)


def any_of(parts: Iterable[Node | None]) -> Node | None:
    """One condition of which any part suffices, each once; None among them says nothing."""
    flat = dict.fromkeys(piece for part in parts if part for piece in (part.parts if isinstance(part, Or) else (part,)))
    return Or(tuple(flat)) if len(flat) > 1 else next(iter(flat), None)


def negate(part: Node | None) -> Node | None:
    """The opposite; of the opposite, the thing itself."""
    if isinstance(part, Not):
        return part.part
    return Not(part) if part else None
