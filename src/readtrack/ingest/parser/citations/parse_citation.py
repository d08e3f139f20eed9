"""Split of a reference into title, authors and the rest.

`**Title**, Authors, *Venue* 2023` · `Title. Authors. Venue, Year.` · `Authors. "Title". Venue` · `Title | remark`
"""

import re
from collections.abc import Callable
from functools import lru_cache

from readtrack.infra.text.titles.clean import without_emphasis
from readtrack.infra.text.titles.dates import MONTH_NAME
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.citations.cited_names import names_before_title, split_dated_names
from readtrack.ingest.parser.citations.cjk_references import cite_book, cite_cjk_reference
from readtrack.ingest.parser.citations.framed_titles import (
    cite_before_remark,
    cite_by_quotes,
    cite_by_slashes,
    cite_by_type_mark,
    cite_file_name,
    cite_in_bold,
)
from readtrack.ingest.parser.citations.names_first import (
    cite_before_place_and_year,
    cite_cjk_names_and_year,
    cite_foreign_names,
    cite_joined_surnames,
    cite_mostly_inverted,
    cite_names_and_bare_year,
    cite_surnames_and_year,
    cite_surnames_first,
    cite_turned_names_and_year,
)
from readtrack.ingest.parser.citations.patterns import AND, LOOKED_AT, MIN_TITLE_WORDS, SURNAME, WORD, YEAR, count_words
from readtrack.ingest.parser.citations.separators import (
    cite_book_between_commas,
    cite_by_commas,
    cite_by_dashes,
    cite_by_fields,
    cite_by_italics,
    cite_by_keyword,
    cite_by_sentences,
    cite_initialled,
    cite_long_text,
    cite_names_before_colon,
    cite_names_first,
)
from readtrack.ingest.parser.vocabulary.author_names import (
    EDGES,
    PIPE,
    CitationParts,
    is_venue_like,
    names_in,
    parse_inverted_names,
    part_rest,
    single_name,
    surname_first,
    surnames_in,
    turned_names,
)

