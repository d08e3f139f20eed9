"""Editing of query strings: add, remove or toggle a filter, for the links beside a list."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from readtrack.search import QueryError
from readtrack.search.lexer import Lexeme, Lexer

_KEPT_READ = 64  # parsed queries that are cached: a page parses its own for each link


def add_term(query: str, term: str) -> str:
    """Add a term to a query.

    Alternatives are put in parentheses, and a dangling operator stays a word.
    """
    query, lexemes = _close_phrase(query), _tokenize(query)
    if _has_alternatives(lexemes) or (lexemes and lexemes[-1].kind in {"AND", "NOT"}):
        query = f"({query})"
    return f"{query} {term}".strip()


def toggle_term(query: str, name: str, value: str, *, term: str, exclusive: bool) -> tuple[str, bool]:
    """Toggle the term `term` in a query; return the new query, and whether the term was present.

    `term`: the filter `name:value` as written in a query; `exclusive`: replace other values of the same filter.
    """
    lexemes = _tokenize(query)
    if _has_alternatives(lexemes):
        return add_term(query, term), False
    filters = [
        (number, lexeme) for number, lexeme in _outermost_lexemes(lexemes) if _is_required_filter(lexemes, number, name)
    ]
    matching = [(number, lexeme) for number, lexeme in filters if [one.text for one in lexeme.values] == [value]]
    removed_numbers = [number for number, _lexeme in (filters if exclusive else matching)]
    remaining = _remove_lexemes(query, lexemes, removed_numbers)
    return (remaining, True) if matching else (add_term(remaining, term), False)


def remove_filter(query: str, name: str) -> str:
    """Remove all filters with this name from a query."""
    lexemes = _tokenize(query)
    return _remove_lexemes(
        query, lexemes, [number for number, lexeme in enumerate(lexemes) if _is_filter(lexeme, name)]
    )


@lru_cache(_KEPT_READ)
def _tokenize(query: str) -> Sequence[Lexeme]:
    """Tokenize a query; return no tokens if it is invalid."""
    try:
        return Lexer(query).lexemes()
    except QueryError:
        return ()


def _close_phrase(query: str) -> str:
    """Close a quoted phrase that is open at the end of the query."""
    count = len(_tokenize(query))
    endings = ("", '"', '\\"') if count else ("",)
    return next((query + ending for ending in endings if len(_tokenize(f"{query}{ending} x")) > count), query)


def _has_alternatives(lexemes: Sequence[Lexeme]) -> bool:
    return any(lexeme.kind == "OR" for _number, lexeme in _outermost_lexemes(lexemes))


def _outermost_lexemes(lexemes: Sequence[Lexeme]) -> Iterator[tuple[int, Lexeme]]:
    """Yield the tokens outside of parentheses, with their index."""
    depth = 0
    for number, lexeme in enumerate(lexemes):
        depth -= lexeme.kind == ")"
        if depth == 0:
            yield number, lexeme
        depth += lexeme.kind == "("


def _is_required_filter(lexemes: Sequence[Lexeme], number: int, name: str) -> bool:
    """Return True for a filter with this name that is not negated."""
    lexeme = lexemes[number]
    is_negated = number > 0 and lexemes[number - 1].kind in {"-", "NOT"}
    return _is_filter(lexeme, name) and not is_negated


def _is_filter(lexeme: Lexeme, name: str) -> bool:
    return lexeme.kind == "filter" and lexeme.text == name


def _remove_lexemes(query: str, lexemes: Sequence[Lexeme], numbers: Sequence[int]) -> str:
    """Remove filters from the text, each with an AND next to it."""
    parts, position = [], 0
    for number in numbers:
        last = lexemes[number].values[-1]
        start, end = lexemes[number].position, last.position + last.length
        if number > 0 and lexemes[number - 1].kind == "AND":
            start = lexemes[number - 1].position
        elif number + 1 < len(lexemes) and lexemes[number + 1].kind == "AND":
            end = lexemes[number + 1].position + len("AND")
        parts.append(query[position : max(start, position)].strip())
        position = end
    parts.append(query[position:].strip())
    return " ".join(part for part in parts if part)
