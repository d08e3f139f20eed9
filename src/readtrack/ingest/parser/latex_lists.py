r"""Lists and headings in LaTeX as those of Markdown: `\item \textit{The Title} \cite{key}` as `- *The Title*`."""

import re
from collections.abc import Sequence

from readtrack.ingest.parser.reasons import LATEX_MARKUP
from readtrack.metadata.parsing.latex import decode_latex

_ITEM = re.compile(r"\\item\b(?:\[[^\[\]]{0,40}\])?\s*")
_STYLE = re.compile(
    r"^\\(?P<name>textit|emph|textsl|textbf)\{(?P<text>(?:[^{}]|\{[^{}]{0,100}\}){4,500})\}(?!\s?[:：])"
)
_CITE_LAST = re.compile(r"(?<=\S)[\s~]?\\cite[a-z]{0,8}\*?(?:\[[^\[\]]{0,100}\]){0,2}\{[^{}]{1,300}\}\.?$")
_HEADING = re.compile(
    r"\\(?P<command>chapter|(?:sub){0,2}section)\*?\{(?P<name>(?:[^{}]|\{[^{}]{0,100}\}){2,200})\}"
    r"(?:\s?\\label\{[^{}]{0,200}\})?\}?\s*"
)
_LEVELS = {"chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4}
_COMPLETE = (".", "}", "]", "\\\\")
_BREAK_LAST = re.compile(r"\s*\\\\\s*$")
_LINK = re.compile(r"(\\(?:href|url)\s?\{[^{}]{1,2000}\}(?:\s?\{[^{}]{0,300}\})?)")
_ITALIC = re.compile(r"\\(?:textit|emph|textsl)\{(?P<words>(?:[^{}]|\{[^{}]{0,100}\}){1,500})\}")
_QUOTED = re.compile(r"``(?P<words>[^`\"”]{2,500}?)(?:''|\"|”)")
_NO_PART = re.compile(r"\\(?!(?:textit|emph|textsl|textbf|href|url)\{)|(?:I|We|It|This|My)\s")  # commands and remarks
_MAX_LINES = 5  # of an item below its mark


def has_items(texts: Sequence[str]) -> bool:
    return any(text.startswith("\\item") for text in texts)


def convert_items(texts: list[str]) -> frozenset[int]:
    r"""Convert the items, also those whose text is below a bare `\item`. Return the indexes of lines joined to one."""
    joined: set[int] = set()
    for index, text in enumerate(texts):
        if not text.startswith("\\item"):
            continue
        words = _ITEM.sub("", text)
        below = range(index + 1, _end_of_item(texts, index)) if not words.endswith(_COMPLETE) else range(0)
        for line in below:
            words = f"{words} {texts[line]}".lstrip()
            texts[line] = ""
        joined.update(below)
        texts[index] = f"- {words if '$' in words else _read_words(words)}"
    return frozenset(joined)


def convert_headings(texts: list[str]) -> frozenset[int]:
    r"""Convert `\section{Name}`, perhaps over two lines, to `## Name`, and lines in bold or italics.

    Return the indexes of lines joined to one.
    """
    joined: set[int] = set()
    for index, text in enumerate(texts):
        if styled := _STYLE.fullmatch(text):
            texts[index] = _emphasize(styled)
        if not text.startswith(("\\section", "\\sub", "\\chapter")):
            continue
        is_open = text.count("{") > text.count("}") and index + 1 < len(texts)
        heading = _HEADING.fullmatch(f"{text} {texts[index + 1]}" if is_open else text)
        if heading is None or _LINK.search(heading["name"]):
            continue
        texts[index] = f"{'#' * _LEVELS[heading['command']]} {_decode_words(heading['name'])}"
        if is_open:
            texts[index + 1] = ""
            joined.add(index + 1)
    return frozenset(joined)


def _read_words(words: str) -> str:
    r"""Return the words in Markdown. A sentence with citations in it, `We follow \cite{key} here`, stays as it is."""
    styled = _CITE_LAST.sub("", _STYLE.sub(_emphasize, words))
    return words if "\\cite" in styled else _decode(styled)


def _decode(words: str) -> str:
    """Return the words of an item with Markdown's italics and Unicode for LaTeX; links stay as they are."""
    parts = _LINK.split(_BREAK_LAST.sub("", words))
    return "".join(part if number % 2 else _decode_words(part) for number, part in enumerate(parts)).strip()


def _decode_words(text: str) -> str:
    if "\\" not in text and "{" not in text and "``" not in text:
        return text
    text = _QUOTED.sub(r"“\g<words>”", _ITALIC.sub(r"*\g<words>*", text))
    before, after = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' * before}{decode_latex(text, lone_braces=False)}{' ' * after}"


def _end_of_item(texts: Sequence[str], start: int) -> int:
    """Return the index after the lines of text below a bare mark: `start` + 1 if there are none."""
    end = start + 1
    while end < min(len(texts), start + 1 + _MAX_LINES) and texts[end] and not _NO_PART.match(texts[end]):
        end += 1
    return end if end == len(texts) or not texts[end].startswith("\\newblock") else start + 1


def hide_comments(texts: list[str]) -> dict[int, str]:
    """Remove lines that are comments in a document, and return the reasons. What has an address may be for readers."""
    if not any(text.startswith("\\begin{") for text in texts):
        return {}
    found = [index for index, text in enumerate(texts) if text.startswith("%") and "://" not in text]
    for index in found:
        texts[index] = ""
    return dict.fromkeys(found, LATEX_MARKUP)


def _emphasize(match: re.Match[str]) -> str:
    mark = "**" if match["name"] == "textbf" else "*"
    return f"{mark}{match['text'].strip()}{mark}"
