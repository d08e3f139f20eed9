"""Splitting of table cells into the title and the other words."""

import re
from dataclasses import dataclass, replace

from readtrack.infra.text.titles.clean import clean_title, looks_like_title, names_a_paper
from readtrack.infra.text.titles.dates import YEAR
from readtrack.infra.text.titles.marks import Marks, take_marks, take_number
from readtrack.ingest.parser.citations.framed_titles import cite_in_bold
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.items.build_entry import join_texts
from readtrack.ingest.parser.tables.cells import CellToken, name_of
from readtrack.ingest.parser.vocabulary.author_names import names_in
from readtrack.ingest.parser.vocabulary.venues import Venue, match_venue, take_tag

_BOLD = re.compile(
    r"^(?P<wrap>\*\*|__)(?P<bold>[^*]{1,300}?)(?P=wrap)(?!\w)\s*(?P<joint>[:：]|[-–—]{1,2}\s|)\s*(?P<rest>.*)$"
)
_TAGGED = re.compile(r"^[\[【](?P<tag>[^\[\]【】]{1,60})[\]】]\s*[:：]?\s*(?P<rest>\S.{3,})$")
_AFFILIATION = re.compile(r"(?<!\s)\s*[(（]\s?@(?P<who>[^()（）]{1,100})[)）]\s*$")
_CITED = re.compile(
    r"(?<!\s)\s*[(（](?P<who>[^()（）]{0,80}(?:et\s?al\.?|等)[^()（）]{0,30}|"
    r"[A-Z][\w'’-]+(?: (?:and|&) [A-Z][\w'’-]+)?,? (?:19|20)\d\d[a-z]?)[)）]\s*$"
)
_DASHED = re.compile(r"\s[-–—]\s|\s?——\s?|:\s{2,}")
_WIDE = re.compile(r"(?<=\S)\s{2,}(?=\S)|\s●")
_SENTENCE = re.compile(r"[.。．!！;；]\s*$")
_TALKS = re.compile(r"[.。．!！;；](?:\s|$)|●")
_CITATION = re.compile(
    r"[A-Z][\w'’-]{1,30}(?:,? [A-Z][\w'’-]{1,30}){0,5}(?:,? (?:and|&) [A-Z][\w'’-]{1,30})?,?(?: et al\.?)?,? ?"
    r"[(（]?(?:19|20)\d\d[a-z]?[)）]?|"
    r"[A-Z][\w'’-]{1,30}(?:,? [A-Z][\w'’-]{1,30}){0,2} et al\.?(?:[ ,(（].{0,40})?"
)
_CITED_FIRST = re.compile(
    r"(?P<who>[A-Z][\w'’,.& -]{1,80}[(（ ](?:19|20)\d\d[a-z]?[)）]?)\s?(?:[,，:：]|[-–—]{1,2})\s(?P<title>\S.{8,})"
)
_QUOTED = re.compile(
    r"(?P<who>[^\"“”*]{2,160}?)\s?[.,:：]?\s(?:[-–—]\s(?=\W?[A-Z]))?"
    r"(?:[\"“]|\*(?!\*))(?P<title>[^\"“”*]{8,400}?)[,.]?(?:[\"”]|\*)[,.]?"
    r"(?P<rest>(?:\s.{1,120})?)"
)
_ITALIC_FIRST = re.compile(
    r"\*(?!\*)(?P<title>[^*]{8,400}?)[,.]?\*[,.]?\s(?P<rest>[^*]{1,200})"
)  # `*Title*. Venue 2013`
_BOLD_REFERENCE = re.compile(r"\*\*(?P<reference>(?:[^*]|(?<!\*)\*(?!\*)){1,600})\*\*")
_QUOTED_FIRST = re.compile(r"[\"“](?P<title>[^\"“”]{8,400}?)[,.]?[\"”](?P<rest>.{0,200})")
_QUOTED_AND_SIGNED = re.compile(r"[\"“][^\"“”]{8,400}[\"”]\s[-–—]\s[A-Z]")  # `"Title" — Names`
_NAMES_ONLY = re.compile(r"(?:(?:[^\W\d_a-z][\w'’.-]{0,30}|and|&|et|al\.?|de|van|von|der|等)[,;，、]?(?:\s|$)){1,20}")
_YEAR_LAST = re.compile(
    r"(?<!\s)\s*[(（](?P<who>(?:[^()（）]{1,60}[,，\s])?)(?P<year>(?:19|20)\d\d)[a-z]?[)）]$|"
    r",\s(?P<alone>(?:19|20)\d\d)(?:[-/.]\d{1,2}){0,2}$"
)
_YEAR_AND_VENUE_FIRST = re.compile(r"(?P<year>(?:19|20)\d\d)\s?[-_]\s?(?P<venue>[A-Za-z]{2,16})\s?[-_]\s?(?=\S.{8})")
_WORD = re.compile(r"[\w'’-]+")
_BETWEEN_NAMES = frozenset({"and", "et"})
_QUOTES = ('"', "“", "*")
_BRACKETED = re.compile(r"[(（][^()（）]*[)）]")
_MAY_CITE = re.compile(r"[.,]\s.{0,300}[.”\"]\s")
_PLACEHOLDER = re.compile(r"[\W_]*(?:todo|tb[acd]|待补充?|待定|未定|未読|paper title)[\W_]*", re.IGNORECASE)
_LONG_TITLE_CHARS = 120
_VERY_LONG = 250
_REMARK_WORDS, _FEW_WORDS = 10, 4
_HEADING = re.compile(r"(?P<mark>`|\*\*)[^`*]{2,100}(?:[:：](?P=mark)|(?P=mark)[:：])")  # of the rows below
_SHORT_TITLE_CHARS = 2
_MAX_TAGS = 3
_TAG_OPENS = ("(", "[", "（", "【", "`")


