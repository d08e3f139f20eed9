"""A question with one thing more said in it, or less: what the links beside a list do to it. Pure."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from readtrack.search import QueryError
from readtrack.search.lexer import Lexeme, Lexer

_KEPT_READ = 64  # questions: a page reads its own for each of its links


def add_term(q: str, said: str) -> str:
    """The question with that said, too; alternatives stay together, and what joins nothing yet stays a word."""
    q, lexemes = _close_phrase(q), _tokenize(q)
    if _has_alternatives(lexemes) or (lexemes and lexemes[-1].kind in {"AND", "NOT"}):
        q = f"({q})"
    return f"{q} {said}".strip()


def toggle_term(q: str, name: str, value: str, *, said: str, alone: bool) -> tuple[str, bool]:
    """The question that asks for `said` as well, or no longer when it did; and whether it did.

    `said` is that name and value as a question has them; `alone`: it replaces whatever else is said of that name.
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
    """What the question says of that name, wherever it does so first; blank for nothing."""
    return next((lexeme.values[0].text for lexeme in _tokenize(q) if _is_filter(lexeme, name)), "")


def remove_filter(q: str, name: str) -> str:
    """The question that says nothing of that name."""
    lexemes = _tokenize(q)
    return _remove_lexemes(q, lexemes, [number for number, lexeme in enumerate(lexemes) if _is_filter(lexeme, name)])


@lru_cache(_KEPT_READ)
def _tokenize(q: str) -> Sequence[Lexeme]:
    """None of them when it cannot be read."""
    try:
        return Lexer(q).lexemes()
    except QueryError:
        return ()


def _close_phrase(q: str) -> str:
    """With the end of a phrase that goes on to the end of the text."""
    count = len(_tokenize(q))
    ends = ("", '"', '\\"') if count else ("",)
    return next((q + end for end in ends if len(_tokenize(f"{q}{end} x")) > count), q)


def _has_alternatives(lexemes: Sequence[Lexeme]) -> bool:
    return any(lexeme.kind == "OR" for _number, lexeme in _outermost_lexemes(lexemes))


def _outermost_lexemes(lexemes: Sequence[Lexeme]) -> Iterator[tuple[int, Lexeme]]:
    """Those in no parentheses, with their number."""
    depth = 0
    for number, lexeme in enumerate(lexemes):
        depth -= lexeme.kind == ")"
        if depth == 0:
            yield number, lexeme
        depth += lexeme.kind == "("


def _is_required_filter(lexemes: Sequence[Lexeme], number: int, name: str) -> bool:
    """Whether it asks for papers with that name, not for those without."""
    lexeme = lexemes[number]
    excluded = number > 0 and lexemes[number - 1].kind in {"-", "NOT"}
    return _is_filter(lexeme, name) and not excluded


def _is_filter(lexeme: Lexeme, name: str) -> bool:
    return lexeme.kind == "filter" and lexeme.text == name


def _remove_lexemes(q: str, lexemes: Sequence[Lexeme], gone: Sequence[int]) -> str:
    """The text but for these filters, and the AND that joined each to the rest."""
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
