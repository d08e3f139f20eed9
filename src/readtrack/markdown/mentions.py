"""Mentions (`@name`) in texts: parsing, and conversion to links."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from readtrack.infra.text import normalize

MAX_MENTIONS = 50  # Maximum @ signs checked per text.
MAX_SIGNS_PER_PAGE = 2_000  # Maximum @ signs checked per page, in rounds over its texts.
MAX_NAME_CHARS = 100  # Maximum characters of a name as typed.
People = Mapping[str, int]  # Normalized name -> person ID.
_SIGN = re.compile(r"[@＠]")
_QUOTED = re.compile(r'["“„”]([^"“„”\n]{1,100})["“”]')
_QUOTES = frozenset('"“„”')
_JOINS = "-_."  # Part of a name between letters: @jean does not match @jean-luc.
_UNSPACED = re.compile(  # Scripts without a space after a name: kana, Han, Hangul (followed by particles), Thai.
    "[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)


class PersonMention(NamedTuple):
    """The position of a mention, including the sign, and the name as typed, without quotes."""

    start: int
    end: int
    name: str
    person_id: int


def candidate_names(texts: Iterable[str]) -> list[str]:
    """Return all normalized names that these texts may mention, for a single database query."""
    turns = zip_longest(*(map(partial(_names, text), islice(_signs(text), MAX_MENTIONS)) for text in texts))
    signs = islice((sign for turn in turns for sign in turn if sign), MAX_SIGNS_PER_PAGE)
    return [*dict.fromkeys(key for key, _ in chain.from_iterable(signs))]


def find_mentions(text: str, people: People, *, limit: int = MAX_MENTIONS) -> list[PersonMention]:
    """Return the mentions in a text. The longest matching name wins."""
    mentions: list[PersonMention] = []
    for start in islice(_signs(text), limit) if people else ():
        if mentions and start < mentions[-1].end:
            continue
        matches = [
            PersonMention(start, end, _typed_name(text, start, end), people[key])
            for key, end in _names(text, start)
            if key in people
        ]
        mentions += matches[-1:]
    return mentions


def format_mention(name: str) -> str:
    """Return the unambiguous mention of a name, quoted if it contains spaces."""
    return f'@"{name}"' if " " in name and not _QUOTES & {*name} else f"@{name}"


def link_people(state: StateCore) -> None:
    """Convert mentions in plain text to links, for people in `env["people"]`.

    A core rule of the Markdown parser.
    """
    people: People = state.env.get("people") or {}
    remaining = MAX_MENTIONS
    for token in state.tokens if people else ():
        if token.children:
            signs = sum(len(_SIGN.findall(child.content)) for child in plain_text_tokens(token.children))
            token.children = list(_link_mentions(token.children, people, remaining))
            remaining = max(remaining - signs, 0)


def plain_text_tokens(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the plain text tokens of a paragraph, without code, formulas and text of links."""
    depth = 0
    for token in tokens:
        depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "text" and not depth:
            yield token


def _link_mentions(tokens: Sequence[Token], people: People, remaining: int) -> Iterator[Token]:
    text_ids = {id(token) for token in plain_text_tokens(tokens)}
    for token in tokens:
        mentions = find_mentions(token.content, people, limit=remaining) if id(token) in text_ids else []
        if id(token) in text_ids:
            remaining = max(remaining - len(_SIGN.findall(token.content)), 0)
        yield from _pieces(token, mentions) if mentions else (token,)


def _pieces(token: Token, mentions: Sequence[PersonMention]) -> Iterator[Token]:
    end = 0
    for mention in mentions:
        yield from (_text(token.content[end : mention.start]), *_link(mention))
        end = mention.end
    yield _text(token.content[end:])


def _link(mention: PersonMention) -> tuple[Token, Token, Token]:
    address = {"href": f"/people/{mention.person_id}", "class": "mention"}
    return Token("link_open", "a", 1, attrs={**address}), _text(f"@{mention.name}"), Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _signs(text: str) -> Iterator[int]:
    """Yield the positions of @ signs that can start a mention, not those in mail addresses and URLs."""
    for sign in _SIGN.finditer(text):
        before = text[sign.start() - 1] if sign.start() else " "
        if not (before.isalnum() or before in "@＠/._-+") or _UNSPACED.match(before):
            yield sign.start()


def _names(text: str, position: int) -> Iterator[tuple[str, int]]:
    """Yield candidate names after the sign, normalized, shortest first, with their end positions."""
    start = position + 1
    if match := _QUOTED.match(text, start):
        yield normalize.key(match[1]), match.end()
        return
    line = text[start : start + MAX_NAME_CHARS].split("\n", 1)[0]
    key, previous_end = "", start
    for end in range(start + 1, start + 1 + len(line)) if not line[:1].isspace() else ():
        if not text[end - 1].isspace() and _ends(text, end):
            key, previous_end = key + normalize.folded(text[previous_end:end]), end
            yield key, end


def _typed_name(text: str, start: int, end: int) -> str:
    match = _QUOTED.match(text, start + 1)
    return match[1] if match else text[start + 1 : end]


def _ends(text: str, position: int) -> bool:
    """Return True if a name may end at this position."""
    last, after = text[position - 1], text[position : position + 1]
    if not after or _UNSPACED.match(last) or _UNSPACED.match(after):
        return not unicodedata.category(after or " ").startswith("M")
    if after in _JOINS and text[position + 1 : position + 2].isalnum():
        return False
    return not (after.isalnum() or after == "_" or unicodedata.category(after).startswith("M"))