_BOLD = re.compile(
    r"(?P<before>.{0,200}?)(?P<mark>\*\*|__|~~)(?P<title>[^*~\n]{2,400}?)(?P=mark)(?P<rest>.*)", re.DOTALL
)
_ITALIC_BEHIND_DASH = re.compile(r"\s?[-–—:：]{1,2}\s(?=[*_]\w+\W+\w+\W+\w)")
_DATED = r"\((?:19|20)\d\d[a-z]?\)"
_BOLD_NAMES = re.compile(  # `**Han, B.** (2014). *Psicopolítica*. Herder`, `**Silva & Abe (2014).** *The Title*`
    rf"(?P<mark>\*\*|__)(?P<names>[^*_\n]{{3,400}}?)"
    rf"(?:(?P=mark)\s?(?P<behind>{_DATED})[.,:]|\s(?P<inside>{_DATED})[.,:]?(?P=mark)[.,:]?)\s(?P<title>\S.*)",
    re.DOTALL,
)
_SEVERAL_NAMES = re.compile(r"[,&]|\band\b|\bet al\b")
_LABEL_OF_NAMES = re.compile(r"(?P<what>`[^`]{2,60}`|[^:：`]{2,60})[:：]`?\s")
_NAMES_THEN_BOLD = re.compile(r",[^*:]{2,1000}:\s?\*\*")
_ORGANIZATION = re.compile(
    r"\b(?:Institut[eo]?|Bank|Banco|Banque|Universit\w+|Committee|Commission|Council|Association|Ministry|Agency|Organi[sz]ation|"
    r"Foundation|Fund|Department|Society|Federation|Programme|OECD|IMF|WHO|UNESCO|IPCC)\b"
)
_FRAMED = re.compile(r"[*_\"“](?P<title>[^*_\"“”\n]{2,300})[*_\"”]")
_CONTINUATION = re.compile(r"\s*[:：]\s*\S|\s+[a-z]|\s+(?=[A-Z(])")
_DESCRIBED = re.compile(r"\s\[(?P<what>[^\[\]]{4,100})\]\.?$")  # `Title [Master's thesis, Lund University]`, as in APA
_PART_OF_IT = re.compile(  # `Title (Chapters 1-3)`: what to read of it
    r"\s\((?P<what>(?:only |up to )?(?:chapters?|chap\.|ch\.|sections?|sec\.|parts?|pages?|pp?\.)\s[^()]{1,80})\)\.?$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    # `**(YOLOv2)** J. Redmon`
    r"\*\*\((?![^()]*,)(?-i:(?=[^()]*(?:[A-Z]{2}|[a-z][A-Z]|\d)))[^()*]{2,30}\)\*\*\s+(?=[A-Z])|"
    # the key of an entry between backticks: {Key2021}
    r"`{1,3}\{[^{}`\s]{2,60}\}`{1,3}\s+(?=\S)|"
    # `**Paper 4** J. Redmon`, `Paper 4: J. Redmon`
    r"(?P<mark>\*\*|__|)(?:Papers?|Articles?|Readings?|References?|Ref\.|论文|論文)\s?#?\d{1,3}[.:：]?(?P=mark)[.:：]?"
    r"\s+(?=\S)",
    re.IGNORECASE,
)
_SUFFIX_OF_NAME = re.compile(r"(?<=\w),(?=\s[JS]r\.)")  # Robert L. Galloway, Jr.
_CO_AUTHORS = re.compile(r"\s?\((?=with [*_/]{0,2}[A-Z][^()\s]{0,30}\s[A-Z])with [^()]{5,200}\)(?=\.?$|\.?\s|,)")
_MONTH_OF_YEAR = re.compile(  # `(2007, November)`, as in APA, `(1992.)`
    rf"(?P<year>[(\[](?:19|20)\d\d)(?:,\s{MONTH_NAME}(?:\s\d{{1,2}}(?:[-–]\d{{1,2}})?)?|\.)(?=[)\]])"
)
_MONTH_BEFORE_YEAR = re.compile(  # `Author, A. (February 1992) - Title`
    rf"(?<=[(\[]){MONTH_NAME}\s(?:\d{{1,2}},?\s)?(?P<year>(?:19|20)\d\d[)\]])[.,:]?\s(?:[-–—]\s)?(?=[\"“A-Z*])"
)
_IN_BOOK = re.compile(  # `Title, in: Author, A., Writer, B. (Eds.), Looms`, `Title. In C. Third, ed., Looms`
    r"(?<=[”\"'’?!)*_.,])\s[Ii]n:?\s(?P<editors>[A-Z](?:(?!\s[Ii]n:?\s)[^()\[\]:;“”\"*_]){3,200}?)"
    r"(?P<mark>\s?[(\[][Ee]ds?\.?[)\]]|,\s[Ee]ds?\.),?\s(?=[\"“*_]{0,2}[A-Z])"
)
_VANCOUVER = re.compile(r"[A-Z][\w'’-]{1,30}\s[A-Z]{1,3}(?:,\s[A-Z][\w'’-]{1,30}\s[A-Z]{1,3}){0,20}")
_UNDATED = re.compile(
    r"(?<=[.,\w])\s\(?"
    r"(?P<when>in press|forthcoming|(?:in|under) review|in prep(?:aration)?|submitted|accepted|to appear|n\.?d|0000|"
    r"1[5-8]\d\d)"
    r"(?:\.?\)[.,:]?|[.:])\s(?=[\"“*_]{0,2}[A-Z])",
    re.IGNORECASE,
)
_NO_YEAR = "1900"  # stands for one while a reference is split
_CHAPTER = re.compile(r"(?<=[.,)]\s)(?P<number>(?:Chapter|Chap\.|Ch\.)\s\d{1,2})[,:]?\s(?=[\"“])")
_HANDBOOK_LAST = re.compile(  # `Title, The Handbook of Looms`
    r",\s(?P<book>(?:The\s)?(?:[A-Z][a-z]{2,20}\s){0,3}(?:Handbook|Encyclopa?edia|Companion|Dictionary)\s(?:of|to|on|for)\s.*)$"
)
_PRESS_LAST = re.compile(  # `Title, Princeton University Press, Chapter 13`
    r",\s(?P<book>(?:[A-Z][\w.&’'-]{1,30}\s){1,4}(?:Press|Publishers?|Publishing|Verlag)(?:,\s(?:Chapter|Ch\.)\s\d{1,2})?)\.?$"
)
_YEAR_BEFORE_TITLE = re.compile(r"(?:[(\[（]|[.,]\s|(?<=[a-z])\s)(?P<year>(?:19|20)\d\d)[a-z]?[)\]）.,][\W_]{0,8}$")
_ONLY_YEAR = re.compile(r"\(?(?:19|20)\d\d[a-z]?\)?(?:\s\([^()]{2,40}\))?")  # `Xu et al. 2025 (BINN)` has no title
_YEAR_OF_TITLE = re.compile(r"(?:,\s|\s[(\[])(?P<year>(?:19|20)\d\d)[)\]]?$")
_INITIAL_FIRST = re.compile(  # `Baayen, R. Harald. 2001.`
    rf"^(?P<surname>{SURNAME}), (?P<initial>[A-Z])\. (?P<given>[A-Z][a-z]{{2,20}})(?=\. \(?(?:19|20)\d\d)"
)
_STOP_OF_LIST = re.compile(r"(?<=[A-Za-z][a-z])(?<!\b[JS]r)\.$")
_YEAR_FIRST_OF_REST = re.compile(r"[(\[]?(?P<year>(?:19|20)\d\d)[)\]]?[.,;]\s+(?=\S)")
_UNPARTED = re.compile(r"[A-Za-z0-9 '’:;/+&-]{1,300}")  # text without any separator
_YEAR_AND_COLON = re.compile(r"\s(?:19|20)\d\d[a-z]?\s?:")
_PARTING = ("; ", " / ", " -", " by ", " By ", "uthor")
_SINGLE_QUOTED = re.compile(r"(?<=[,.:)–-]\s)['‘](?P<title>[^\W\d_](?:(?!['’]\s)[^\"“”]){8,300}?)['’](?=[,.;:]|\s?$)")
_DATED_FIRST = re.compile(r"[^()]{3,200}\((?:19|20)\d\d\)")


