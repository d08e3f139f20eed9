"""Text that people write -> safe HTML (maths as MathML). Pure; the sanitiser has the last word."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from html import escape

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from math_core import LatexError, LatexToMathML
from mdit_py_cjk_friendly import cjk_friendly  # type: ignore[import-untyped]
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from readtrack import mentions
from readtrack.around import Around
from readtrack.errors import TooLarge
from readtrack.languages import current
from readtrack.languages import gettext as _

MAX_BYTES = 100_000
MAX_FORMULA = 2_000  # characters of source
MAX_MATHML = 100_000  # characters of result: macros may multiply
MAX_MATHML_DEPTH = 100  # browsers stop nesting at about 500 elements
MAX_BRACKETS = 5_000  # each may start a search to the end of the text
MAX_MARKS = 3_000  # of emphasis and of addresses in one paragraph: matching them is quadratic
MAX_DEFINITIONS = 200_000  # lines that may define a link, times the lines of their paragraph
HEADING_SHIFT = 2  # the page has its own h1 and the section its h2


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MATHML = _names(
    "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace "
    "msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover"
)
_HTML = _names(
    "a blockquote br code del div em h3 h4 h5 h6 hr li ol p pre s section span strong sub sup "
    "table tbody td th thead tr ul"
)
_MATH_ATTRIBUTES = _names(
    "accent accentunder columnspan depth display displaystyle fence form height largeop linethickness lspace "
    "mathvariant maxsize minsize movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric "
    "voffset width"
)
_ALIGNED = {"align-left", "align-center", "align-right"}
_CLASSES = {
    "a": {"mention"},
    "div": {"math"},
    "span": {"math"},
    "code": {"math-error"},
    "section": {"footnotes"},
    "sup": {"footnote-ref"},
    "li": {"footnote-item", "task"},
    "td": _ALIGNED,
    "th": _ALIGNED,
    "mtd": _ALIGNED,
}
_ATTRIBUTES: dict[str, set[str]] = {
    **{tag: set(_MATH_ATTRIBUTES) for tag in _MATHML},
    "math": {*_MATH_ATTRIBUTES, "tabindex"},
    "*": set(),
    "a": {"href", "id"},
    "code": {"title"},
    "li": {"id"},
    "ol": {"start"},
}
_ADDRESS = re.compile(r"(?:https?://[^/\\\s]|mailto:[^/\\\s])", re.IGNORECASE)
_PERSON = re.compile(r"/people/[0-9]{1,18}")  # what a mention leads to; no text can say it otherwise
_FOOTNOTE = re.compile(r"fn(?:ref)?-[0-9a-f]{12}-\d+(?::\d+)?")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_MARKS = ("*", "_", "~", "://")
_DEFINITION = re.compile(r"^[ \t>]*\[", re.MULTILINE)
_TAG = re.compile(r"<(/?)m[a-z]+(?![a-z])[^<>]*?(/?)>")
_CELL_STYLE = re.compile(r'<mtd style="text-align: (left|right|center);[^"]*"')
_IN_DOLLARS = re.compile(r"(\$(?![\s$])[^$]*(?<![\s\\])\$(?!\d))")
_TASK = re.compile(r"\[([ xX])\] ")
_ERROR_AT = re.compile(r"^(\d+): ")


def render(text: str, around: Around | None = None) -> str:
    """Safe HTML. Raises TooLarge for more than 100 kB; a text made of marks beyond all measure is shown as typed.

    Where one of the people `around` is mentioned, there is a link to them.
    """
    people = around.people if around else {}
    named = tuple(sorted(people.items())) if "@" in text or "＠" in text else ()
    return _rendered(_checked(text), named, current())


def spoken(text: str) -> list[str]:
    """The plain words of a text, piece by piece: what is neither code nor a formula nor a link."""
    checked = _checked(text)
    tokens = [] if _is_tangled(checked) else _MARKDOWN.parse(checked)
    return [piece.content for token in tokens for piece in mentions.plain(token.children or ())]


def _checked(text: str) -> str:
    """The text with one kind of line end, and without half characters that no encoding can carry."""
    octets = text.encode("utf-8", "replace")
    if len(octets) > MAX_BYTES:
        raise TooLarge(
            _(
                "The text has {count:,} bytes; {max_bytes:,} is the most for one text. Nothing was changed: "
                "divide it into several texts."
            ).format(count=len(octets), max_bytes=MAX_BYTES)
        )
    return octets.decode().replace("\r\n", "\n").replace("\r", "\n")


def _is_tangled(text: str) -> bool:
    """Whether formatting could take longer than a person waits: some rules of Markdown are quadratic."""
    if text.count("[") > MAX_BRACKETS:
        return True
    paragraphs = [paragraph for paragraph in _BLANK_LINE.split(text) if paragraph]
    if any(sum(map(paragraph.count, _MARKS)) > MAX_MARKS for paragraph in paragraphs):
        return True
    return sum(map(_definition_cost, paragraphs)) > MAX_DEFINITIONS


def _definition_cost(paragraph: str) -> int:
    return len(_DEFINITION.findall(paragraph)) * (paragraph.count("\n") + 1)


@lru_cache(maxsize=256)
def _rendered(text: str, people: tuple[tuple[str, int], ...], _language: str) -> str:
    """`_language` is only remembered: what is said of a formula that cannot be shown is said in it."""
    if _is_tangled(text):
        return sanitise(f"<pre>{escape(text)}</pre>")
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return sanitise(_MARKDOWN.render(text, {"docId": digest, "people": dict(people)}))


@lru_cache(maxsize=256)
def render_title(title: str) -> str:
    """Safe HTML of a line of plain text: formulas between dollars as MathML; all else, prices too, as typed."""
    if len(title) > MAX_FORMULA:
        return sanitise(escape(title))
    return sanitise("".join(map(_title_part, _IN_DOLLARS.split(title))))


def _title_part(part: str) -> str:
    if _IN_DOLLARS.fullmatch(part) and not (found := formula(part[1:-1], display=False)).startswith("<code"):
        return found
    return escape(part)


def sanitise(html: str) -> str:
    """Only what is listed above remains; running it again changes nothing."""
    return _CLEANER.clean(html)


def _keep_attribute(_tag: str, name: str, value: str) -> str | None:
    if name == "id":
        return value if _FOOTNOTE.fullmatch(value) else None
    if name == "tabindex":
        return value if value == "0" else None
    if name == "href":
        return value if _ADDRESS.match(value) or _is_own_link(value) else None
    return value


def _is_own_link(address: str) -> bool:
    """To a footnote of the same text, or to somebody who is mentioned."""
    footnote = address.startswith("#") and _FOOTNOTE.fullmatch(address[1:]) is not None
    return footnote or _PERSON.fullmatch(address) is not None


_CLEANER = nh3.Cleaner(
    tags=_HTML | _MATHML,
    attributes=_ATTRIBUTES,
    attribute_filter=_keep_attribute,
    allowed_classes=_CLASSES,
    set_tag_attribute_values={"table": {"tabindex": "0"}},  # it scrolls where it is too wide, by keys too
    url_schemes={"http", "https", "mailto"},
    url_relative=lambda address: address if _is_own_link(address) else None,
    link_rel="noopener noreferrer nofollow ugc",
)

_MATH = LatexToMathML(fancy_error=False, max_expansions=100)


def formula(source: str, *, display: bool) -> str:
    """MathML of one formula, or its source marked as an error whose title says what is wrong."""
    if len(source) > MAX_FORMULA:
        return _math_error(
            source,
            _("A formula may have {max_formula:,} characters; this one has {count:,}.").format(
                max_formula=MAX_FORMULA, count=len(source)
            ),
        )
    try:
        mathml = _MATH.convert_with_local_state(source, displaystyle=display)
    except LatexError as error:
        return _math_error(source, _ERROR_AT.sub(_position, str(error)))
    if len(mathml) > MAX_MATHML or _depth(mathml) > MAX_MATHML_DEPTH:
        return _math_error(source, _("This formula is nested too deeply or grows too large; divide it."))
    reached = mathml.replace('<math display="block"', '<math display="block" tabindex="0"', 1)  # it may scroll
    return _CELL_STYLE.sub(r'<mtd class="align-\1"', reached)


def _position(found: re.Match[str]) -> str:
    return f"At character {int(found[1]) + 1}: "


def _math_error(source: str, reason: str) -> str:
    return f'<code class="math-error" title="{escape(reason)}">{escape(source)}</code>'


def _depth(mathml: str) -> int:
    depth = deepest = 0
    for closing, alone in _TAG.findall(mathml):
        depth += -1 if closing else 0 if alone else 1
        deepest = max(deepest, depth)
    return deepest


def _math_rule(name: str, frame: str) -> Callable[..., str]:
    def rule(_renderer: object, tokens: Sequence[Token], index: int, *_rest: object) -> str:
        return frame.format(formula(tokens[index].content.strip(), display=name != "math_inline"))

    return rule


def _tame(state: StateCore) -> None:
    """Headings below the page's own, column alignment as a class, no images, ticks instead of form controls."""
    before: list[Token] = []
    for token in state.tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1]) + HEADING_SHIFT)}"
        elif token.type == "fence":
            token.info = ""  # the language would become a class
        if style := token.attrs.pop("style", None):
            token.attrs["class"] = str(style).replace("text-align:", "align-")
        if token.children:
            _tick(before, token.children[0])
            token.children = list(_without_images(token.children))
        before = [*before[-1:], token]


