"""Conversion of HTML, JATS and MathML in titles and abstracts to text.

Structured formulas become TeX in dollars.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


_MAX_CHARS = 100_000
_INLINE = (
    "a|abbr|acronym|b|big|cite|code|del|dfn|em|emph|font|i|ins|italic|kbd|mark|mono|monospace|named-content|nobr|q|roman|"
    "s|sc|scp|small|span|strike|strong|styled-content|sub|sup|tt|u|underline|var|wbr|bold|ext-link|xref|uri|email|"
    "inline-formula|tex-math|alternatives|inline-graphic|bdi|bdo|ruby|rb|rt|rp|time"
)
_BLOCK = (
    "p|br|div|li|ul|ol|dl|dt|dd|h[1-6]|hr|table|tr|td|th|tbody|thead|blockquote|pre|sec|title|list|list-item|label|"
    "section|article|header|footer|abstract|disp-formula|caption|figure|center|body|html|main|summary|disp-quote|break"
)
_NAME = r"(?:jats:|xhtml:|html:)?"
_REST = r"(?:\s[^<>]{0,1000})?/?>"
_WHOLE = re.compile(
    r"<(?:!--|((?:[a-z]{1,8}:)?(math|tex-math|alternatives|script|style|email))(?:\s[^<>]{0,1000})?>)", re.IGNORECASE
)
_HEADING = re.compile(
    rf"<{_NAME}(title|h[1-6]|b|strong|p)\b[^<>]{{0,500}}>\s{{0,9}}(?:abstract|summary|résumé|resumen|zusammenfassung)"
    rf"[.:]?\s{{0,9}}</{_NAME}\1>",
    re.IGNORECASE,
)
_SCRIPT = re.compile(rf"<{_NAME}(su[bp]){_REST}([^<>]{{1,40}})</{_NAME}\1>", re.IGNORECASE)
_INLINE_TAG = re.compile(rf"</?{_NAME}(?:{_INLINE}){_REST}", re.IGNORECASE)
_BLOCK_TAG = re.compile(rf"</?{_NAME}(?:{_BLOCK}){_REST}", re.IGNORECASE)
_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def strip_markup(text: str) -> str:
    """Remove tags, decode entities and collapse white space.

    Text that only resembles a tag, e.g. `vector<T>`, is kept.
    """
    text = _without_tags(text[:_MAX_CHARS])
    for _ in range(2):  # Some services escape twice.
        decoded = html.unescape(text)
        if decoded == text:
            break
        text = _without_tags(decoded)
    return " ".join(text.split())


def _without_tags(text: str) -> str:
    if "<" not in text or ">" not in text:
        return text
    text = _SCRIPT.sub(_to_script, _without_elements(_HEADING.sub(" ", text)))
    return _INLINE_TAG.sub("", _BLOCK_TAG.sub(" ", text))


def _without_elements(text: str) -> str:
    """Replace formulas and remove elements whose content must not appear.

    Runs in linear time on any input.
    """
    parts, position, unclosed = [], 0, set[str]()
    for match in _WHOLE.finditer(text):
        end_tag = f"</{match[1]}>" if match[1] else "-->"
        if match.start() < position or end_tag in unclosed:
            continue
        end = text.find(end_tag, match.end())
        if end < 0:
            unclosed.add(end_tag)
            continue
        parts += [text[position : match.start()], _replace_element(match, text[match.end() : end])]
        position = end + len(end_tag)
    return "".join([*parts, text[position:]])


def _replace_element(match: re.Match[str], content: str) -> str:
    name = (match[2] or "").lower()
    if name == "tex-math":
        return _between_dollars(content)
    if name == "math":
        return _formula(f"{match[0]}{content}</{match[1]}>")
    return _one_form(content) if name == "alternatives" else " "


def _one_form(content: str) -> str:
    """Return the TeX of a formula that is given in several forms, as its author wrote it."""
    tex = next((match for match in _WHOLE.finditer(content) if match[2] == "tex-math"), None)
    return _without_elements(
        content if tex is None else content[tex.start() :].partition(f"</{tex[1]}>")[0] + f"</{tex[1]}>"
    )


def _between_dollars(tex: str) -> str:
    """Wrap TeX in dollars. Springer's TeX is a complete document around the formula."""
    document = tex.partition(r"\begin{document}")[2].partition(r"\end{document}")[0] or tex
    formula = " ".join(html.unescape(document).strip().strip("$").split())
    return f"${formula}$" if formula else ""


def _to_script(match: re.Match[str]) -> str:
    """Convert subscripts and superscripts to Unicode: CO₂, 10⁵.

    Letters without such a form stay, as in 5th.
    """
    alphabet = _LOWERED if match[1].lower() == "sub" else _RAISED
    content = html.unescape(match[2]).strip()
    return content.translate(alphabet) if all(ord(char) in alphabet for char in content) else content


def _formula(mathml: str) -> str:
    """Convert MathML to TeX if it has structure, else to plain letters: `O(n)`."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False)
    escaped = re.sub(r"&(?!(?:amp|lt|gt|quot|apos|#\w{1,8});)", "&amp;", _entities(mathml))
    try:
        root = etree.fromstring(re.sub(r"(</?)[a-zA-Z]{1,5}:", r"\1", escaped).encode(), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        return re.sub(r"<[^<>]{0,1000}>", "", mathml)
    annotation = root.find(".//{*}annotation[@encoding='application/x-tex']")
    if annotation is not None and (annotation.text or "").strip():
        return _between_dollars(annotation.text or "")
    tex = " ".join(_tex(root).split())
    return f"${tex}$" if re.search(r"[\\^_]", tex) else tex


def _entities(text: str) -> str:
    """Decode named HTML entities except those of XML."""
    return re.sub(r"&(?!amp;|lt;|gt;|quot;|apos;)[A-Za-z]{2,30};", lambda found: html.unescape(found[0]), text)


_MAX_NESTING = 50


def _tex(node: Element, depth: int = 0) -> str:
    from lxml import etree

    name = etree.QName(node).localname if isinstance(node.tag, str) else ""
    if not name or depth > _MAX_NESTING or name in {"annotation", "annotation-xml"}:
        return ""
    parts = [_tex(child, depth + 1) for child in node]
    if build := _FORMS.get((name, len(parts))):
        return build(*parts)
    if name == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    if parts:
        return "".join(parts)
    return _letters(name, " ".join((node.text or "").split()))


def _letters(name: str, text: str) -> str:
    r"""Escape TeX's special characters and keep a multi-letter name together with \mathrm."""
    escaped = re.sub(r"([%#&_{}$])", r"\\\1", text)
    if name in {"mtext", "ms"}:
        return rf" {escaped} "
    return rf"\mathrm{{{escaped}}}" if name == "mi" and len(text) > 1 and text.isascii() else escaped


_FORMS: dict[tuple[str, int], Callable[..., str]] = {
    ("msup", 2): lambda base, up: f"{base}^{{{up}}}",
    ("msub", 2): lambda base, low: f"{base}_{{{low}}}",
    ("msubsup", 3): lambda base, low, up: f"{base}_{{{low}}}^{{{up}}}",
    ("munder", 2): lambda base, low: f"{base}_{{{low}}}",
    ("mover", 2): lambda base, over: rf"\overset{{{over}}}{{{base}}}",
    ("munderover", 3): lambda base, low, up: f"{base}_{{{low}}}^{{{up}}}",
    ("mfrac", 2): lambda above, below: rf"\frac{{{above}}}{{{below}}}",
    ("mroot", 2): lambda inner, degree: rf"\sqrt[{degree}]{{{inner}}}",
}