@dataclass(frozen=True)
class CellTitle:
    """The title of a cell. `text`: the rest of the cell."""

    title: str = ""
    text: str = ""
    venue: str = ""
    year: int | None = None
    status: str | None = None
    rating: str = ""
    authors: tuple[str, ...] = ()


def read_title(token: CellToken, typed_text: str = "") -> CellTitle:
    """Read the title of a cell.

    `typed_text`: the cell verbatim, where two spaces separate the title of a long text.
    """
    title_link = next((link for link in token.links if name_of(link)), None)
    if not token.links and _HEADING.fullmatch(token.text.strip()):
        return CellTitle(text=token.text_without_links)
    if title_link is None:
        marks = take_marks(token.text_without_links)
        if reference := _read_bold_reference(marks):
            return reference
        return _build_title(*_of_words(marks.remainder, typed_text), marks)
    before, after = token.text[: title_link.start].strip(), token.text[title_link.end :].strip()
    rest = CellToken.from_text(after).text_without_links.lstrip("*_ -–—")
    marks = take_marks(before.rstrip(" ([（【<-–—:：|"))
    label, rest = _label_or_rest(name_of(title_link), rest, continues=after.lstrip(" *_").startswith((":", "：")))
    tag = _take_tag_after_link(rest)
    text = _join_texts(CellToken.from_text(marks.remainder).text_without_links, tag.remainder)
    cell_title = _build_title(label, text, marks)
    return cell_title if cell_title.venue else replace(cell_title, venue=tag.venue, year=cell_title.year or tag.year)


def _take_tag_after_link(rest: str) -> Venue:
    """Split the venue from the words after a linked title: `(NSDI'12) long`, `, ICLR 2022`."""
    if rest.startswith(_TAG_OPENS):
        return take_tag(rest)
    tag = take_tag(f"({rest.strip(' ,，.')})")
    return tag if tag.venue and not tag.remainder else Venue(rest)


def is_citation(title: str) -> bool:
    """Return True for a citation such as "Athey and Imbens (2016)" or "Kim et al.", which is no title."""
    return _CITATION.fullmatch(title) is not None