def _tick(before: Sequence[Token], text: Token) -> None:
    """`- [ ] todo` and `- [x] done`: a sign, because a form control that nobody can use helps nobody."""
    if [token.type for token in before] != ["list_item_open", "paragraph_open"]:
        return
    if found := _TASK.match(text.content):
        text.content = ("☐ " if found[1] == " " else "☑ ") + text.content[found.end() :]
        before[0].attrs["class"] = "task"


def _without_images(tokens: Sequence[Token]) -> Iterator[Token]:
    in_link = False
    for token in tokens:
        if token.type in {"link_open", "link_close"}:
            in_link = token.type == "link_open"
        if token.type == "image":
            yield from _image_as_link(token, in_link=in_link)
        else:
            yield token


def _image_as_link(image: Token, *, in_link: bool) -> Iterator[Token]:
    """Showing an image would tell its host who reads; so readers decide themselves."""
    address = str(image.attrs["src"])
    label = _text(_joined(image.children or []) or address)
    if in_link:
        yield label
        return
    yield Token("link_open", "a", 1, attrs={"href": address})
    yield label
    yield Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _joined(tokens: Sequence[Token]) -> str:
    return "".join(" " if token.type in {"softbreak", "hardbreak"} else token.content for token in tokens)


def _is_address(address: str) -> bool:
    return _ADDRESS.match(address) is not None


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": True, "maxNesting": 20})
    parser.enable(["linkify", "table", "strikethrough"])
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, allow_labels=False, double_inline=True)
    parser.use(footnote_plugin).use(cjk_friendly)
    parser.core.ruler.push("tame", _tame)
    parser.core.ruler.push("people", mentions.link_people)
    for name, frame in _MATH_FRAMES.items():
        parser.add_render_rule(name, _math_rule(name, frame))
    setattr(parser, "validateLink", _is_address)  # noqa: B010 - the documented way; what it refuses stays text
    _link_full_addresses_only(parser)
    return parser


def _link_full_addresses_only(parser: MarkdownIt) -> None:
    """Without this "README.md" and "a@b" become links."""
    if parser.linkify is None:
        raise RuntimeError("linkify-it-py is not installed; install readtrack with all its requirements.")
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    for schema in ("ftp:", "//"):
        parser.linkify.add(schema, None)


_MATH_FRAMES = {
    "math_inline": "{}",
    "math_inline_double": '<span class="math">{}</span>',  # inside a paragraph, where a div may not stand
    "math_block": '<div class="math">{}</div>\n',
}
_MARKDOWN = _parser()
