"""Conversion of queries to SQLAlchemy conditions on papers.

Every value is a bound parameter.
"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.search import paper_filters, reading_filters
from readtrack.search.ast import (
    And,
    AssignmentCondition,
    Leaf,
    Node,
    Not,
    Or,
    PassFilter,
    Query,
    TextTerm,
    all_of,
    any_of,
    negate,
)
from readtrack.search.context import Condition, SearchContext
from readtrack.search.documents import ENTRIES
from readtrack.search.scopes import resolve_scopes
from readtrack.search.text_filters import select_papers_with_text
from readtrack.search.tokens import needle


def paper_condition(query: Query, context: SearchContext) -> Condition:
    """Return the condition on models.Paper.

    Terms without letters or digits are ignored; if no other terms remain, nothing matches.
    """
    if query.condition is None:
        return sa.true()
    condition = _filter_leaves(query.condition, _is_findable)
    if condition is None:
        return sa.false()
    node = resolve_scopes(condition)
    return sa.true() if node is None else _build_condition(node, lambda leaf: _leaf_condition(leaf, context))


def entry_condition(query: Query, context: SearchContext) -> Condition:
    """Return the condition on models.Entry for the words of a query.

    Filters are ignored; without words nothing matches.
    """
    resolved = resolve_scopes(query.condition)
    node = (
        _filter_leaves(resolved, lambda leaf: isinstance(leaf, TextTerm) and _is_findable(leaf)) if resolved else None
    )
    return sa.false() if node is None else _build_condition(node, lambda leaf: _entry_condition(leaf, context))


def _is_findable(leaf: Leaf) -> bool:
    return not isinstance(leaf, TextTerm) or needle(leaf.text, exact=leaf.exact) is not None


def _filter_leaves(node: Node, is_kept: Callable[[Leaf], bool]) -> Node | None:
    """Remove leaves for which `is_kept` is False."""
    match node:
        case Not():
            return negate(_filter_leaves(node.part, is_kept))
        case And():
            return all_of(_filter_leaves(part, is_kept) for part in node.parts)
        case Or():
            return any_of(_filter_leaves(part, is_kept) for part in node.parts)
        case _:
            return node if is_kept(node) else None


def _build_condition(node: Node, build_leaf: Callable[[Any], Condition]) -> Condition:
    match node:
        case Not():
            return sa.not_(_build_condition(node.part, build_leaf))
        case And():
            return sa.and_(*(_build_condition(part, build_leaf) for part in node.parts))
        case Or():
            return sa.or_(*(_build_condition(part, build_leaf) for part in node.parts))
        case _:
            return build_leaf(node)


def _leaf_condition(leaf: Leaf, context: SearchContext) -> Condition:
    match leaf:
        case TextTerm():
            return context.in_subquery(select_papers_with_text(leaf, context))
        case PassFilter():
            return reading_filters.pass_condition(leaf, context)
        case AssignmentCondition():
            return reading_filters.assignment_condition(leaf, context)
        case _:
            return (paper_filters.FILTERS.get(leaf.name) or reading_filters.FILTERS[leaf.name])(leaf, context)


def _entry_condition(leaf: TextTerm, context: SearchContext) -> Condition:
    return col(ENTRIES.ids).in_(context.backend.hits(ENTRIES, context.needles(leaf), ()))
