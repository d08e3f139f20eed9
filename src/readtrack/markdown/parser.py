"""Configuration of the Markdown parser: enabled rules, and adaptation of their tokens."""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_cjk_friendly import cjk_friendly  # type: ignore[import-untyped]
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from readtrack.markdown import mentions, references
from readtrack.markdown.budget import STEP_OF_RESULT
from readtrack.markdown.code_highlight import highlight_code
from readtrack.markdown.math import render_formula
from readtrack.markdown.sanitize import image_size, is_allowed_address

HEADING_SHIFT = 2  # The page has an h1 and the section an h2.
_TASK = re.compile(r"\[([ xX])\] ")
_MATH_FRAMES = {
    "math_inline": "{}",
    "math_inline_double": '<span class="math">{}</span>',  # Inside a paragraph, which cannot contain a div.
    "math_block": '<div class="math">{}</div>\n',
}


def make_parser() -> MarkdownIt:
    """Build a parser.

    Its `env` must contain `work`, and may contain `docId`, `people`, `macros`, `known` and `named`.
    """
    parser = MarkdownIt("commonmark", {"html": False, "linkify": True, "maxNesting": 20})
    parser.enable(["linkify", "table", "strikethrough"])
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, allow_labels=False, double_inline=True)
    parser.use(footnote_plugin).use(cjk_friendly)
    parser.block.ruler.before("table", "work", _count)
    parser.inline.ruler.before("text", "work", _count)
    parser.core.ruler.push("tame", _adapt_tokens)
    parser.core.ruler.push("people", mentions.link_people)
    parser.inline.ruler.before("link", "brackets", references.read_brackets)
    parser.core.ruler.push("references", references.link_references)
    for name, frame in _MATH_FRAMES.items():
        parser.add_render_rule(name, _math_rule(name, frame))
    parser.add_render_rule("fence", _listing)
    parser.add_render_rule("image", _image)
    setattr(parser, "validateLink", is_allowed_address)  # noqa: B010 - the documented way; refused URLs stay text
    _link_full_addresses_only(parser)
    return parser


def _count(state: Any, *_rest: object) -> bool:  # noqa: ANN401 - block or inline state
    """Count an invocation of the rules.

    Registered as the first rule everywhere and never matches.
    """
    state.env["work"].step()
    return False


def _math_rule(name: str, frame: str) -> Callable[..., str]:
    def rule(_renderer: object, tokens: Sequence[Token], index: int, *rest: Any) -> str:  # noqa: ANN401 - options, env
        env, source = rest[1], tokens[index].content.strip()
        html = render_formula(source, display=name != "math_inline", macros=env.get("macros", ()))
        env["work"].step(1 + len(html) // STEP_OF_RESULT)
        return frame.format(html)

    return rule


def _listing(_renderer: object, tokens: Sequence[Token], index: int, *rest: Any) -> str:  # noqa: ANN401 - options, env
    """Render a code block; its language is the first word after the backticks."""
    source, info = tokens[index].content, tokens[index].info.split(maxsplit=1)
    html = highlight_code(source, info[0] if info else "")
    rest[1]["work"].step(1 + len(html) // STEP_OF_RESULT)
    return f"<pre><code>{html}</code></pre>\n"


def _image(_renderer: object, tokens: Sequence[Token], index: int, *_rest: object) -> str:
    """Render an uploaded image; external images were replaced before."""
    address, label = str(tokens[index].attrs["src"]), _join_contents(tokens[index].children or [])
    width, height = image_size(address) or ("", "")
    size = f'width="{width}" height="{height}"'
    return f'<img src="{escape(address)}" alt="{escape(label)}" {size} loading="lazy">'


def _adapt_tokens(state: StateCore) -> None:
    """Shift headings, express column alignment as a class, and replace external images and task checkboxes."""
    before: list[Token] = []
    for token in state.tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1]) + HEADING_SHIFT)}"
        if style := token.attrs.pop("style", None):
            token.attrs["class"] = str(style).replace("text-align:", "align-")
        if token.children:
            _tick(before, token.children[0])
            token.children = list(_without_images_of_others(token.children))
        before = [*before[-1:], token]


def _tick(before: Sequence[Token], text: Token) -> None:
    """Replace `- [ ] todo` and `- [x] done` by symbols, because disabled checkboxes would serve no purpose."""
    if [token.type for token in before] != ["list_item_open", "paragraph_open"]:
        return
    if match := _TASK.match(text.content):
        text.content = ("☐ " if match[1] == " " else "☑ ") + text.content[match.end() :]
        before[0].attrs["class"] = "task"


def _without_images_of_others(tokens: Sequence[Token]) -> Iterator[Token]:
    in_link = False
    for token in tokens:
        if token.type in {"link_open", "link_close"}:
            in_link = token.type == "link_open"
        if token.type == "image" and image_size(str(token.attrs["src"])) is None:
            yield from _image_as_link(token, in_link=in_link)
        else:
            yield token


def _image_as_link(image: Token, *, in_link: bool) -> Iterator[Token]:
    """Replace an external image by a link, because loading it would reveal the reader to its host."""
    address = str(image.attrs["src"])
    label = _text(_join_contents(image.children or []) or address)
    if in_link:
        yield label
        return
    yield Token("link_open", "a", 1, attrs={"href": address})
    yield label
    yield Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _join_contents(tokens: Sequence[Token]) -> str:
    return "".join(" " if token.type in {"softbreak", "hardbreak"} else token.content for token in tokens)


def _link_full_addresses_only(parser: MarkdownIt) -> None:
    """Disable automatic links without a scheme, which would turn "README.md" and "a@b" into links."""
    if parser.linkify is None:
        raise RuntimeError("linkify-it-py is not installed; install readtrack with all its requirements.")
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    for schema in ("ftp:", "//"):
        parser.linkify.add(schema, None)