def people_in(text: str) -> tuple[str, ...]:
    """Return the names if the text is a list of them, such as authors below a title."""
    return names_in(text.strip(" *_()（）"))


def _label_or_rest(label: str, rest: str, *, continues: bool) -> tuple[str, str]:
    """Split `[Short](address): the rest of the title` or `[Short](address) The Full Title of It`."""
    length, title = len(label.split()), rest.strip(" .-–—:：*_")
    if continues and length <= _SHORT_TITLE_CHARS + 1 and looks_like_title(title):
        return f"{label}: {title}", ""
    if length <= _SHORT_TITLE_CHARS and names_a_paper(title):
        return title, label
    return label, rest


def _read_bold_reference(marks: Marks) -> CellTitle | None:
    """Read authors and title in bold, and venue and year behind them: `**Hale, *A Book of It*** (MIT Press, 2020)`."""
    reference = cite_in_bold(marks.remainder)
    if reference is None:
        return None
    tag = take_tag(reference.remainder)
    year = _YEAR_LAST.search(tag.remainder)
    text = f"{tag.remainder[: year.start()]} {year['who'] or ''}" if year else tag.remainder
    return CellTitle(
        title=clean_title(reference.title),
        text=_join_texts(text.strip(" ,，")),
        venue=tag.venue,
        year=tag.year or (int(year["year"] or year["alone"]) if year else None),
        status=marks.status,
        rating=marks.rating,
        authors=reference.authors,
    )


def _of_words(cell_text: str, typed_text: str) -> tuple[str, str]:
    """Return the title and the other words."""
    tags: list[str] = []
    while len(tags) < _MAX_TAGS and (tag := _TAGGED.match(cell_text)) and not take_tag(cell_text).venue:
        tags.append(tag["tag"].strip(" *_"))
        cell_text = tag["rest"]
    if _BRACKETED.fullmatch(cell_text):
        return "", cell_text
    if (bold := _BOLD_REFERENCE.fullmatch(cell_text)) and "*" in bold["reference"]:  # its title is in italics
        cell_text = bold["reference"]
    cell_text, names = _without_people(cell_text)
    if citation := _split_citation(cell_text):
        return citation[0], _join_texts(*tags, citation[1], names)
    match = _BOLD.match(cell_text)
    title, text = (
        _of_bold(match["bold"], match["joint"].strip(), match["rest"]) if match else _of_plain(cell_text, typed_text)
    )
    return title, _join_texts(*tags, text, names)


def _split_citation(text: str) -> tuple[str, str] | None:
    """Split `Keller (2017), the title`, `Codd, "The Title," CACM` or `"The Title" — Codd` into title and the rest."""
    first = _CITED_FIRST.fullmatch(text)
    if first and is_citation(first["who"].strip()):
        return first["title"], first["who"]
    if (italic := _ITALIC_FIRST.fullmatch(text)) and find_venue(italic["rest"])[1]:
        return italic["title"], italic["rest"]
    quoted = _QUOTED_FIRST.fullmatch(text) if _QUOTED_AND_SIGNED.match(text) else None
    if quoted and (YEAR.search(quoted["rest"]) or "et al" in quoted["rest"] or people_in(quoted["rest"].strip(" -–—"))):
        return quoted["title"], quoted["rest"]
    match = _QUOTED.fullmatch(text) if any(mark in text for mark in _QUOTES) else None
    if match and _NAMES_ONLY.fullmatch(match["who"]):
        return match["title"], _join_texts(match["who"], match["rest"])
    return None


def _of_bold(bold: str, joint: str, rest: str) -> tuple[str, str]:
    """Split words with a bold part, which is the title unless it is a short name or citation."""
    bold, tail = bold.strip(":： "), rest.strip(" :：-–—")
    if tail and is_citation(bold):
        return tail, bold
    if match := _QUOTED_FIRST.fullmatch(tail):
        return match["title"], _join_texts(bold, match["rest"].strip(" ()（）,."))
    if joint in {":", "："} and tail and not _is_remark(tail):
        return f"{bold}: {tail}", ""
    if not joint and len(bold.split()) <= _SHORT_TITLE_CHARS and names_a_paper(tail):
        return tail, bold
    return bold, rest


