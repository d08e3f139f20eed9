"""Splitting of table cells into the title and the other words."""

import re
from dataclasses import dataclass

from readtrack.infra.text.titles.clean import clean_title, looks_like_title, names_a_paper
from readtrack.infra.text.titles.marks import Marks, take_marks, take_number
from readtrack.ingest.parser.tables.cells import CellToken, name_of
from readtrack.ingest.parser.vocabulary.citations import parse_citation
from readtrack.ingest.parser.vocabulary.person_names import names_in
from readtrack.ingest.parser.vocabulary.venues import take_tag

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
_SENTENCE = re.compile(r"[.。!！;；]\s*$")
_TALKS = re.compile(r"[.。!！;；](?:\s|$)|●")
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
_QUOTED_FIRST = re.compile(r"[\"“](?P<title>[^\"“”]{8,400}?)[,.]?[\"”](?P<rest>.{0,200})")
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
_LONG = 120
_VERY_LONG = 250
_REMARK_WORDS, _FEW_WORDS = 10, 4
_SHORT = 2
_MOST_TAGS = 3


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


def read_title(piece: CellToken, wide: str = "") -> CellTitle:
    """Read the title of a cell.

    `wide`: the cell verbatim, where two spaces separate the title of a long text.
    """
    named = next((each for each in piece.found if name_of(each)), None)
    if named is None:
        marks = take_marks(piece.words)
        return _build_title(*_of_words(marks.rest, wide), marks)
    before, after = piece.text[: named.start].strip(), piece.text[named.end :].strip()
    rest = CellToken.from_text(after).words.lstrip("*_ -–—")
    marks = take_marks(before.rstrip(" ([（【<-–—:：|"))
    label, rest = _label_or_rest(name_of(named), rest, goes_on=after.lstrip(" *_").startswith((":", "：")))
    return _build_title(label, _join_texts(CellToken.from_text(marks.rest).words, rest), marks)


def is_citation(title: str) -> bool:
    """Return True for a citation such as "Athey and Imbens (2016)" or "Kim et al.", which is no title."""
    return _CITATION.fullmatch(title) is not None


def people_in(text: str) -> tuple[str, ...]:
    """Return the names if the text is a list of them, such as authors below a title."""
    return names_in(text.strip(" *_()（）"))


def _label_or_rest(label: str, rest: str, *, goes_on: bool) -> tuple[str, str]:
    """Split `[Short](address): the rest of the title` or `[Short](address) The Full Title of It`."""
    words, plain = len(label.split()), rest.strip(" .-–—:：*_")
    if goes_on and words <= _SHORT + 1 and looks_like_title(plain):
        return f"{label}: {plain}", ""
    if words <= _SHORT and names_a_paper(plain):
        return plain, label
    return label, rest


def _of_words(words: str, wide: str) -> tuple[str, str]:
    """Return the title and the other words."""
    tags: list[str] = []
    while len(tags) < _MOST_TAGS and (tag := _TAGGED.match(words)) and not take_tag(words).venue:
        tags.append(tag["tag"].strip(" *_"))
        words = tag["rest"]
    if _BRACKETED.fullmatch(words):
        return "", words
    words, who = _without_people(words)
    if cited := _split_citation(words):
        return cited[0], _join_texts(*tags, cited[1], who)
    bold = _BOLD.match(words)
    title, text = _of_bold(bold["bold"], bold["joint"].strip(), bold["rest"]) if bold else _of_plain(words, wide)
    return title, _join_texts(*tags, text, who)


def _split_citation(words: str) -> tuple[str, str] | None:
    """Split `Keller (2017), the title` or `Codd, "The Title," CACM` into title and authors with venue."""
    first = _CITED_FIRST.fullmatch(words)
    if first and is_citation(first["who"].strip()):
        return first["title"], first["who"]
    quoted = _QUOTED.fullmatch(words) if any(mark in words for mark in _QUOTES) else None
    if quoted and _NAMES_ONLY.fullmatch(quoted["who"]):
        return quoted["title"], _join_texts(quoted["who"], quoted["rest"])
    return None