@lru_cache(maxsize=256)  # Lines are looked at ahead, and several formats ask for the same one.
def parse_citation(reference: str) -> CitationParts:
    """Split a reference. Without a separator, all words are the title."""
    text = _MONTH_OF_YEAR.sub(r"\g<year>", without_label(reference[:LOOKED_AT].strip().rstrip(" ,，")))
    text = _SUFFIX_OF_NAME.sub("", text) if "r." in text else text
    text = _INITIAL_FIRST.sub(r"\g<surname>, \g<initial> \g<given>", _without_month(text))
    if "(with " in text and (coauthors := _CO_AUTHORS.search(text)):
        inner = parse_citation(
            f"{text[: coauthors.start()].rstrip()} {text[coauthors.end() :].lstrip()}{reference[LOOKED_AT:]}"
        )
        return inner._replace(remainder=f"{coauthors[0].strip()} {inner.remainder}".strip())
    if (
        citation := _cite_without_year(text)
        or _cite_chapter(text)
        or _cite_single_quoted(text)
        or cite_book_between_commas(text)
    ):
        return citation
    if _UNPARTED.fullmatch(text) and not any(word in text for word in _PARTING) and not _YEAR_AND_COLON.search(text):
        return CitationParts(_strip_title(text))
    for part in _PARTERS:
        citation = part(text)
        if citation and citation.title.strip(EDGES) and not _ONLY_YEAR.fullmatch(citation.title):
            return _finish_citation(_with_year_before_title(text, citation), reference[LOOKED_AT:])
    return CitationParts(_strip_title(text), (), reference[LOOKED_AT:])


