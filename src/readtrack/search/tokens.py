"""Tokenization of texts and queries, identical for both databases.

Text is NFKC-normalized without accents. CJK runs become overlapping pairs and their last character; all else becomes
lower-case words. Stems of English words follow the words of a text, so that "caching" finds "caches" and "cached".
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple
from urllib.parse import urlsplit

import Stemmer

TOKENS_VERSION = 4  # Increment when tokens change; the index is then rebuilt.

BARRIER = "_"  # Separates texts, so that no phrase spans two of them; `_` occurs in no token.
STEM = "+"  # Begins the token of a stem; no word begins with it.
MIN_STEMMED_CHARS = 4  # Shorter words are their own stems.
MAX_WORD_CHARS = 64  # Characters of a word; PostgreSQL's limit for a lexeme is 2 kB.
MIN_PREFIX_CHARS = 3  # Shorter words match exactly, so that "C4" does not find every C41.
MIN_PART_CHARS = 3  # Minimum length of a part of a camelCase word.
SHORT_TEXT_CHARS = 200  # Maximum characters of texts whose tokens are cached.
MAX_NAME_CHARS = 60  # Characters of a mentioned name.
MAX_HOST_CHARS = 253  # Characters, the DNS limit; of longer names only the end counts.

_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3100-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U000323af"
)
_RUN = re.compile(rf"(?P<cjk>[{_CJK}]+)|[^\W_{_CJK}]+(?:\+\+|#)?")
# The most common form of URL, from which the host can be read directly.
_PLAIN_ADDRESS = re.compile(r"https?://([a-z0-9.-]+)(?=[/?#]|\Z)")
_SIGN = re.compile(r"[@＠]")
_NO_LABEL = re.compile(r"[\W_]")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:\+\+|#|)")  # Faster than an optional group.
_WITH_SPACES = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HAS_SEAM = re.compile(r"[A-Z](?:(?<=[a-z0-9][A-Z])|(?=[A-Z][a-z]))")  # Much faster, as it looks at capitals only.
_VOICED = "\u3099\u309a"  # Voiced sound marks of kana distinguish syllables, so they are not accents.


class TokenRun(NamedTuple):
    """A run of one script in folded text, and its tokens."""

    start: int
    text: str
    cjk: bool

    def tokens(self) -> list[str]:
        if self.cjk:
            return [self.text[index : index + 2] for index in range(len(self.text))]
        return [_word(self.text)]


class Needle(NamedTuple):
    """A sequence of tokens to find. `prefix`: the last one may be a prefix."""

    tokens: tuple[str, ...]
    prefix: bool

    def after_sign(self) -> "Needle":
        """Return the needle for a name directly after an @."""
        return Needle((BARRIER, *self.tokens), prefix=False)


def index_text(values: Iterable[str]) -> str:
    """Return texts as stored in the index: tokens separated by spaces, then the stems that differ from their words."""
    tokens = index_names(values)
    stems = dict.fromkeys(map(_other_stem, tokens.split(" ")))
    stems.pop("", None)
    return " ".join([tokens, *stems])


def index_names(values: Iterable[str]) -> str:
    """Return names and identifiers as stored in the index: as texts, without stems."""
    return f" {BARRIER} ".join(filter(None, map(_indexed, values)))


def needle(text: str, *, exact: bool) -> Needle | None:
    """Return the needle for a word or phrase (`exact`); None if it has no letter or digit."""
    token_runs = list(runs(fold(text)))
    if not token_runs:
        return None
    last_run = token_runs[-1]
    tokens = [token for run in token_runs for token in run.tokens()]
    if last_run.cjk:
        is_pair = len(last_run.text) > 1
        return Needle(tuple(tokens[:-1] if is_pair else tokens), prefix=not is_pair)
    return Needle(tuple(tokens), prefix=not exact and len(last_run.text) >= MIN_PREFIX_CHARS)


def stem_needles(word: str) -> list[Needle]:
    """Return the needles for English words with the same stem; none for other words."""
    stem = stem_token(word.casefold())
    return [Needle((stem,), prefix=False), Needle((stem.removeprefix(STEM),), prefix=False)] if stem else []


@lru_cache(maxsize=20_000)
def stem_token(word: str) -> str:
    """Return the token for the stem of a lower-case English word, "+cach" for "caching"; "" for other words."""
    if len(word) < MIN_STEMMED_CHARS or not (word.isascii() and word.isalpha()):
        return ""
    stem: str = Stemmer.Stemmer("english").stemWord(word)  # A new one each time, as they are not thread-safe.
    return STEM + stem


@lru_cache(maxsize=20_000)
def _other_stem(word: str) -> str:
    """Return the token for the stem of a word that is not its own stem, else ""."""
    stem = stem_token(word)
    return "" if stem == STEM + word else stem


def mention_text(text: str) -> str:
    """Return the text after each @ as stored in the index, where people may be mentioned."""
    return " ".join(
        f"{BARRIER} {_indexed(text[position : position + MAX_NAME_CHARS])}" for position in _mention_positions(text)
    )


def hosts_text(addresses: Iterable[str]) -> str:
    """Return the hosts of URLs as stored in the index: one token for each host and each parent domain.

    Every host search then uses a single token; a phrase would also scan the most frequent one (`com`).
    """
    return " ".join(dict.fromkeys(token for address in addresses for token in _host_tokens(_host(address))))


def host_needle(host: str) -> Needle:
    """Return the needle for a host and its subdomains."""
    return Needle(tuple(_host_tokens(host)[-1:]), prefix=False)


def fold(text: str) -> str:
    """Normalize to NFKC without accents.

    Case is kept, because it marks the parts of camelCase words.
    """
    if text.isascii():
        return text
    spread = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFKC", "".join(filter(_is_significant, spread)))


def runs(folded: str) -> Iterator[TokenRun]:
    """Yield the searchable runs of folded text in order."""
    for match in _RUN.finditer(folded):
        yield TokenRun(match.start(), match[0], match["cjk"] is not None)


def parts(run: TokenRun) -> list[TokenRun]:
    """Split camelCase: FlashAttention -> Flash, Attention; empty for words with one part."""
    if run.cjk or run.text.islower() or not _SEAM.search(run.text):
        return []
    seams = [0, *(seam.start() for seam in _SEAM.finditer(run.text)), len(run.text)]
    return [
        TokenRun(run.start + start, run.text[start:end], cjk=False)
        for start, end in pairwise(seams)
        if end - start >= MIN_PART_CHARS
    ]


def _indexed(text: str) -> str:
    return _cached_tokens(text) if len(text) <= SHORT_TEXT_CHARS else _tokens_of(text)


@lru_cache(maxsize=1_000)
def _cached_tokens(text: str) -> str:
    """Cached variant of `_tokens_of`: titles recur in notes, and topic names in all their papers."""
    return _tokens_of(text)


def _tokens_of(text: str) -> str:
    if text.isascii():
        return _tokens_of_ascii(text)
    words: list[str] = []
    part_words: list[str] = []
    for run in runs(fold(text)):
        words += run.tokens()
        part_words += [_word(part.text) for part in parts(run)]
    return " ".join([*words, BARRIER, *part_words] if part_words else words)


def _tokens_of_ascii(text: str) -> str:
    """Return what `_tokens_of` returns, in a fraction of the time: most texts are plain words."""
    # Twice as fast as the expression, for texts without C++ and C#.
    words = _ASCII_WORD.findall(text) if "+" in text or "#" in text else text.translate(_WITH_SPACES).split()
    if max(map(len, words), default=0) > MAX_WORD_CHARS:
        return " ".join([word[:MAX_WORD_CHARS] for word in _tokens_of_ascii_words(words).split(" ")])
    return _tokens_of_ascii_words(words)


def _tokens_of_ascii_words(words: Sequence[str]) -> str:
    text = " ".join(words)
    lower_words = text.lower()
    if not _HAS_SEAM.search(text):
        return lower_words
    joined_words = {word for word in set(words).difference(lower_words.split(" ")) if _part_words(word)}
    part_words = [part for word in words if word in joined_words for part in _part_words(word)]
    return " ".join([lower_words, BARRIER, *part_words]) if part_words else lower_words


@lru_cache(maxsize=1_000)
def _part_words(word: str) -> Sequence[str]:
    return tuple(_word(part.text) for part in parts(TokenRun(0, word, cjk=False)))


def _mention_positions(text: str) -> Iterator[int]:
    """Yield positions after each @ that is not part of a mail address."""
    for sign in _SIGN.finditer(text):
        previous = text[sign.start() - 1] if sign.start() else " "
        if not (previous.isascii() and previous.isalnum()):
            yield sign.end()


def _host(address: str) -> str:
    """Return the host of a URL, or ""."""
    match = _PLAIN_ADDRESS.match(address)
    if match:
        return match[1].removeprefix("www.")
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


@lru_cache(maxsize=1_000)
def _host_tokens(host: str) -> Sequence[str]:
    """Return tokens for a host and its parent domains, top-level domain first.

    No word has them: #com, #com#github …
    """
    labels = [label for label in host[-MAX_HOST_CHARS:].split(".") if label]
    names = accumulate(f"#{_NO_LABEL.sub('+', _word(fold(label)))}" for label in reversed(labels))
    return tuple(name[:MAX_HOST_CHARS] for name in names)  # Truncate again, because folding may expand characters.


def _word(text: str) -> str:
    return text.casefold()[:MAX_WORD_CHARS]


def _is_significant(character: str) -> bool:
    return character in _VOICED or unicodedata.category(character) != "Mn"
