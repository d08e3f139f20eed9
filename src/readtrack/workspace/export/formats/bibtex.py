"""BibTeX export, also read by BibLaTeX. Unicode is kept, and values are escaped so that they cannot end their field."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from readtrack.infra.text.person_names import NameParts, is_spaced, name_parts
from readtrack.infra.text.topic_lists import join_topic_names
from readtrack.workspace.export.formats import PROVIDER, Export, ExportPaper, one_line, split_paragraphs

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "@": "{@}",  # some parsers take "@word {" for a new entry anywhere
    **{character: "\\" + character for character in "&%$#_"},
}
_ESCAPES = str.maketrans(_SPECIAL)
# BibTeX counts braces without regard to the backslash, so those without a partner need a command.
_LONE_BRACES = _ESCAPES | str.maketrans({"{": r"\textbraceleft{}", "}": r"\textbraceright{}"})
_LIGATURE = re.compile(r"([-'])(?=\1)|`")  # two of these would be set as one sign; a tick may open a quotation
_BRACE = re.compile("[{}]")
# Set by pages as a formula; LaTeX must be able to do so, too.
_MATHS = re.compile(r"(\$(?![\s$])(?:\\[^$]|[^$\\%#&@])+(?<!\s)\$(?!\d))")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
# All others could do more than show signs: `\input` reads files of the person who compiles the document.
_MATHS_COMMANDS = frozenset(
    """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau
    upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell hbar nabla partial infty
    log ln exp sin cos tan min max sup inf lim arg det dim ker Pr sum prod int oint sqrt frac binom over
    mathcal mathbb mathrm mathbf mathsf mathit mathfrak boldsymbol operatorname text textrm
    hat tilde bar vec dot ddot overline underline widehat widetilde
    times cdot circ star ast pm mp div oplus otimes odot wedge vee cap cup setminus in notin ni subset subseteq supset
    supseteq forall exists neg emptyset varnothing le leq ge geq ll gg ne neq equiv approx sim simeq cong propto
    to gets mapsto rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow longrightarrow uparrow
    downarrow langle rangle lfloor rfloor lceil rceil left right big Big mid parallel perp prime dagger ldots cdots dots
    quad qquad
    """.split()  # noqa: SIM905 - a list of words reads better than a list of quotes
)
# From its first to its last letter, but no command; or `C++`, `C\#`, `R\&D`.
_WORD = re.compile(r"(?<!\\)(?<![^\W_])(?:[A-Z](?:\+\+|\\#|\\[&_][A-Z])(?![^\W_])|[^\W_](?:[^\s\\{}]*[^\W_])?)")
_INNER_CAPITAL = re.compile(r"[^\W_][A-Z]|[A-Z]\d|\b[A-Z](?:\+|\\|/[A-Z]\b)")
_SEPARATOR = re.compile(r",|\b(?:and|others)\b", re.IGNORECASE)
_FIELD_END = re.compile(r"[{}\\\s]")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")  # BibTeX's macros
_ENTRY_TYPES = {
    "journal_article": "article",
    "conference_paper": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "masters_thesis": "mastersthesis",
    "report": "techreport",
}
_VENUE_FIELDS = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "publisher",
    "incollection": "booktitle",
    "phdthesis": "school",
    "mastersthesis": "school",
    "techreport": "institution",
    "misc": "howpublished",
}


def render(papers: Iterable[ExportPaper]) -> Iterator[str]:
    """Yield one entry per paper, in the given order."""
    for number, paper in enumerate(papers):
        yield ("\n" if number else "") + _entry(paper)


def _entry(paper: ExportPaper) -> str:
    fields = {name: f"{{{value}}}" for name, value in _fields(paper).items() if value}
    if len(paper.issued) > 1:
        fields["month"] = _MONTHS[paper.issued[1] - 1]
    lines = [f"  {name} = {value}," for name, value in fields.items()]
    return "\n".join([f"@{_entry_type(paper)}{{{paper.citation_key},", *lines, "}", ""])


def _entry_type(paper: ExportPaper) -> str:
    return _ENTRY_TYPES.get(paper.cited_as, "misc")


def _fields(paper: ExportPaper) -> dict[str, str]:
    arxiv = paper.key("arxiv")
    return {
        "title": _title(paper.title),
        "author": " and ".join(_author(name) for name in paper.authors if one_line(name)),
        "year": str(paper.issued[0]) if paper.issued else "",
        _VENUE_FIELDS[_entry_type(paper)]: _escape_text(paper.published_in if paper.kind == "paper" else paper.venue),
        "doi": _address(paper.key("doi")),
        "eprint": _address(arxiv),
        "archiveprefix": "arXiv" if arxiv else "",
        "primaryclass": _escape_text(paper.arxiv_class) if arxiv else "",
        "url": _address(paper.address),
        "language": _escape_text(paper.language),
        "keywords": _escape_text(join_topic_names(map(one_line, paper.topics))),
        "bibsource": PROVIDER if paper.topics else "",
        "abstract": "\n\n".join(map(_escape_text, split_paragraphs(paper.abstract))),
    }


def _title(title: str) -> str:
    """Protect formulas and words with inner capitals (GPipe, LLM, C++) from styles that lower-case titles."""
    return "".join(map(_title_part, _MATHS.split(one_line(title))))


def _title_part(part: str) -> str:
    if _MATHS.fullmatch(part) and _has_paired_braces(part) and _MATHS_COMMANDS.issuperset(_COMMAND.findall(part)):
        return f"{{{part}}}"
    return _WORD.sub(_protect_capitals, _escape_line(part))


def _protect_capitals(match: re.Match[str]) -> str:
    return f"{{{match[0]}}}" if _INNER_CAPITAL.search(match[0]) else match[0]


def _author(name: str) -> str:
    """Return "von Last, Jr, First", or an undivided name in braces. `山本, {五十六}` is shown with a space."""
    parts = name_parts(name)
    family = _escape_text(parts.family)
    if not _escape_text(parts.given):
        return f"{{{family}}}"
    pieces = [f"{_escape_text(parts.particle)} {_protect(family, parts)}".strip(), _escape_text(parts.suffix)]
    given = _escape_text(parts.given)
    return ", ".join([*filter(None, pieces), f"{{{given}}}" if is_spaced(name) else _protect(given)])


def _protect(piece: str, parts: NameParts | None = None) -> str:
    """Enclose what would be read as several names or, within a family name, as its particle."""
    has_small_word = parts is not None and any(word[:1].islower() for word in parts.family.split()[:-1])
    return f"{{{piece}}}" if _SEPARATOR.search(piece) or has_small_word else piece


def _escape_text(text: str) -> str:
    return _escape_line(one_line(text))


def _escape_line(text: str) -> str:
    escapes = _ESCAPES if _has_paired_braces(text) else _LONE_BRACES
    return _LIGATURE.sub(r"\g<0>{}", text.translate(escapes))


def _has_paired_braces(text: str) -> bool:
    depth = 0
    for brace in _BRACE.findall(text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def _address(text: str) -> str:
    """Return a URL or identifier for a link: only characters that would end the field are encoded."""
    return _FIELD_END.sub(lambda match: quote(match[0]), one_line(text))


EXPORT = Export("application/x-bibtex; charset=utf-8", ".bib", render)