def _cite_without_year(text: str) -> CitationParts | None:
    """Split a reference with words or an old year in the place of the year: `Silva, A. (in press). Title`."""
    undated = _UNDATED.search(text)
    if undated is None or f"({_NO_YEAR})" in text:
        return None
    citation = parse_citation(f"{text[: undated.start()].rstrip(' ,')} ({_NO_YEAR}). {text[undated.end() :]}")
    if not citation.authors or _NO_YEAR in citation.title:
        return None
    if inverted := parse_inverted_names(text[: undated.start()].rstrip(" ,(")):  # Smith, Adam. 1776.
        citation = citation._replace(authors=inverted)
    old_year = undated["when"] if undated["when"].isdigit() and undated["when"] != "0000" else ""
    return citation._replace(remainder=citation.remainder.replace(_NO_YEAR, old_year).strip(EDGES))


def _cite_chapter(text: str) -> CitationParts | None:
    """Split a reference to a part of a book before its editors, or with its number before a quoted title."""
    if number := _CHAPTER.search(text):
        whole = parse_citation(_CHAPTER.sub("", text))
        return whole._replace(remainder=f"{whole.remainder} {number['number']}".strip())
    book = _IN_BOOK.search(text)
    if book is None or not _are_editors(book["editors"]):
        return None
    before, title = text[: book.start()].rstrip(" ,."), without_emphasis(text[book.end() :]).rstrip(" .")
    year = YEAR.search(title)
    chapter = parse_citation(before)
    if not chapter.authors and year:
        chapter = parse_citation(f"{before}. {year[0]}")
    if not chapter.authors:
        return None
    published = "" if year else chapter.remainder
    # The editors come last, because they are no venue.
    remainder = ". ".join(filter(None, (f"In {title}", published, f"{book['editors']}{book['mark']}")))
    return chapter._replace(remainder=remainder)


def _cite_single_quoted(text: str) -> CitationParts | None:
    """Split a reference with its title in single quotes: `Leite et al, 2024 - 'The Title', Journal`."""
    quoted = _SINGLE_QUOTED.search(text) if "'" in text or "‘" in text else None
    if quoted is None or '"' in text or "“" in text:
        return None
    citation = parse_citation(f"{text[: quoted.start()]}“{quoted['title']}”{text[quoted.end() :]}")
    return citation if citation.authors and citation.title.strip(EDGES) == quoted["title"].strip(EDGES) else None


def _are_editors(names: str) -> bool:
    return (
        bool(names_in(names) or single_name(names) or surname_first(names)) or _VANCOUVER.fullmatch(names) is not None
    )


def parse_cited_title(words: str) -> CitationParts:
    """Split the words of a reference whose venue was taken from them, so that it may begin with mere surnames."""
    return cite_joined_surnames(words, has_venue=True) or parse_citation(words)


def _without_month(text: str) -> str:
    """Return `Author, Ann and Writer, Ben (1992) "Title"` for the same with `(February 1992) - `."""
    month = _MONTH_BEFORE_YEAR.search(text)
    before = text[: month.start()].rstrip(" ([") if month else ""
    if month is None or not (names_in(before) or turned_names(before) or surname_first(before)):
        return text
    return f"{text[: month.start()]}{month['year']} {text[month.end() :]}"


def without_label(text: str) -> str:
    """Return a reference without the number of the paper that stands before it."""
    label = _LABEL.match(text)
    return text[label.end() :] if label else text


def _with_year_before_title(text: str, citation: CitationParts) -> CitationParts:
    """Return the citation with the year that stands behind its authors: `Author (2020). Title. Venue`.

    It comes last, because other years are those of a meeting or a visit to the address.
    """
    before = text[: max(text.find(citation.title.strip(EDGES)), 0)] if citation.authors else ""
    year = _YEAR_BEFORE_TITLE.search(before)
    if year is None or citation.remainder.rstrip(EDGES + ")").endswith(year["year"]):
        return citation
    return citation._replace(remainder=f"{citation.remainder} {year['year']}")


