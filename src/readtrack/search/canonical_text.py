"""Rendering of parsed queries as canonical text, which saved searches store."""

import re
from itertools import islice

from readtrack.search.ast import And, FieldFilter, Node, Not, Or, TextTerm, all_of
from readtrack.search.lexer import COMMAS, STOPS
from readtrack.search.parser import MAX_QUERY_CHARS, parse

MAX_TERMS = 5  # Maximum terms for which the query without them is offered.
_TO_ESCAPE = re.compile(r'"|\\(?=["\\]|\Z)')  # A single backslash needs no escape.
_NEEDS_QUOTES = re.compile(rf"[\s{re.escape(STOPS)}{''.join(COMMAS)}]")


def canonicalize_query(text: str) -> str:
    """Return the canonical text of a query: words in order, then filters sorted, then the sort order.

    Raise QueryError if it is invalid. If the canonical text exceeds the maximum length, e.g. because names were
    expanded, return the input.
    """
    query = parse(text)
    parts = [] if query.condition is None else [_render_node(query.condition)]
    canonical = " ".join(parts + ([f"sort:{query.sort}"] if query.sort else []))
    return canonical if len(canonical) <= MAX_QUERY_CHARS else text.strip()


def queries_without_term(text: str) -> list[tuple[str, str]]:
    """Return the first terms of a query, each with the query without it.

    Raise QueryError if it is invalid.
    """
    query = parse(text)
    parts = query.condition.parts if isinstance(query.condition, And) else ()
    order = f" sort:{query.sort}" if query.sort else ""
    remainders = (all_of(part for part in parts if part is not dropped) for dropped in parts)
    pairs = islice(zip(parts, remainders, strict=True), MAX_TERMS)
    return [(_render_operand(dropped), _render_node(remainder) + order) for dropped, remainder in pairs if remainder]


def _render_node(node: Node) -> str:
    match node:
        case TextTerm():
            return _field_prefix(node) + _render_text(node)
        case Not():
            return f"-{_render_operand(node.part)}"
        case And():
            return _render_and(node)
        case Or():
            return _render_value_list(node) or " OR ".join(sorted({_render_node(part) for part in node.parts}))
        case _:
            assert isinstance(node, FieldFilter), "what is made of filters is not written"  # noqa: S101 - see scopes
            return f"{node.name}:{','.join(_quote_value(str(value)) for value in node.values)}"


def _render_and(node: And) -> str:
    words = [_render_node(part) for part in node.parts if _is_word(part)]
    return " ".join(words + sorted(_render_operand(part) for part in node.parts if not _is_word(part)))


def _is_word(node: Node) -> bool:
    return isinstance(node, TextTerm) and not node.fields


def _render_value_list(node: Or) -> str:
    """Render alternatives in one field as `title:a,b`; "" if the parts are of another kind."""
    texts = [part for part in node.parts if isinstance(part, TextTerm)]
    fields = {_field_prefix(part) for part in texts}
    if len(texts) < len(node.parts) or len(fields) > 1 or "" in fields:
        return ""
    return fields.pop() + ",".join(sorted(map(_render_text, texts)))


def _render_operand(node: Node) -> str:
    """Render a node as an operand, with parentheses if needed."""
    is_atomic = not isinstance(node, And | Or) or (isinstance(node, Or) and _render_value_list(node))
    return _render_node(node) if is_atomic else f"({_render_node(node)})"


def _field_prefix(node: TextTerm) -> str:
    return f"{node.fields[0]}:" if node.fields else ""


def _render_text(node: TextTerm) -> str:
    return _quote_phrase(node.text) if node.exact else node.text


def _quote_value(text: str) -> str:
    return _quote_phrase(text) if _NEEDS_QUOTES.search(text) else text


def _quote_phrase(text: str) -> str:
    return '"{}"'.format(_TO_ESCAPE.sub(lambda sign: f"\\{sign[0]}", text))
