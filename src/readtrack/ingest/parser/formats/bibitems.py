r"""References in LaTeX, as BibTeX writes them in .bbl files: `\bibitem[label]{key} Authors. \newblock Title. …`."""

import re
from collections.abc import Sequence

from readtrack.ingest.parser.bibliography.work import BibliographyWork, entry_of
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.reasons import LATEX_MARKUP
from readtrack.ingest.parser.vocabulary.author_names import (
    EDGES,
    CitationParts,
    names_in,
    parse_author_list,
    single_name,
    to_given_first,
)
from readtrack.metadata.parsing.latex import decode_latex

_GROUP = r"(?:[^{}]|\{[^{}]{0,500}\}){0,800}"
_BEGINS = "\\bibitem"
_FRAMES = ("\\begin{thebibliography}", "\\end{thebibliography}")
_MARK = re.compile(
    rf"\\bibitem\s{{0,3}}(?:\[(?:[^\[\]{{}}]|\{{{_GROUP}\}}){{0,300}}\])?\s{{0,3}}%?\s{{0,3}}\{{(?P<key>[^{{}}]{{0,200}})\}}"
)
_COMMENT = re.compile(r"(?P<kept>\\(?:href|url|path|nolinkurl)\s?\{[^{}]{1,2000}\})|(?<!\\)%.*")
_HREF = re.compile(rf"\\href\s?\{{(?P<address>[^{{}}]{{1,2000}})\}}\s?\{{(?P<text>{_GROUP})\}}")
_URL = re.compile(r"\\(?:url|BibUrl|path|nolinkurl)\s?\{(?P<address>[^{}]{1,2000})\}")
_DOI = re.compile(r"\\doi\s?\{(?P<address>[^{}]{1,300})\}")
_ITALICS = re.compile(
    rf"\\(?:emph|BibEmph|textit|textsl)\s?\{{(?P<command>{_GROUP})\}}|\{{\s?\\(?:em|it|sl|itshape)\b\s?(?P<group>{_GROUP})\}}"
)
_COMMANDS = re.compile(
    r"(?:\\(?:begin|end|providecommand|(?:re)?newcommand|newblock|def|let|usepackage|documentclass|bibliographystyle|"
    r"bibliography|label|maketitle|tableofcontents|nocite|setlength|setcounter|pagestyle|thispagestyle|clearpage|newpage|"
    r"appendix|centering|small|input|include|vspace|hspace|expandafter|csname|endcsname|fi|ifx|else|relax)\b\*?"
    rf"(?:\s?\\\w{{1,40}}|\s?\[[^\[\]]{{0,200}}\]|\s?\{{{_GROUP}\}}|\s){{0,8}}){{1,6}}(?:%.*)?|\\[A-Za-z@]{{1,40}}\*?"
)
_BLOCK = re.compile(r"\\newblock\b")
_LANGUAGE = re.compile(r"\\selectlanguage(?:ifdefined)?\s?\{[^{}]{0,40}\}")  # of a reference in the Russian style
_DASH = re.compile(r"\\BibDash\b")
_MAX_LINES, _SEVERAL = 60, 3


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.lines[start].raw.lstrip()
    has_text_below = start + 1 in page.continued_lines  # `\item` above its text
    if text.startswith(_FRAMES) or (text.startswith("\\") and _is_markup(text.rstrip()) and not has_text_below):
        count = _count_frame(page, start) if text.startswith(_FRAMES[0]) else 1
        return skip_lines(page, start, start + count, LATEX_MARKUP)
    if not text.startswith(_BEGINS):
        return None
    end = start + 1
    while end < min(len(page.lines), start + _MAX_LINES) and _goes_on(page.lines[end].raw.strip()):
        end += 1
    source = " ".join(
        _COMMENT.sub(lambda match: match["kept"] or "", line.raw).strip() for line in page.lines[start:end]
    )
    mark = _MARK.match(source)
    if mark is None:
        return None
    work = work_of(source[mark.end() :], mark["key"])
    return EntryBlock(end - start, [entry_of(work, page.context(start, end))])


def _count_frame(page: NoteDocument, start: int) -> int:
    """Return the number of lines before the first reference: some styles define their commands there."""
    for index in range(start + 1, min(len(page.lines), start + _MAX_LINES)):
        if page.lines[index].raw.lstrip().startswith(_BEGINS):
            return index - start
    return 1


def _is_markup(text: str) -> bool:
    r"""Return True for commands that show nothing, such as `\usepackage{hyperref}` or `\newcommand{\x}[1]{…}`."""
    return _COMMANDS.fullmatch(text) is not None


def _goes_on(raw: str) -> bool:
    return bool(raw) and not raw.startswith((_BEGINS, *_FRAMES))


def work_of(source: str, key: str = "") -> BibliographyWork:
    """Return the work of a reference, given without its mark and key."""
    addresses = [match["address"] for pattern in (_HREF, _URL) for match in pattern.finditer(source)]
    addresses += [f"doi:{match['address']}" for match in _DOI.finditer(source)]
    text = _DOI.sub("", _URL.sub("", _HREF.sub(r"{\g<text>}", source)))
    text = _DASH.sub("—", _LANGUAGE.sub("", text))
    text = _ITALICS.sub(lambda match: f"*{match['command'] or match['group'] or ''}*", text)
    citation = _parse_blocks([_decode(block) for block in _BLOCK.split(text)])
    venue, year = find_venue(citation.remainder)
    return BibliographyWork(
        title=citation.title,
        item_text=ItemText(venue=venue, authors=citation.authors, published=str(year or "")),
        addresses=(*addresses, citation.remainder),
        key=key,
    )


def _decode(block: str) -> str:
    return " ".join(decode_latex(block).replace("* ,", "*,").split())


def _parse_blocks(blocks: Sequence[str]) -> CitationParts:
    """Split a reference. Blocks separate authors, title and the rest; without them, a title follows its authors."""
    blocks = [block for block in blocks if block]
    if len(blocks) >= _SEVERAL and not blocks[0].endswith("—"):
        authors, title, *rest = blocks
        return CitationParts(title.strip(EDGES + '“”"'), _parse_names(authors), " ".join(rest))
    citation = parse_citation(" ".join(blocks))
    return citation._replace(authors=tuple(map(to_given_first, citation.authors)))


def _parse_names(text: str) -> tuple[str, ...]:
    names = names_in(text) or single_name(text) or parse_author_list(text.strip(EDGES))
    return tuple(map(to_given_first, names))


SHAPE = Shape("bibitems", 8, read)