def _finish_citation(citation: CitationParts, overflow: str) -> CitationParts:
    title = _strip_title(citation.title)
    if described := (_DESCRIBED.search(title) if citation.authors else None) or _PART_OF_IT.search(title):
        title = title[: described.start()]
        citation = citation._replace(remainder=f"{described['what']}. {citation.remainder}")
    if citation.authors and (book := _HANDBOOK_LAST.search(title) or _PRESS_LAST.search(title)):
        title = title[: book.start()]
        citation = citation._replace(remainder=f"In {book['book']}. {citation.remainder}")
    parts = citation
    if not citation.authors:
        first = _YEAR_FIRST_OF_REST.match(citation.remainder)  # Title. 2020. A. Author
        parts = part_rest(citation.remainder[first.end() :] if first else citation.remainder)
        if first:
            parts = parts._replace(remainder=f"{parts.remainder} {first['year']}") if parts.authors else citation
    if parts.authors and (year := _YEAR_OF_TITLE.search(title)):  # Title (2020), A. Author
        title, parts = title[: year.start()], parts._replace(remainder=f"{parts.remainder} {year['year']}")
    remainder = (parts.remainder + overflow).strip()
    authors = tuple(_STOP_OF_LIST.sub("", name) if _STOP_OF_LIST.search(name) else name for name in parts.authors)
    return CitationParts(title, authors, without_emphasis(remainder).strip(EDGES) if parts.authors else remainder)


def _strip_title(title: str) -> str:
    """Return the title without emphasis, surrounding separators and the final full stop."""
    text = without_emphasis(title.strip()).strip(" \t,，;；|｜*_-–—:：").strip()
    if text.startswith("[") and text.endswith("]") and text.count("[") == 1:
        text = text[1:-1]
    return text[:-1] if text.endswith((".", "。", "．")) and not text.endswith("..") else text


def _cite_by_bold(text: str) -> CitationParts | None:
    """Split at a bold title.

    A short bold name that continues without a full stop is only the beginning of the title.
    """
    match = _BOLD.match(text) if "**" in text or "__" in text or "~~" in text else None
    if not match:
        return None
    before, title, rest = match["before"].strip(), match["title"].strip(), match["rest"]
    length = len(WORD.findall(title)) + len(CJK.findall(title)) // 2
    if not before and (citation := _cite_behind_bold_author(text, title, rest)):
        return citation
    is_long = length >= MIN_TITLE_WORDS
    if citation := _cite_behind_short_name(rest, is_long=is_long):
        return citation
    if before.strip(EDGES + '[](){}<>（）【】"“'):
        return _cite_bold_behind(before, title, rest, is_long=is_long) or _cite_without_bold(text)
    names = _surnames_behind(rest) if is_long else ()
    if not names and (_goes_on(title, rest, length) or (not length and WORD.search(rest))):
        return _cite_without_bold(text)
    return CitationParts(title, names, "" if names else rest)


def _cite_behind_short_name(rest: str, *, is_long: bool) -> CitationParts | None:
    """Split what stands behind a bold name: `**Name** "The Title"`, `**Name** — *The Title*, Authors`."""
    if (not is_long or rest.lstrip().startswith((":", "："))) and (citation := cite_by_quotes(rest.lstrip(" :："))):
        return citation
    framed = None if is_long else _ITALIC_BEHIND_DASH.match(rest)
    citation = cite_by_italics(rest[framed.end() :]) if framed else None
    return citation if citation and not is_venue_like(citation.title) else None


def _cite_behind_bold_names(text: str) -> CitationParts | None:
    """Split a reference with bold authors before a year: names with initials, or an organization and a framed title."""
    match = _BOLD_NAMES.fullmatch(text) if text.startswith(("**", "__")) else None
    if match is None:
        return None
    names, framed = match["names"], _FRAMED.match(match["title"])
    if framed and (is_venue_like(framed["title"]) or names_in(framed["title"]) or single_name(framed["title"])):
        return None
    is_organization = (names.endswith(".") or match["inside"]) and _ORGANIZATION.search(names)
    are_names = names_in(names) or turned_names(names) or (_SEVERAL_NAMES.search(names) and surnames_in(names))
    is_author = parse_inverted_names(names) or (framed and (is_organization or are_names))
    return parse_citation(f"{names} {match['behind'] or match['inside']}. {match['title']}") if is_author else None


