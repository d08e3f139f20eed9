"""Lexer of the query language. It reads each character once."""

import re
from dataclasses import dataclass

from readtrack.infra.i18n import gettext as _
from readtrack.search.ast import QueryError
from readtrack.search.qualifiers import NEAR, QUALIFIERS, unknown_qualifier
from readtrack.search.values import ValueToken

OPENING = '"“„＂'  # Phones and input methods insert various quotation marks.
CLOSING = dict.fromkeys(OPENING, "”“＂") | {'"': '"'}
COMMAS = (",", "，")
STOPS = f"()|{OPENING}"
QUALIFIER = re.compile(r"([A-Za-z][A-Za-z-]{0,30})([:：])(?!//)")
_ESCAPED = re.compile(r'\\(["\\])')
_QUOTED_PERSON = tuple(f"@{opening}" for opening in OPENING)


@dataclass(frozen=True)
class Lexeme:
    """A token. `kind` is one of ( ) OR AND NOT -, or word, phrase, filter (`text` is its name)."""

    kind: str
    text: str
    position: int
    values: tuple[ValueToken, ...] = ()


class Lexer:
    """A single-pass lexer."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def lexemes(self) -> list[Lexeme]:
        """Return all tokens. Raise QueryError for an unknown filter or one without a value."""
        tokens = []
        while self._skip_blanks():
            tokens.append(self._next())
        return tokens

    def _skip_blanks(self) -> bool:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at < len(self.text)

    def _next(self) -> Lexeme:
        start, sign = self.at, self.text[self.at]
        if sign in OPENING:
            return Lexeme("phrase", self._phrase(), start)
        if sign in "()|" or (sign == "-" and self._goes_on(start + 1)):
            self.at += 1
            return Lexeme("OR" if sign == "|" else sign, sign, start)
        match = QUALIFIER.match(self.text, start)
        if match and self._is_filter(match):
            return self._filter(match)
        word = self._atom(STOPS)
        return Lexeme(word if word in {"OR", "AND", "NOT"} else "word", word, start)

    def _is_filter(self, match: re.Match[str]) -> bool:
        """Return True if a word and colon are a filter.

        Titles contain full-width colons (`GPU：性能`), so these count only after a known name.
        """
        return match[1].casefold() in QUALIFIERS or (match[2] == ":" and self._goes_on(match.end()))

    def _goes_on(self, position: int) -> bool:
        """Return True if text follows directly: `title:x`, but not the colon in `Parcae: a title`."""
        return position < len(self.text) and not self.text[position].isspace() and self.text[position] not in ")|"

    def _filter(self, match: re.Match[str]) -> Lexeme:
        name = match[1].casefold()
        if name not in QUALIFIERS:
            raise unknown_qualifier(match[1], match.start())
        self.at = match.end()
        values = [self._value(name)]
        while self.text.startswith(COMMAS, self.at):
            self.at += 1
            values.append(self._value(name))
        return Lexeme("filter", name, match.start(), tuple(values))

    def _value(self, name: str) -> ValueToken:
        start = self.at
        if name == "sort" and (near_match := NEAR.match(self.text, start)):
            self.at = near_match.end()
            return ValueToken(near_match[0], exact=False, position=start, length=near_match.end() - start)
        sign = "@" if self.text.startswith(_QUOTED_PERSON, start) else ""  # @"Ken Sato" equals "@Ken Sato".
        self.at += len(sign)
        exact = self.text.startswith(tuple(OPENING), self.at)
        text = sign + self._phrase() if exact else self._atom(STOPS + "".join(COMMAS))
        if not text.strip():
            example = QUALIFIERS[name].example
            message = _("`{name}:` needs a value without a space before it, as in `{example}`.")
            length = max(self.at - start, 1)
            explanation = message.format(name=name, example=example)
            raise QueryError(explanation, position=start, length=length, suggestion=example)
        return ValueToken(text, exact, start, self.at - start)

    def _phrase(self) -> str:
        """Return the text in quotes; an unclosed quote extends to the end."""
        closing = CLOSING[self.text[self.at]]
        start = self.at + 1
        end = start
        while end < len(self.text) and self.text[end] not in closing:
            end += 2 if self.text[end] == "\\" else 1
        end = min(end, len(self.text))
        self.at = min(end + 1, len(self.text))
        return _ESCAPED.sub(r"\1", self.text[start:end])

    def _atom(self, stops: str) -> str:
        start = self.at
        while self.at < len(self.text) and not self.text[self.at].isspace() and self.text[self.at] not in stops:
            self.at += 1
        return self.text[start : self.at]
