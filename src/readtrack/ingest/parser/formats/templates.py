"""Code of a site around its content: template tags, style sheets and scripts."""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines
from readtrack.ingest.parser.reasons import STYLES, TEMPLATE_CODE

_TEMPLATE = re.compile(
    r"(?:\{%[^{}]{0,1000}%\}|\{\{[^{}]{0,1000}\}\}|\{:[^{}]{0,500}\}|\{#[^{}]{0,500}#\}|<%[^<>%]{0,1000}%>|\s){1,20}"
)
_RESTRUCTURED = re.compile(  # fields and directives of reStructuredText without content of their own
    r":(?:orphan|tocdepth|nocomments|nosearch|maxdepth|numbered|hidden|glob|titlesonly|local|depth|class|width|align):.{0,40}|"
    r"\.\.\s(?:toctree|contents|sectnum|index|highlight|only|raw|include|image|figure|role|default-role|sectionauthor|meta)::.{0,200}|"
    r"\.\.\s_[^:`]{1,100}:"
)
_HIDDEN = re.compile(r"\{%-?\s?(?:if\s+false|(?P<comment>comment))\s?-?%\}")  # Liquid's ways to leave lines out
_BLOCK = re.compile(r"<(?P<tag>style|script)\b", re.IGNORECASE)
_SELECTOR = re.compile(r"(?:@[a-z-]{1,30}[^{}]{0,200}|[.#*:\w][\w\s.,#>+~:()\[\]=\"'*-]{0,200}?)\s?\{")
_DECLARATION = re.compile(r"[a-z-]{2,40}\s?:\s?[^{}]{1,300};?|\}|/\*.{0,300}\*/")
_RULE = re.compile(r"[^{}]{1,200}\{(?:\s?[a-z-]{2,40}\s?:\s?[^{};]{1,200};?){1,20}\s?\}")
_MAX_RULE_LINES, _MAX_NESTING = 200, 3


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if hidden := _HIDDEN.match(text):
        count = _count_lines_to(page, start, "endcomment" if hidden["comment"] else "endif")
        if count:
            return skip_lines(page, start, start + count, TEMPLATE_CODE)
    if text.startswith(("{", "<%")):
        return skip_lines(page, start, start + 1, TEMPLATE_CODE) if _is_template(page, start) else None
    if text.startswith((":", "..")) and _RESTRUCTURED.fullmatch(text):
        return skip_lines(page, start, start + 1, TEMPLATE_CODE)
    if text.startswith("<"):
        count = _count_block_lines(page, start)
    else:
        count = _count_rule_lines(page, start) if "{" in text else 0
    return skip_lines(page, start, start + count, STYLES) if count else None


def _is_template(page: NoteDocument, index: int) -> bool:
    """Return True for a line of template tags. An address in one may be that of a paper."""
    return _TEMPLATE.fullmatch(page.text(index)) is not None and not page.links_at(index)


def _count_block_lines(page: NoteDocument, start: int) -> int:
    """Return the number of lines of a <style> or <script> up to its end tag, 0 if that is missing."""
    block = _BLOCK.match(page.text(start))
    return _count_lines_to(page, start, f"</{block['tag'].lower()}") if block else 0


def _count_lines_to(page: NoteDocument, start: int, end_tag: str) -> int:
    if end_tag in page.unclosed:
        return 0
    for index in range(start, len(page.lines)):
        if end_tag in page.text(index).lower():
            return index + 1 - start
    page.unclosed.add(end_tag)
    return 0


def _count_rule_lines(page: NoteDocument, start: int) -> int:
    """Return the number of lines of a rule of CSS, 0 if the lines are something else."""
    if _RULE.fullmatch(page.text(start)):
        return 1
    if not _SELECTOR.fullmatch(page.text(start)):
        return 0
    depth = 1
    for index in range(start + 1, min(start + _MAX_RULE_LINES, len(page.lines))):
        text = page.text(index)
        if text and not any(pattern.fullmatch(text) for pattern in (_DECLARATION, _SELECTOR, _RULE)):
            return 0
        depth += text.count("{") - text.count("}")
        if depth <= 0:
            return index + 1 - start
        if depth > _MAX_NESTING:
            return 0
    return 0


SHAPE = Shape("templates", 8, read)
