"""Rules of the Markdown parser for references, which become links if their target is known.

`env["known"]` maps keys to targets; None leaves references as typed. `env["named"]` is a list to which the key of each
reference is appended.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from urllib.parse import quote, urlsplit

from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from readtrack.infra.i18n import gettext as _
from readtrack.markdown import reference_keys
from readtrack.markdown.mentions import plain_text_tokens
from readtrack.markdown.render_context import References, Target

_EXTERNAL = ("https://", "http://")


def read_brackets(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's calling convention
    """Parse `[[name]]` or `[[name|shown]]` into one token, whatever markup the name contains."""
    match = reference_keys.BRACKETS.match(state.src, state.pos, state.posMax)
    if match is None or not reference_keys.split_brackets(match[1])[0]:
        return False
    if not silent:
        token = state.push("reference", "", 0)
        token.content, token.meta = reference_keys.split_brackets(match[1])[1], {"typed": match[0]}
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
        if not key or next(self._count) > reference_keys.MAX_REFERENCES:
            return None
        self._named.append(key)
        return self._known.get(key) if self._known is not None else None

    def _brackets(self, token: Token) -> Iterator[Token]:
        name, label = reference_keys.split_brackets(token.meta["typed"][2:-2])
        key, before = reference_keys.key_of(name), len(self._named)
        target = self._target(key)
        if target is not None:
            yield from _link(target, target.title if label == name and key.startswith(reference_keys.BY_REF) else label)
        elif self._known is None or len(self._named) == before:
            yield _text(token.meta["typed"])
        else:
            yield from _add_link(name, label)

    def _link_words(self, token: Token) -> Iterator[Token]:
        end = 0
        for span in reference_keys.find_identifiers(token.content):
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
        target = self._target(reference_keys.key_of_address(href)) if href.lower().startswith(_EXTERNAL) else None
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
    title = _("Not here yet: add it")
    attributes: dict[str, str | int | float] = {"href": href, "class": "reference missing", "title": title}
    return Token("link_open", "a", 1, attrs=attributes), _text(label), Token("link_close", "a", -1)


def _external_link(href: str) -> tuple[Token, ...]:
    attributes: dict[str, str | int | float] = {"href": href, "class": "outward"}
    host = (urlsplit(href).hostname or href).removeprefix("www.")
    return Token("link_open", "a", 1, attrs=attributes), _text(host), Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
