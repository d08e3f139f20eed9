"""Text becomes tokens, the same for both databases and for queries. Pure.

NFKC without accents; CJK runs become overlapping pairs and their last character, all else words in small letters.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple
from urllib.parse import urlsplit

TOKENS_VERSION = 2  # raise it when the same text would give other tokens: the index is then built anew

BARRIER = "_"  # stands between things that no phrase may span; `_` is part of no token
LONGEST = 64  # characters of one word; PostgreSQL takes no lexeme above 2 kB
SHORTEST_PREFIX = 3  # shorter words are found whole only: "C4" shall not find every C41
SHORTEST_PART = 3  # of a camelCase word
SHORT = 200  # characters of a text whose tokens are remembered for a while
LONGEST_NAME = 60  # characters of somebody who is mentioned
LONGEST_HOST = 253  # characters, as in the system of names; of anything longer its end counts

_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3100-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U000323af"
)
_RUN = re.compile(rf"(?P<cjk>[{_CJK}]+)|[^\W_{_CJK}]+(?:\+\+|#)?")
_PLAIN_ADDRESS = re.compile(r"https?://([a-z0-9.-]+)(?=[/?#]|\Z)")  # as the most are: its host stands there as it is
_SIGN = re.compile(r"[@＠]")
_NO_LABEL = re.compile(r"[\W_]")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:\+\+|#)?")
_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_VOICED = "\u3099\u309a"  # kana without them are other syllables, so they are no accents


class TokenRun(NamedTuple):
    """A stretch of one writing in folded text, and the tokens it becomes."""

    start: int
    text: str
    cjk: bool

    def tokens(self) -> list[str]:
        if self.cjk:
            return [self.text[at : at + 2] for at in range(len(self.text))]
        return [_word(self.text)]


class Needle(NamedTuple):
    """Tokens to be found one after the other. `prefix`: the last one may go on."""

    tokens: tuple[str, ...]
    prefix: bool

    def after_sign(self) -> "Needle":
        """The same where a name begins that is mentioned."""
        return Needle((BARRIER, *self.tokens), prefix=False)


def index_text(values: Iterable[str]) -> str:
    """Texts as the index keeps them: tokens with blanks between, camelCase parts behind each text."""
    return f" {BARRIER} ".join(filter(None, map(_indexed, values)))


def needle(text: str, *, exact: bool) -> Needle | None:
    """What to look for when a person writes this word, or this phrase (`exact`); None without a letter or digit."""
    found = list(runs(fold(text)))
    if not found:
        return None
    last = found[-1]
    tokens = [token for run in found for token in run.tokens()]
    if last.cjk:
        pair = len(last.text) > 1
        return Needle(tuple(tokens[:-1] if pair else tokens), prefix=not pair)
    return Needle(tuple(tokens), prefix=not exact and len(last.text) >= SHORTEST_PREFIX)


def mention_text(text: str) -> str:
    """What follows each @ in a text, as the index keeps it: who may be mentioned there."""
    return " ".join(f"{BARRIER} {_indexed(text[at : at + LONGEST_NAME])}" for at in _mention_positions(text))


def hosts_text(addresses: Iterable[str]) -> str:
    """The hosts of addresses as the index keeps them: a token of its own for each host, and for each above it.

    So whatever is looked for is one token: of a phrase, the commonest one (`com`) would be gone through, too.
    """
    return " ".join(dict.fromkeys(token for address in addresses for token in _host_tokens(_host(address))))


def host_needle(host: str) -> Needle:
    """What to look for to find that host and all below it."""
    return Needle(tuple(_host_tokens(host)[-1:]), prefix=False)


def fold(text: str) -> str:
    """NFKC without accents; capitals stay, they show where camelCase words are joined."""
    if text.isascii():
        return text
    spread = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFKC", "".join(filter(_is_significant, spread)))


def runs(folded: str) -> Iterator[TokenRun]:
    """The stretches of a folded text that can be found, in order."""
    for match in _RUN.finditer(folded):
        yield TokenRun(match.start(), match[0], match["cjk"] is not None)


def parts(run: TokenRun) -> list[TokenRun]:
    """FlashAttention -> Flash, Attention; nothing for words of one part."""
    if run.cjk or run.text.islower() or not _SEAM.search(run.text):
        return []
    seams = [0, *(seam.start() for seam in _SEAM.finditer(run.text)), len(run.text)]
    return [
        TokenRun(run.start + start, run.text[start:end], cjk=False)
        for start, end in pairwise(seams)
        if end - start >= SHORTEST_PART
    ]


def _indexed(text: str) -> str:
    return _cached_tokens(text) if len(text) <= SHORT else _tokens_of(text)


@lru_cache(maxsize=1_000)
def _cached_tokens(text: str) -> str:
    """The same, remembered: a title stands in the notes too, and the name of a topic with all its papers."""
    return _tokens_of(text)


def _tokens_of(text: str) -> str:
    if text.isascii() and not _SEAM.search(text):  # the most texts: mere words
        return " ".join([word[:LONGEST] for word in _ASCII_WORD.findall(text.lower())])
    words: list[str] = []
    joined: list[str] = []
    for run in runs(fold(text)):
        words += run.tokens()
        joined += [_word(part.text) for part in parts(run)]
    return " ".join([*words, BARRIER, *joined] if joined else words)


def _mention_positions(text: str) -> Iterator[int]:
    """Where a name may begin: behind an @ that is not inside of a mail address."""
    for sign in _SIGN.finditer(text):
        before = text[sign.start() - 1] if sign.start() else " "
        if not (before.isascii() and before.isalnum()):
            yield sign.end()


def _host(address: str) -> str:
    """The host of an address; blank when there is none."""
    plain = _PLAIN_ADDRESS.match(address)
    if plain:
        return plain[1].removeprefix("www.")
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


@lru_cache(maxsize=1_000)
def _host_tokens(host: str) -> Sequence[str]:
    """A host and those above it, the highest first, as tokens that no word has: #com, #com#github …"""
    labels = [label for label in host[-LONGEST_HOST:].split(".") if label]
    above = accumulate(f"#{_NO_LABEL.sub('+', _word(fold(label)))}" for label in reversed(labels))
    return tuple(name[:LONGEST_HOST] for name in above)  # once more: folding may make more of a character


def _word(text: str) -> str:
    return text.casefold()[:LONGEST]


def _is_significant(character: str) -> bool:
    return character in _VOICED or unicodedata.category(character) != "Mn"
