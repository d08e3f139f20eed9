"""Recursive descent parser for queries. Raises only QueryError."""

from collections.abc import Callable
from functools import lru_cache

from readtrack.infra.i18n import gettext as _
from readtrack.search.ast import FieldFilter, Node, Query, QueryError, Sort, TextTerm, all_of, any_of, negate
from readtrack.search.lexer import Lexeme, Lexer
from readtrack.search.qualifiers import QUALIFIERS, parse_sort
from readtrack.search.scopes import SILENT

__all__ = ["QUALIFIERS", "Query", "QueryError", "parse"]

MAX_QUERY_CHARS = 2_000  # Characters.
MAX_TERMS = 50
MAX_NESTING = 8  # Maximum nesting of parentheses and negations.
_KEPT_READ = 1_000  # Cached queries; a page parses the same one for each of its links.


@lru_cache(_KEPT_READ)
def parse(text: str) -> Query:
    """Parse a query. Raise QueryError with message and position if it is invalid."""
    if len(text) > MAX_QUERY_CHARS:
        message = _("This search is too long: {count} characters (limit {most}).")
        explanation = message.format(count=f"{len(text):,}", most=f"{MAX_QUERY_CHARS:,}")
        raise QueryError(explanation, position=MAX_QUERY_CHARS, length=len(text) - MAX_QUERY_CHARS)
    lexemes = Lexer(text).lexemes()
    _check_count(lexemes)
    return _Parser(lexemes).query()


class _Parser:
    """A parser with one method per grammar rule.

    Operators without operands are treated as words.
    """

    def __init__(self, lexemes: list[Lexeme]) -> None:
        self.lexemes = lexemes
        self.at = 0
        self.sort: Sort | None = None

    def query(self) -> Query:
        condition = self._any_of(0)
        if self._kind() == ")":
            raise _syntax_error(_("Unmatched `)`. Remove it, or quote the text."), self.lexemes[self.at])
        return Query(condition, self.sort)

    def _any_of(self, depth: int) -> Node | None:
        parts = [self._all_of(depth)]
        while self._kind() == "OR":
            self.at += 1
            parts.append(self._all_of(depth))
        return any_of(parts)

    def _all_of(self, depth: int) -> Node | None:
        parts = [self._unary(depth)] if self._kind() not in {"", ")"} else []
        while self._kind() not in {"", ")"} and not self._joins("OR"):
            if self._joins("AND"):
                self.at += 1
            parts.append(self._unary(depth))
        return all_of(parts)

    def _unary(self, depth: int) -> Node | None:
        if not (self._joins("-") or self._joins("NOT")):
            return self._primary(depth)
        operator = self.lexemes[self.at]
        operand = self._inside(depth, self._unary)
        if isinstance(operand, FieldFilter) and operand.name in SILENT:
            message = _("`{name}:` can't be excluded. Remove the `-`.")
            raise _syntax_error(message.format(name=operand.name), operator)
        return negate(operand)

    def _primary(self, depth: int) -> Node | None:
        lexeme = self.lexemes[self.at]
        if lexeme.kind == "(":
            return self._group(depth)
        self.at += 1
        if lexeme.kind == "filter":
            return self._filter(lexeme)
        if lexeme.kind == "word":
            return TextTerm(lexeme.text)
        # An operator without operands is a literal word; it is quoted, so that it stays one in canonical text.
        return TextTerm(lexeme.text, exact=True) if lexeme.text else None

    def _group(self, depth: int) -> Node | None:
        opening = self.lexemes[self.at]
        node = self._inside(depth, self._any_of)
        if self._kind() != ")":
            raise _syntax_error(_("Unmatched `(`. Add `)`, or quote the text."), opening)
        self.at += 1
        return node

    def _filter(self, lexeme: Lexeme) -> Node | None:
        if lexeme.text != "sort":
            return _condition(lexeme)
        if self.sort:
            raise _syntax_error(_("Use `sort:` only once."), lexeme)
        self.sort = parse_sort(lexeme.values)
        return None

    def _inside(self, depth: int, rule: Callable[[int], Node | None]) -> Node | None:
        if depth == MAX_NESTING:
            message = _("Too many nested parentheses or negations (limit {most}).")
            raise _syntax_error(message.format(most=MAX_NESTING), self.lexemes[self.at])
        self.at += 1
        return rule(depth + 1)

    def _kind(self) -> str:
        return self.lexemes[self.at].kind if self.at < len(self.lexemes) else ""

    def _joins(self, kind: str) -> bool:
        """Return True if the next token is that operator and an operand follows."""
        next_kind = self.lexemes[self.at + 1].kind if self.at + 1 < len(self.lexemes) else ")"
        return self._kind() == kind and next_kind != ")"


def _condition(lexeme: Lexeme) -> Node | None:
    return QUALIFIERS[lexeme.text].condition(lexeme.values)


def _syntax_error(message: str, lexeme: Lexeme) -> QueryError:
    return QueryError(message, position=lexeme.position, length=len(lexeme.text))


def _check_count(lexemes: list[Lexeme]) -> None:
    count = 0
    for lexeme in lexemes:
        count += len(lexeme.values) or lexeme.kind in {"word", "phrase"}
        if count > MAX_TERMS:
            message = _("Too many search terms (limit {most}).").format(most=MAX_TERMS)
            raise QueryError(message, position=lexeme.position, length=len(lexeme.text))
