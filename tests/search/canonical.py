"""A search that was read, written back as one text: how the tests look at what the parser made of it."""

import re

from readtrack.search.terms import And, Filter, Node, Not, Or, Query, Text

_TO_ESCAPE, _BACKSLASHED = re.compile(r'(["\\])'), r"\\\1"
_NEEDS_QUOTES = re.compile(r'[\s"()|,]')


def canonical(query: Query) -> str:
    """The one text of this search: words first, then filters in order, then the sort."""
    shown = [] if query.condition is None else [_rendered(query.condition)]
    return " ".join(shown + ([f"sort:{query.sort}"] if query.sort else []))


def _rendered(node: Node) -> str:
    match node:
        case Text():
            return f"{node.field}:{_quoted(node)}" if node.field else _quoted(node)
        case Filter():
            return f"{node.name}:{','.join(_value(str(value)) for value in node.values)}"
        case Not():
            return f"-{_grouped(node.part)}"
        case And():
            return _together(node)
        case Or():
            return _alternatives(node)


def _together(node: And) -> str:
    shown = {_grouped(part): part for part in node.parts}
    words = [text for text, part in shown.items() if isinstance(part, Text) and not part.field]
    return " ".join(words + sorted(shown.keys() - set(words)))


def _alternatives(node: Or) -> str:
    fields = {part.field if isinstance(part, Text) else "" for part in node.parts}
    if "" in fields or len(fields) > 1:
        return " OR ".join(sorted({_rendered(part) for part in node.parts}))
    values = sorted({_quoted(part) for part in node.parts if isinstance(part, Text)})
    return f"{fields.pop()}:{','.join(values)}"


def _grouped(node: Node) -> str:
    shown = _rendered(node)
    return f"({shown})" if isinstance(node, And) or (isinstance(node, Or) and " OR " in shown) else shown


def _quoted(node: Text) -> str:
    text = node.text.lower() if node.text.isascii() else node.text
    return _phrase(text) if node.exact else text


def _value(text: str) -> str:
    return _phrase(text) if _NEEDS_QUOTES.search(text) else text


def _phrase(text: str) -> str:
    return f'"{_TO_ESCAPE.sub(_BACKSLASHED, text)}"'