def _cite_behind_bold_author(text: str, bold: str, rest: str) -> CitationParts | None:
    """Split `**A. Author, B. Writer** Title. Venue`, or `**A. Author**, B. Writer: **Title.**`."""
    if len(names := names_in(bold)) > 1 and rest.strip():
        inner = parse_citation(rest.strip(EDGES))
        return CitationParts(inner.title, names, ", ".join(filter(None, (*inner.authors, inner.remainder))))
    return cite_names_before_colon(text.replace("**", "")) if _NAMES_THEN_BOLD.match(rest) else None


def _surnames_behind(rest: str) -> tuple[str, ...]:
    """Return the surnames behind a bold title: `**The Title** Chandra, Griesemer, Redstone`."""
    names = surnames_in(rest) if "," in rest and not part_rest(rest).authors else ()
    return names if len(names) > 2 or (names and AND.search(rest)) else ()  # two words may be tags


def _goes_on(title: str, rest: str, length: int) -> bool:
    """Return True if words in bold are only the beginning of the title: `**Cachet**: a story of caches`."""
    if title.endswith((":", "：")):
        return True
    if title.endswith((".", "。", "．", "?", "!")) or length > 2 * MIN_TITLE_WORDS or not _CONTINUATION.match(rest):
        return False
    authors = part_rest(rest).authors
    is_signed = len(authors) > 1 or (authors and "et al" in rest)
    return not rest.strip().startswith(("(", "[", "*", "_")) and not is_signed


def _cite_bold_behind(before: str, title: str, rest: str, *, is_long: bool) -> CitationParts | None:
    """Split a reference with a bold title behind other words. `is_long`: the title has several words."""
    authors = names_before_title(before.strip(EDGES + '"“'))
    if not authors and is_long and (label := _LABEL_OF_NAMES.match(before)):  # `Dual learning: He et al., **Title**`
        authors = names_before_title(before[label.end() :].strip(EDGES))
        rest = f"{rest.rstrip()} ({label['what'].strip('`')})" if authors else rest
    if before.endswith(('"', "“")):
        rest = rest.lstrip(' .,"”')
        return CitationParts(title, authors, rest if authors else f"{before[:-1].strip(EDGES)}; {rest}")
    if authors and is_long:
        return CitationParts(title, authors, rest)
    dated = _DATED_FIRST.match(before)  # Author, A. (1991). Journal. **Title**. 94-104
    authors, year = split_dated_names(dated[0]) if dated and is_long else ((), None)
    if not dated or not authors:
        return None
    return CitationParts(title, authors, f"{before[dated.end() :].strip(EDGES)}. {rest.strip(EDGES)} {year}")


def _cite_without_bold(text: str) -> CitationParts:
    unmarked = re.sub(r"\*\*|__|~~", "", text)
    return next((citation for part in _PARTERS if (citation := part(unmarked))), CitationParts(unmarked))


def _cite_by_pipes(text: str) -> CitationParts | None:
    """Split `Title. Authors | remark`, also at `·`."""
    match = PIPE.search(text) if "|" in text or "｜" in text else None
    if not match or count_words(text[: match.start()]) < 2:
        return None
    first = parse_citation(text[: match.start()])
    return CitationParts(first.title, first.authors, f"{first.remainder} {text[match.end() :]}".strip())


_PARTERS: tuple[Callable[[str], CitationParts | None], ...] = (
    cite_file_name,
    cite_before_remark,
    _cite_behind_bold_names,
    cite_in_bold,
    _cite_by_bold,
    cite_by_type_mark,
    cite_by_slashes,
    cite_cjk_reference,
    cite_book,
    cite_by_quotes,
    _cite_by_pipes,
    cite_before_place_and_year,
    cite_turned_names_and_year,
    cite_surnames_first,
    cite_surnames_and_year,
    cite_names_and_bare_year,
    cite_joined_surnames,
    cite_cjk_names_and_year,
    cite_mostly_inverted,
    cite_by_italics,
    cite_names_before_colon,
    cite_foreign_names,
    cite_initialled,
    cite_by_sentences,
    cite_by_keyword,
    cite_by_fields,
    cite_by_dashes,
    cite_names_first,
    cite_by_commas,
    cite_long_text,
)
