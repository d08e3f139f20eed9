"""Syntax highlighting of code blocks, with limits on languages, size and time."""

import time
from collections.abc import Iterator
from functools import cache, lru_cache
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Any

from pygments.lexer import Lexer  # type: ignore[import-untyped]
from pygments.lexers import find_lexer_class_by_name  # type: ignore[import-untyped]
from pygments.token import (  # type: ignore[import-untyped]
    Comment,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    String,
    Token,
)
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

MAX_CODE_CHARS = 20_000  # Maximum characters of a highlighted block.
MAX_LINE_CHARS = 1_000
MAX_SECONDS = 0.1  # CPU seconds per block, as some lexers are slow on unexpected input.
_PALETTE = {  # CSS class by token type; types without one inherit from their parent, others have the text color.
    Comment: "hl-comment",
    Comment.Preproc: "hl-meta",
    Comment.PreprocFile: "hl-string",
    Keyword: "hl-keyword",
    Keyword.Type: "hl-type",
    Keyword.Constant: "hl-number",
    Operator.Word: "hl-keyword",
    Literal: "hl-number",
    Number: "hl-number",
    String: "hl-string",
    String.Escape: "hl-number",
    String.Interpol: "hl-number",
    Name.Function: "hl-name",
    Name.Class: "hl-name",
    Name.Namespace: "hl-name",
    Name.Tag: "hl-keyword",
    Name.Attribute: "hl-name",
    Name.Builtin: "hl-type",
    Name.Exception: "hl-type",
    Name.Decorator: "hl-meta",
    Name.Constant: "hl-number",
    Generic.Deleted: "hl-gone",
    Generic.Inserted: "hl-new",
    Generic.Heading: "hl-meta",
    Generic.Subheading: "hl-meta",
    Generic.Prompt: "hl-meta",
    Generic.Output: "hl-comment",
}
COLOURS = frozenset(_PALETTE.values())
_LANGUAGES = frozenset(  # One alias per language; an explicit list, because every lexer is third-party code.
    """
    awk bash bat bibtex c clojure cmake common-lisp console cpp csharp css cuda dart diff docker elixir erlang fortran
    go graphql haskell html ini java javascript json json5 julia kotlin latex lean llvm lua make markdown nasm
    nginx nix objective-c ocaml perl php powershell protobuf pycon python r ruby rust scala scheme sql swift toml tsx
    typescript verilog vhdl xml yaml zig
    """.split()  # noqa: SIM905 - a list of words
)


def highlight_code(source: str, language: str) -> str:
    """Return escaped HTML with highlighted tokens.

    Plain if the code is too long, too slow or in an unknown language.
    """
    lexer = _lexer(language.strip().lower()) if language and _is_short_enough(source) else None
    if lexer is None:
        return escape(source)
    tokens = list(_color_tokens(lexer, source))
    if "".join(part for _, part in tokens) != source:  # Time limit reached, or the lexer dropped text.
        return escape(source)
    spans = ((colour, "".join(map(itemgetter(1), run))) for colour, run in groupby(tokens, itemgetter(0)))
    return "".join(
        f'<span class="{colour}">{escape(text)}</span>' if colour else escape(text) for colour, text in spans
    )


def _is_short_enough(source: str) -> bool:
    return len(source) <= MAX_CODE_CHARS and all(len(line) <= MAX_LINE_CHARS for line in source.split("\n"))


@lru_cache(maxsize=64)
def _lexer(name: str) -> Lexer | None:
    """Return the lexer for any of Pygments's aliases if the language is on our list."""
    try:
        lexer_class = find_lexer_class_by_name(name)
    except ClassNotFound:
        return None
    return lexer_class() if _LANGUAGES.intersection(lexer_class.aliases) else None


def _color_tokens(lexer: Lexer, source: str) -> Iterator[tuple[str, str]]:
    """Yield tokens with their classes until the time limit."""
    deadline = time.thread_time() + MAX_SECONDS
    for _, kind, text in lexer.get_tokens_unprocessed(source):
        yield _color_of(kind), text
        if time.thread_time() > deadline:
            return


@cache
def _color_of(kind: Any) -> str:  # noqa: ANN401 - a type of token
    """Return the class of the nearest ancestor type that has one."""
    while kind is not Token:
        if colour := _PALETTE.get(kind):
            return colour
        kind = kind.parent
    return ""
