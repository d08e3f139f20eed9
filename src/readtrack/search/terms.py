"""What a search is made of once it is read, and what is said when it cannot be read. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from readtrack.errors import BadRequest


@dataclass(frozen=True)
class Text:
    """A word, or a phrase (`exact`), in one field or ("") anywhere."""

    text: str
    exact: bool = False
    field: str = ""


@dataclass(frozen=True, order=True)
class Span:
    """Years from `low` to `high`, both included; None is open."""

    low: int | None
    high: int | None

    def __str__(self) -> str:
        if self.low == self.high:
            return "any" if self.low is None else str(self.low)
        return f"{'*' if self.low is None else self.low}..{'*' if self.high is None else self.high}"


@dataclass(frozen=True)
class Filter:
    """A qualifier that is no text search; any one of the values suffices."""

    name: str
    values: tuple[str | Span, ...]


@dataclass(frozen=True)
class Not:
    part: "Node"


@dataclass(frozen=True)
class And:
    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Or:
    parts: tuple["Node", ...]


Node: TypeAlias = Text | Filter | Not | And | Or


@dataclass(frozen=True)
class Sort:
    """The order that the search itself asks for: added, updated, year or title."""

    field: str
    descending: bool

    def __str__(self) -> str:
        return f"{self.field}-{'desc' if self.descending else 'asc'}"


@dataclass(frozen=True)
class Query:
    """A search that was read. No condition: every paper."""

    condition: Node | None = None
    sort: Sort | None = None

    @property
    def has_words(self) -> bool:
        """Whether any plain word is looked for, not only filters."""
        return _has_words(self.condition)

    def names(self, qualifier: str) -> bool:
        """Whether a filter of that name stands in it, if only to be excluded."""
        return _names(self.condition, qualifier)


class QueryError(BadRequest):
    """The search cannot be read: `length` characters at `position` (from 0) are the reason."""

    code = "invalid-query"

    def __init__(self, message: str, *, position: int, length: int, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.length = length
        self.suggestion = suggestion


def _has_words(node: Node | None) -> bool:
    match node:
        case And() | Or():
            return any(map(_has_words, node.parts))
        case _:
            return isinstance(node, Text)


def _names(node: Node | None, qualifier: str) -> bool:
    match node:
        case And() | Or():
            return any(_names(part, qualifier) for part in node.parts)
        case Not():
            return _names(node.part, qualifier)
        case _:
            return isinstance(node, Filter) and node.name == qualifier


def all_of(parts: Iterable[Node | None]) -> Node | None:
    """One condition out of several, each once; None among them says nothing."""
    flat = dict.fromkeys(
        piece for part in parts if part for piece in (part.parts if isinstance(part, And) else (part,))
    )
    return And(tuple(flat)) if len(flat) > 1 else next(iter(flat), None)


def any_of(parts: Iterable[Node | None]) -> Node | None:
    flat = dict.fromkeys(piece for part in parts if part for piece in (part.parts if isinstance(part, Or) else (part,)))
    return Or(tuple(flat)) if len(flat) > 1 else next(iter(flat), None)


def negated(part: Node | None) -> Node | None:
    if isinstance(part, Not):
        return part.part
    return Not(part) if part else None