def _of_plain(text: str, typed_text: str) -> tuple[str, str]:
    """Split words into title and remark.

    A remark follows a dash, two spaces, or the first sentence of a long text. Authors may be before or after the title.
    """
    if "  " in typed_text and (len(text) > _VERY_LONG or _TALKS.search(text)):
        unnumbered = take_number(typed_text.strip())
        gap = _WIDE.search(unnumbered, 2)
        beginning = " ".join(unnumbered[: gap.start()].split()).strip(" *_") if gap else ""
        if beginning and text.startswith(beginning):
            return beginning, text[len(beginning) :].strip(" *_-–—:")
    for dash in _DASHED.finditer(text[: 3 * _LONG_TITLE_CHARS]):
        rest = text[dash.end() :].strip()
        if _is_remark(rest) or people_in(rest):
            return text[: dash.start()], rest
    citation = parse_citation(text) if _MAY_CITE.search(text) else None
    if citation and citation.authors:
        return citation.title, _join_texts(", ".join(citation.authors), citation.remainder)
    phrase = _TALKS.search(text, 3, _VERY_LONG) if len(text) > _VERY_LONG else None
    return (text[: phrase.start()], text[phrase.end() :]) if phrase else (text, "")


def _is_remark(text: str) -> bool:
    length = len(text.split())
    return bool(_SENTENCE.search(text)) or length > _REMARK_WORDS or (text[:1].islower() and length > _FEW_WORDS)


def _without_people(text: str) -> tuple[str, str]:
    """Split `(@somewhere)` or `(Wang et al.)` from the end of a title."""
    for pattern in (_AFFILIATION, _CITED):
        if (match := pattern.search(text[-160:])) and not match_venue(match["who"]):  # NeurIPS 2017
            start = max(len(text) - 160, 0) + match.start()
            return text[:start], match["who"].strip()
    return text, ""


def _build_title(title: str, text: str, marks: Marks) -> CellTitle:
    """Split venue and year from the title."""
    if _PLACEHOLDER.fullmatch(title):
        return CellTitle(text=text, status=marks.status, rating=marks.rating)
    tag = take_tag(_with_tag_last(title))
    venue, year = (tag.venue, tag.year) if tag.venue and len(tag.remainder) > _SHORT_TITLE_CHARS else ("", None)
    title, names = _without_people(tag.remainder if venue else title)
    year_match = _YEAR_LAST.search(title, max(0, len(title) - _LONG_TITLE_CHARS))
    if (
        year_match
        and year_match.start() > 1
        and not (is_citation(title) and _are_surnames(title[: year_match.start()]))
    ):
        title, names = title[: year_match.start()], _join_texts(year_match["who"] or "", names).strip(" ,，")
        year = year or int(year_match["year"] or year_match["alone"])
    return CellTitle(clean_title(title), _join_texts(text, names), venue, year, marks.status, marks.rating)


def _are_surnames(text: str) -> bool:
    """Return True for surnames such as "Vaswani, Blake and Coey", but not for BERT or GPT-2."""
    words = _WORD.findall(text)
    is_list = len(words) == 1 or "," in text or not _BETWEEN_NAMES.isdisjoint(words)
    return is_list and all(word.isalpha() and (word.islower() or word.istitle()) for word in words)


def _with_tag_last(title: str) -> str:
    """Return `2020-ECCV-The Title` with its tag at the end, like other tags."""
    first = _YEAR_AND_VENUE_FIRST.match(title)
    tag = f"({first['venue']} {first['year']})" if first else ""
    return f"{title[first.end() :]} {tag}" if first and take_tag(tag).venue else title


def _join_texts(*texts: str) -> str:
    return join_texts(*(text.strip(" -–—:：·") for text in texts))
