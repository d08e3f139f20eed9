"""A search that was read becomes a condition on papers: SQLAlchemy Core, every value a bound parameter."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.search import paper_filters, reading_filters
from readtrack.search.ast import And, Leaf, Node, Not, Or, Pass, Query, Request, Text, all_of, any_of, negated
from readtrack.search.context import Asker, Condition
from readtrack.search.documents import ENTRIES
from readtrack.search.scopes import resolved
from readtrack.search.text_filters import with_text
from readtrack.search.tokens import needle


def on_papers(query: Query, asker: Asker) -> Condition:
    """The condition on models.Paper. Terms without letter or digit are left out; of no others, nothing is found."""
    if query.condition is None:
        return sa.true()
    found = _kept(query.condition, _findable)
    if found is None:
        return sa.false()
    node = resolved(found)
    return sa.true() if node is None else _tree(node, lambda leaf: _condition(leaf, asker))


def on_entries(query: Query, asker: Asker) -> Condition:
    """The condition on models.Entry: the words only, as filters say nothing about lines of notes. No word, no line."""
    said = resolved(query.condition)
    node = _kept(said, lambda leaf: isinstance(leaf, Text) and _findable(leaf)) if said else None
    return sa.false() if node is None else _tree(node, lambda leaf: _entry_condition(leaf, asker))


def _findable(leaf: Leaf) -> bool:
    return not isinstance(leaf, Text) or needle(leaf.text, exact=leaf.exact) is not None


def _kept(node: Node, wanted: Callable[[Leaf], bool]) -> Node | None:
    """The same without the leaves that are not wanted."""
    match node:
        case Not():
            return negated(_kept(node.part, wanted))
        case And():
            return all_of(_kept(part, wanted) for part in node.parts)
        case Or():
            return any_of(_kept(part, wanted) for part in node.parts)
        case _:
            return node if wanted(node) else None


def _tree(node: Node, leaf: Callable[[Any], Condition]) -> Condition:
    match node:
        case Not():
            return sa.not_(_tree(node.part, leaf))
        case And():
            return sa.and_(*(_tree(part, leaf) for part in node.parts))
        case Or():
            return sa.or_(*(_tree(part, leaf) for part in node.parts))
        case _:
            return leaf(node)


def _condition(leaf: Leaf, asker: Asker) -> Condition:
    match leaf:
        case Text():
            return asker.among(with_text(leaf, asker))
        case Pass():
            return reading_filters.in_pass(leaf, asker)
        case Request():
            return reading_filters.in_request(leaf, asker)
        case _:
            return (paper_filters.FILTERS.get(leaf.name) or reading_filters.FILTERS[leaf.name])(leaf, asker)


def _entry_condition(leaf: Text, asker: Asker) -> Condition:
    return col(ENTRIES.ids).in_(asker.backend.hits(ENTRIES, asker.needles(leaf), ()))
