"""References in texts: `[[title]]`, `[[identifier|shown]]`, `arXiv:…`, DOIs and URLs, and the links they become.

The key of a reference is `name:` and the normalized name, or `ref:` and the identifier. The rules of the Markdown
parser make a link if the target is known: `env["known"]` maps keys to targets; None leaves references as typed.
`env["named"]` is a list to which the key of each reference is appended.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from readtrack.infra.i18n import gettext as _
from readtrack.infra.text import normalize
from readtrack.markdown.mentions import plain_text_tokens
from readtrack.markdown.render_context import References, Target
from readtrack.metadata import sources
from readtrack.metadata.types import Ref

MAX_REFERENCES = 200  # Maximum references per text.
MAX_KEY_CHARS = 300  # Characters in brackets.
MAX_COMPARED_CHARS = 500  # Maximum characters of a name, as in the comparison of titles.
BY_NAME, BY_REF = "name:", "ref:"
BRACKETS = re.compile(rf"\[\[(?!\^)([^\[\]\n]{{1,{MAX_KEY_CHARS}}})\]\]")
_WRITTEN = re.compile(
    r"(?<![A-Za-z0-9_/.:-])(?:"
    r"arxiv\s?[:：]\s?(?:[0-9]{4}\.[0-9]{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]{1,3})?(?![0-9])"
    r"|(?:doi\s?[:：]\s?)?10\.[0-9]{4,9}/[!-~]{1,300})",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://[^\s<>\"，。、；：！？（）「」『』【】]{1,2000}", re.IGNORECASE)
_MAY_NAME = re.compile(r"\[\[|://|arxiv\s?[:：]|10\.[0-9]{4,9}/", re.IGNORECASE)
_PROSE = ".,;:!?*~'\"/>"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_EXTERNAL = ("https://", "http://")


class ReferenceSpan(NamedTuple):
    """A reference and its position in a text."""

    start: int
    end: int
    key: str


def may_have_references(text: str) -> bool:
    """Return False if a text cannot contain references. A cheap prefilter."""
    return _MAY_NAME.search(text) is not None


def key_of(name: str) -> str:
    """Return the key for the text in brackets; "" if it is blank."""
    name = normalize.clean(name).strip()
    if ref := sources.parse_ref(name):
        return key_of_ref(ref)
    return key_of_name(name)


def key_of_name(name: str) -> str:
    """Return the key for a name, truncated to the compared length; "" if it is blank."""
    key = normalize.key(name)[:MAX_COMPARED_CHARS]
    return f"{BY_NAME}{key}" if key else ""


def key_of_ref(ref: Ref) -> str:
    return f"{BY_REF}{ref}"


def key_of_address(address: str) -> str:
    """Return the key for a URL; "" if it is no known identifier."""
    ref = sources.recognize(address)
    return key_of_ref(ref) if ref else ""


def split_brackets(content: str) -> tuple[str, str]:
    """Split `name|shown` into the reference and its display text."""
    name, _bar, label = content.partition("|")
    return name.strip(), label.strip() or name.strip()


def find_identifiers(text: str) -> Iterator[ReferenceSpan]:
    """Yield the identifiers in plain text."""
    for match in _WRITTEN.finditer(text):
        identifier = _strip_prose_end(match[0])
        if ref := sources.recognize(identifier):
            yield ReferenceSpan(match.start(), match.start() + len(identifier), key_of_ref(ref))


def find_reference_spans(text: str) -> Iterator[ReferenceSpan]:
    """Yield possible references in Markdown source, including code and links.

    For previews, not for linking.
    """
    spans = [
        *(
            ReferenceSpan(match.start(), match.end(), key_of(split_brackets(match[1])[0]))
            for match in islice(BRACKETS.finditer(text), MAX_REFERENCES)
        ),
        *islice(find_identifiers(text), MAX_REFERENCES),
        *(_at_address(match) for match in islice(_ADDRESS.finditer(text), MAX_REFERENCES)),
    ]
    return iter(sorted(span for span in spans if span.key))


def short_title(title: str) -> str:
    """Return the short name of a paper: its title up to the colon; "" if there is none."""
    name, colon, _rest = normalize.key(title).partition(":")
    return name.strip() if colon else ""


def _at_address(match: re.Match[str]) -> ReferenceSpan:
    address = _strip_prose_end(match[0])
    return ReferenceSpan(match.start(), match.start() + len(address), key_of_address(address))


def _strip_prose_end(text: str) -> str:
    """Remove trailing punctuation and unbalanced closing brackets."""
    text = text.rstrip(_PROSE)
    while text.endswith(tuple(_PAIRS)) and text.count(text[-1]) > text.count(_PAIRS[text[-1]]):
        text = text[:-1].rstrip(_PROSE)
    return text


def read_brackets(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's calling convention
    """Parse `[[name]]` or `[[name|shown]]` into one token, whatever markup the name contains."""
    match = BRACKETS.match(state.src, state.pos, state.posMax)
    if match is None or not split_brackets(match[1])[0]:
        return False
    if not silent:
        token = state.push("reference", "", 0)
        token.content, token.meta = split_brackets(match[1])[1], {"typed": match[0]}
    state.pos = match.end()
    return True


def link_references(state: StateCore) -> None:
    """Convert references to links: to existing targets, or from brackets to a page where they can be added."""
    rule = _ReferenceLinker(state.env.get("known"), state.env.get("named", []))
    for token in state.tokens:
        if token.children:
            token.children = list(rule.link_tokens(token.children))


class _ReferenceLinker:
    """Links the references of one text.

    `known` maps keys to targets; keys are appended to `named` in order.
    """

    def __init__(self, references: References | None, names: list[str]) -> None:
        self._known, self._named, self._count = references, names, count(1)

    def link_tokens(self, tokens: Sequence[Token]) -> Iterator[Token]:
        """Yield the tokens of one paragraph with references linked."""
        text_ids, index = {id(token) for token in plain_text_tokens(tokens)}, 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "reference":
                yield from self._brackets(token)
            elif id(token) in text_ids:
                yield from self._link_words(token)
            elif token.type == "link_open":
                end = _closing(tokens, index)
                yield from self._address(tokens[index : end + 1])
                index = end
            else:
                yield token
            index += 1

    def _target(self, key: str) -> Target | None:
        """Return the target of a key.

        Return None for unknown ones and beyond the maximum number of references.
        """
        if not key or next(self._count) > MAX_REFERENCES:
            return None
        self._named.append(key)
        return self._known.get(key) if self._known is not None else None

    def _brackets(self, token: Token) -> Iterator[Token]:
        name, label = split_brackets(token.meta["typed"][2:-2])
        key, before = key_of(name), len(self._named)
        target = self._target(key)
        if target is not None:
            yield from _link(target, target.title if label == name and key.startswith(BY_REF) else label)
        elif self._known is None or len(self._named) == before:
            yield _text(token.meta["typed"])
        else:
            yield from _add_link(name, label)

    def _link_words(self, token: Token) -> Iterator[Token]:
        end = 0
        for span in find_identifiers(token.content):
            target = self._target(span.key)
            if target is not None:
                yield _text(token.content[end : span.start])
                yield from _link(target, token.content[span.start : span.end])
                end = span.end
        yield _text(token.content[end:]) if end else token

    def _address(self, tokens: Sequence[Token]) -> Iterator[Token]:
        """Yield a link as written.

        If its target is a paper here, link to that instead and append a small external link.
        """
        href = str(tokens[0].attrs.get("href", ""))
        tokens[0].attrs.pop("title", None)  # Titles of links are generated, not taken from the text.
        parts = [_text(token.meta["typed"]) if token.type == "reference" else token for token in tokens]
        target = self._target(key_of_address(href)) if href.lower().startswith(_EXTERNAL) else None
        if target is None:
            yield from parts
            return
        opening, *label_tokens, closing = parts
        opening.attrs = {**_attributes(target)}
        yield opening
        yield from [_text(target.title)] if opening.info == "auto" else label_tokens
        yield from (closing, _text(" "), *_external_link(href))


def _closing(tokens: Sequence[Token], start: int) -> int:
    depth = 0
    for end in range(start, len(tokens)):
        depth += {"link_open": 1, "link_close": -1}.get(tokens[end].type, 0)
        if not depth:
            return end
    return len(tokens) - 1


def _link(target: Target, label: str) -> tuple[Token, ...]:
    return Token("link_open", "a", 1, attrs={**_attributes(target)}), _text(label), Token("link_close", "a", -1)


def _attributes(target: Target) -> dict[str, str | int | float]:
    return {"href": target.href, "class": "reference", "title": target.title}


def _add_link(name: str, label: str) -> tuple[Token, ...]:
    """Return a link to the form for adding a paper, with the name filled in."""
    href = f"/papers/new?text={quote(name, safe='')}"
    title = _("Add to library")
    attributes: dict[str, str | int | float] = {"href": href, "class": "reference missing", "title": title}
    return Token("link_open", "a", 1, attrs=attributes), _text(label), Token("link_close", "a", -1)


def _external_link(href: str) -> tuple[Token, ...]:
    attributes: dict[str, str | int | float] = {"href": href, "class": "outward"}
    host = (urlsplit(href).hostname or href).removeprefix("www.")
    return Token("link_open", "a", 1, attrs=attributes), _text(host), Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