def _of_bold(bold: str, joint: str, rest: str) -> tuple[str, str]:
    """Split words with a bold part, which is the title unless it is a short name or citation."""
    bold, plain = bold.strip(":： "), rest.strip(" :：-–—")
    if plain and is_citation(bold):
        return plain, bold
    if quoted := _QUOTED_FIRST.fullmatch(plain):
        return quoted["title"], _join_texts(bold, quoted["rest"].strip(" ()（）,."))
    if joint in {":", "："} and plain and not _is_remark(plain):
        return f"{bold}: {plain}", ""
    if not joint and len(bold.split()) <= _SHORT and names_a_paper(plain):
        return plain, bold
    return bold, rest


def _of_plain(words: str, wide: str) -> tuple[str, str]:
    """Split words into title and remark.

    A remark follows a dash, two spaces, or the first sentence of a long text. Authors may be before or after the title.
    """
    if "  " in wide and (len(words) > _VERY_LONG or _TALKS.search(words)):
        typed = take_number(wide.strip())
        parted = _WIDE.search(typed, 2)
        beginning = " ".join(typed[: parted.start()].split()).strip(" *_") if parted else ""
        if beginning and words.startswith(beginning):
            return beginning, words[len(beginning) :].strip(" *_-–—:")
    for dash in _DASHED.finditer(words[: 3 * _LONG]):
        rest = words[dash.end() :].strip()
        if _is_remark(rest) or people_in(rest):
            return words[: dash.start()], rest
    cited = parse_citation(words) if _MAY_CITE.search(words) else None
    if cited and cited.authors:
        return cited.title, _join_texts(", ".join(cited.authors), cited.rest)
    phrase = _TALKS.search(words, 3, _VERY_LONG) if len(words) > _VERY_LONG else None
    return (words[: phrase.start()], words[phrase.end() :]) if phrase else (words, "")


def _is_remark(text: str) -> bool:
    words = len(text.split())
    return bool(_SENTENCE.search(text)) or words > _REMARK_WORDS or (text[:1].islower() and words > _FEW_WORDS)


def _without_people(words: str) -> tuple[str, str]:
    """Split `(@somewhere)` or `(Wang et al.)` from the end of a title."""
    for pattern in (_AFFILIATION, _CITED):
        if found := pattern.search(words[-160:]):
            start = max(len(words) - 160, 0) + found.start()
            return words[:start], found["who"].strip()
    return words, ""


def _build_title(title: str, text: str, marks: Marks) -> CellTitle:
    """Split venue and year from the title."""
    if _PLACEHOLDER.fullmatch(title):
        return CellTitle(text=text, status=marks.status, rating=marks.rating)
    tag = take_tag(_with_tag_last(title))
    venue, year = (tag.venue, tag.year) if tag.venue and len(tag.rest) > _SHORT else ("", None)
    title, who = _without_people(tag.rest if venue else title)
    said = _YEAR_LAST.search(title, max(0, len(title) - _LONG))
    if said and said.start() > 1 and not (is_citation(title) and _are_surnames(title[: said.start()])):
        title, who = title[: said.start()], _join_texts(said["who"] or "", who).strip(" ,，")
        year = year or int(said["year"] or said["alone"])
    return CellTitle(clean_title(title), _join_texts(text, who), venue, year, marks.status, marks.rating)


def _are_surnames(text: str) -> bool:
    """Return True for surnames such as "Vaswani, Blake and Coey", but not for BERT or GPT-2."""
    words = _WORD.findall(text)
    listed = len(words) == 1 or "," in text or not _BETWEEN_NAMES.isdisjoint(words)
    return listed and all(word.isalpha() and (word.islower() or word.istitle()) for word in words)


def _with_tag_last(title: str) -> str:
    """Return `2020-ECCV-The Title` with its tag at the end, like other tags."""
    first = _YEAR_AND_VENUE_FIRST.match(title)
    tag = f"({first['venue']} {first['year']})" if first else ""
    return f"{title[first.end() :]} {tag}" if first and take_tag(tag).venue else title


def _join_texts(*texts: str) -> str:
    return " · ".join(text for text in (each.strip(" -–—:：·") for each in texts) if text)
