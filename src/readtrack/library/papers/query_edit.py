"""Editing of query strings: add, remove or toggle a filter, for the links beside a list."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from readtrack.search import QueryError
from readtrack.search.lexer import Lexeme, Lexer

_KEPT_READ = 64  # parsed queries that are cached: a page parses its own for each link


def add_term(q: str, said: str) -> str:
    """Add a term to a query.

    Alternatives are put in parentheses, and a dangling operator stays a word.
    """
    q, lexemes = _close_phrase(q), _tokenize(q)
    if _has_alternatives(lexemes) or (lexemes and lexemes[-1].kind in {"AND", "NOT"}):
        q = f"({q})"
    return f"{q} {said}".strip()


def toggle_term(q: str, name: str, value: str, *, said: str, alone: bool) -> tuple[str, bool]:
    """Toggle the term `said` in a query; return the new query, and whether the term was present.

    `said`: the filter `name:value` as written in a query; `alone`: replace other values of the same filter.
    """
    lexemes = _tokenize(q)
    if _has_alternatives(lexemes):
        return add_term(q, said), False
    mine = [
        (number, lexeme) for number, lexeme in _outermost_lexemes(lexemes) if _is_required_filter(lexemes, number, name)
    ]
    same = [(number, lexeme) for number, lexeme in mine if [one.text for one in lexeme.values] == [value]]
    gone = [number for number, _lexeme in (mine if alone else same)]
    left = _remove_lexemes(q, lexemes, gone)
    return (left, True) if same else (add_term(left, said), False)


def find_filter_value(q: str, name: str) -> str:
    """Return the first value of a filter in a query, or ""."""
    return next((lexeme.values[0].text for lexeme in _tokenize(q) if _is_filter(lexeme, name)), "")


def remove_filter(q: str, name: str) -> str:
    """Remove all filters with this name from a query."""
    lexemes = _tokenize(q)
    return _remove_lexemes(q, lexemes, [number for number, lexeme in enumerate(lexemes) if _is_filter(lexeme, name)])


@lru_cache(_KEPT_READ)
def _tokenize(q: str) -> Sequence[Lexeme]:
    """Tokenize a query; return no tokens if it is invalid."""
    try:
        return Lexer(q).lexemes()
    except QueryError:
        return ()


def _close_phrase(q: str) -> str:
    """Close a quoted phrase that is open at the end of the query."""
    count = len(_tokenize(q))
    ends = ("", '"', '\\"') if count else ("",)
    return next((q + end for end in ends if len(_tokenize(f"{q}{end} x")) > count), q)


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
    excluded = number > 0 and lexemes[number - 1].kind in {"-", "NOT"}
    return _is_filter(lexeme, name) and not excluded


def _is_filter(lexeme: Lexeme, name: str) -> bool:
    return lexeme.kind == "filter" and lexeme.text == name


def _remove_lexemes(q: str, lexemes: Sequence[Lexeme], gone: Sequence[int]) -> str:
    """Remove filters from the text, each with an AND next to it."""
    pieces, at = [], 0
    for number in gone:
        last = lexemes[number].values[-1]
        start, end = lexemes[number].position, last.position + last.length
        if number > 0 and lexemes[number - 1].kind == "AND":
            start = lexemes[number - 1].position
        elif number + 1 < len(lexemes) and lexemes[number + 1].kind == "AND":
            end = lexemes[number + 1].position + len("AND")
        pieces.append(q[at : max(start, at)].strip())
        at = end
    pieces.append(q[at:].strip())
    return " ".join(piece for piece in pieces if piece)
