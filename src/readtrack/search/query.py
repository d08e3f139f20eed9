"""A search is read: text -> Query by recursive descent. Raises QueryError only."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from readtrack.search.qualifiers import QUALIFIERS, Value, sorting, unknown
from readtrack.search.terms import Node, Query, QueryError, Sort, Text, all_of, any_of, negated

__all__ = ["QUALIFIERS", "Query", "QueryError", "parse"]

LONGEST = 2_000  # characters
MOST_TERMS = 50
DEEPEST = 8  # parentheses and negations inside one another

_QUALIFIER = re.compile(r"([A-Za-z][A-Za-z-]*):(?!//)")
_ESCAPED = re.compile(r'\\(["\\])')
_STOPS = '"()|'


@dataclass(frozen=True)
class _Lexeme:
    """`kind`: one of ( ) OR AND NOT -, or word, phrase, filter (then `text` is its name)."""

    kind: str
    text: str
    position: int
    values: tuple[Value, ...] = ()


def parse(text: str) -> Query:
    """What the person asks for. Raises QueryError, which says what is wrong and where."""
    if len(text) > LONGEST:
        message = f"This search is too long: {len(text):,} characters, and at most {LONGEST:,} can be read."
        raise QueryError(message, position=LONGEST, length=len(text) - LONGEST)
    lexemes = _Lexer(text).lexemes()
    _check_count(lexemes)
    return _Parser(lexemes).query()


class _Lexer:
    """Cuts the text into lexemes, from left to right, looking at each character once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def lexemes(self) -> list[_Lexeme]:
        found = []
        while self._skip_blanks():
            found.append(self._next())
        return found

    def _skip_blanks(self) -> bool:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at < len(self.text)

    def _next(self) -> _Lexeme:
        start, sign = self.at, self.text[self.at]
        if sign == '"':
            return _Lexeme("phrase", self._phrase(), start)
        if sign in "()|" or (sign == "-" and self._goes_on(start + 1)):
            self.at += 1
            return _Lexeme("OR" if sign == "|" else sign, sign, start)
        match = _QUALIFIER.match(self.text, start)
        if match and (match[1].casefold() in QUALIFIERS or self._goes_on(match.end())):
            return self._filter(match)
        word = self._atom(_STOPS)
        return _Lexeme(word if word in {"OR", "AND", "NOT"} else "word", word, start)

    def _goes_on(self, at: int) -> bool:
        """Whether something is joined to what ends here: `title:x` but not the colon in `Parcae: a title`."""
        return at < len(self.text) and not self.text[at].isspace() and self.text[at] not in ")|"

    def _filter(self, match: re.Match[str]) -> _Lexeme:
        name = match[1].casefold()
        if name not in QUALIFIERS:
            raise unknown(match[1], match.start())
        self.at = match.end()
        values = [self._value(name)]
        while self.text.startswith(",", self.at):
            self.at += 1
            values.append(self._value(name))
        return _Lexeme("filter", name, match.start(), tuple(values))

    def _value(self, name: str) -> Value:
        start, exact = self.at, self.text.startswith('"', self.at)
        text = self._phrase() if exact else self._atom(_STOPS + ",")
        if not text.strip():
            example = QUALIFIERS[name].example
            message = f"`{name}:` needs a value, with no blank before it, as in `{example}`."
            raise QueryError(message, position=start, length=max(self.at - start, 1), suggestion=example)
        return Value(text, exact, start, self.at - start)

    def _phrase(self) -> str:
        """What stands in quotes; a quote that is never closed goes on to the end."""
        start = self.at + 1
        end = start
        while end < len(self.text) and self.text[end] != '"':
            end += 2 if self.text[end] == "\\" else 1
        end = min(end, len(self.text))
        self.at = min(end + 1, len(self.text))
        return _ESCAPED.sub(r"\1", self.text[start:end])

    def _atom(self, stops: str) -> str:
        start = self.at
        while self.at < len(self.text) and not self.text[self.at].isspace() and self.text[self.at] not in stops:
            self.at += 1
        return self.text[start : self.at]


class _Parser:
    """One method for each rule of the grammar. Operators with nothing to join are words."""

    def __init__(self, lexemes: list[_Lexeme]) -> None:
        self.lexemes = lexemes
        self.at = 0
        self.sort: Sort | None = None

    def query(self) -> Query:
        condition = self._any_of(0)
        if self._kind() == ")":
            raise self._stray("This `)` closes nothing. Leave it out, or quote the text.", self.lexemes[self.at])
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
        if self._joins("-") or self._joins("NOT"):
            return negated(self._inside(depth, self._unary))
        return self._primary(depth)

    def _primary(self, depth: int) -> Node | None:
        lexeme = self.lexemes[self.at]
        if lexeme.kind == "(":
            return self._group(depth)
        self.at += 1
        if lexeme.kind == "filter":
            return self._filter(lexeme)
        if lexeme.kind == "word":
            return Text(lexeme.text)
        return Text(lexeme.text, exact=True) if lexeme.text else None

    def _group(self, depth: int) -> Node | None:
        opened = self.lexemes[self.at]
        inside = self._inside(depth, self._any_of)
        if self._kind() != ")":
            raise self._stray("This `(` is never closed. Add `)`, or put the text in quotes.", opened)
        self.at += 1
        return inside

    def _filter(self, lexeme: _Lexeme) -> Node | None:
        if lexeme.text != "sort":
            qualifier = QUALIFIERS[lexeme.text]
            return qualifier.read(qualifier, lexeme.values)
        if self.sort:
            raise self._stray("A search has one order. Leave out one `sort:`.", lexeme)
        self.sort = sorting(lexeme.values)
        return None

    def _inside(self, depth: int, rule: Callable[[int], Node | None]) -> Node | None:
        if depth == DEEPEST:
            message = f"This search is nested too deeply: at most {DEEPEST} parentheses and negations in one another."
            raise self._stray(message, self.lexemes[self.at])
        self.at += 1
        return rule(depth + 1)

    def _kind(self) -> str:
        return self.lexemes[self.at].kind if self.at < len(self.lexemes) else ""

    def _joins(self, kind: str) -> bool:
        """Whether that operator stands here, with something behind it."""
        behind = self.lexemes[self.at + 1].kind if self.at + 1 < len(self.lexemes) else ")"
        return self._kind() == kind and behind != ")"

    @staticmethod
    def _stray(message: str, lexeme: _Lexeme) -> QueryError:
        return QueryError(message, position=lexeme.position, length=len(lexeme.text))


def _check_count(lexemes: list[_Lexeme]) -> None:
    count = 0
    for lexeme in lexemes:
        count += len(lexeme.values) or lexeme.kind in {"word", "phrase"}
        if count > MOST_TERMS:
            message = f"This search has too many terms: at most {MOST_TERMS} can be read."
            raise QueryError(message, position=lexeme.position, length=len(lexeme.text))
