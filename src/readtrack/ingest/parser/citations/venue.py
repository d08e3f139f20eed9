"""Venue and year in the text behind the title of a reference."""

import re

from readtrack.infra.text.titles.dates import MONTH_NAME
from readtrack.infra.text.titles.vocabulary import CJK_LETTERS
from readtrack.ingest.parser.citations.patterns import LOOKED_AT, VOLUME, YEAR
from readtrack.ingest.parser.vocabulary.author_names import EDGES, is_name, is_venue_like, names_in
from readtrack.ingest.parser.vocabulary.venues import match_venue, take_tag

_VOLUME_FIRST = re.compile(  # as in law
    r"\d{1,3}\s?(?:\(\d{1,2}\))?\s(?P<venue>[A-Z][^\d\s,;()]{0,20}\s[^\d,;()]{3,60}?)(?:\s\d{1,5})?"
    r"(?:(?:[,.]\s?|\s\(?)(?P<year>(?:19|20)\d\d)\)?)?"
)
_VOLUME_FIRST_WITH_PAGE = re.compile(  # `109 Daedalus 121 (1980)`
    r"\d{1,3}\s(?P<venue>[A-Z][\w.&’'-]{2,40}(?:\s[\w.&’'-]{1,40}){0,8})\s\d{1,5}(?:[,–-]\s?\d{1,5})?\s"
    r"\((?P<year>(?:18|19|20)\d\d)\)"
)
_IN = re.compile(r"^\s*[Ii]n:?\s+(?:the\s)?(?=\S)")
_PROCEEDINGS = re.compile(
    r"^(?:Proc(?:\.|eedings)?(?: of)?(?: the)?\s)?(?:(?:\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d)\s)?"
)
_ABBREVIATED = re.compile(
    r"\b(Acad|Adv|Am|Ann|Annu|Appl|Assoc|Bull|Can|Commun|Comput|Conf|Eng|Found|Int|Intell|J|Learn|Lett|Mach|Mag|Math|Natl|Netw|Phys|Proc|Res|Rev|"
    r"Sci|Soc|Softw|Symp|Syst|Tech|Technol|Trans|Univ)\."
)
_ABBREVIATED_FIRST = re.compile(r"(?:Nat|Proc|Phys|Comput|Biol|Chem|Med|Clin|Eur|Annu|Appl|Curr|Genome|Mol)\s")
_POINT = "\0"  # stands for the point of an abbreviation, which ends no sentence
_VENUE_END = re.compile(
    rf",\s{MONTH_NAME}\s(?:\d{{1,2}}(?:[-–]\d{{1,2}})?,?\s)?(?=(?:19|20)\d\d)|"
    r"(?:[,，]\s?|\s)(?i:vol|no|pp?|pages?|art|article)\b\.?|,?\s\(?(?:19|20)\d\d\)?(?!\s?[A-Za-z])|"
    r",\s?\d|\s\d{1,4}(?:\s?\(\d|[,:;]|\.\d{1,5}\s\()|"  # a volume
    r"(?<=[a-z)])[.;]\s|[。，、；]|\s\((?:pp|[Vv]ol)|"
    r",\s(?:edited|eds?\.|Chapters?|Ch\.)\s|[,.]\s?https?:|,\s(?:Article|abs/)|(?<=\w)\.\s(?=\d)"
)
_PAGES = re.compile(r"(?<![\d(])\d{1,6}\s?[-–—]{1,3}\s?\d{1,6}|\d{4}\.\d{4,5}|https?://\S+|\d{4}\)?\.\d")
_VOLUME_LAST = re.compile(r"(?<=[a-z])\s\d{1,4}$")  # `Cell 172`, whose pages are taken off
_YEAR_IN_BRACKETS = re.compile(r"[(（](?P<year>(?:19|20)\d\d)[a-z]?[)）]")  # `124, 2093 (2019)`
_BRACKETS = re.compile(r"[(（][^()（）]{2,60}[)）]")
_POINT_BEFORE_YEAR = re.compile(rf"(?<=[{CJK_LETTERS}])[.．](?=(?:19|20)\d\d(?!\d))")
PUBLISHERS = frozenset({"acm", "ieee", "usenix"})
_PUBLISHER_LAST = re.compile(r"(?<=\w),\s(?:ACM|IEEE|USENIX|Springer|Elsevier|Wiley)$")  # `IT Professional, IEEE`
_SMALL_WORD = re.compile(r"\b(?!from\b|with\b)[a-z]{4,}\b")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_VENUE_NAME = re.compile(
    r"\b(?:Communications|Commun|Advances in|Annals|Lecture Notes|Nature|Science|Cell|Letters|Magazine|Review|Reports?|"
    r"Monatshefte|Bulletin|Notices|Computing Surveys|Quarterly|Operating Systems|Trans|Proc|Symp|Conf|Univ|University|"
    r"Press|Publish(?:ing|ers?)|Verlag|Thesis|Dissertation|arXiv)\b"
)
_NAME_AND_YEAR = re.compile(  # `Springer, 2013`, `Global Change Biology, 2022`
    r"[A-Z][a-z]{4,20}[,.]?\s\(?(?:19|20)\d\d\)?|(?:ACM|IEEE|USENIX|SIG[A-Z]{2,6})\s[A-Z]{2,9},?\s\(?(?:19|20)\d\d\)?|"
    r"[A-Z][a-z]{2,20}(?:\s(?:of|the|and|in|on|for|&|[A-Z][a-z]{2,20})){0,5}\s[A-Z][a-z]{2,20}[,.]?\s\(?(?:19|20)\d\d\)?"
)
_AROUND_VENUE = re.compile(r"\b(?:in|proc|proceedings|of|the|pp?|pages?|vol|no)\b\.?|\d+", re.IGNORECASE)
_OLD_YEAR_LAST = re.compile(r"(?:^|\s)(1[5-8]\d\d)$")  # where the year of a reference without another was put
_YEAR_THEN_VENUE = re.compile(r"(?P<year>(?:19|20)\d\d)[.,]\s(?P<venue>[A-Z].{1,100})")


def begins_with_volume(text: str) -> bool:
    """Return True for a journal between its volume, page and year, as in law: `76 Tex. L. Rev. 553 (1998)`."""
    return _VOLUME_FIRST_WITH_PAGE.fullmatch(text.strip(EDGES)) is not None


def find_venue(remainder: str) -> tuple[str, int | None]:
    """Return the venue and year in the text after the title of a reference, "" and None if there are none.

    Examples: `in Proc. NeurIPS, 2017, pp. 5998-6008`, `Communications of the ACM, 21(7), 558-565`, `34 Law Rev. 2`
    """
    words = remainder.strip(EDGES)
    if law := _VOLUME_FIRST_WITH_PAGE.fullmatch(words) or _VOLUME_FIRST.fullmatch(words):
        return law["venue"], int(law["year"]) if law["year"] else None
    text = _PAGES.sub("", remainder[:LOOKED_AT].replace("*", "").replace("_", " "))
    if turned := _YEAR_THEN_VENUE.fullmatch(text.strip(EDGES)):
        text = f"{turned['venue']}, {turned['year']}"
    if not text.isascii():
        text = _POINT_BEFORE_YEAR.sub(", ", text)
    text, year = _take_year(text)
    for bracket in _BRACKETS.finditer(text):
        tag = take_tag(bracket[0])
        if tag.venue and not tag.remainder:
            return tag.venue, tag.year or year
    whole = _ABBREVIATED.sub(rf"\1{_POINT}", _IN.sub("", text.strip(EDGES)))
    end = _VENUE_END.search(whole)
    name = (whole[: end.start()] if end else whole).replace(_POINT, ".").strip(EDGES + "()[]")
    name = _PUBLISHER_LAST.sub("", _VOLUME_LAST.sub("", name) if end or _PAGES.search(remainder) else name)
    if name.casefold().startswith("arxiv"):
        return "arXiv", year
    first_sentence = _PROCEEDINGS.sub("", name).partition(". ")[0]
    if known := match_venue(f"{first_sentence} {year}" if year else first_sentence):
        return known.venue, year
    is_introduced = _IN.match(text.strip(EDGES)) is not None
    is_like_one = (
        is_venue_like(name)
        or _VENUE_NAME.search(name)
        or (end is not None and VOLUME.match(whole, end.start()))
        or (_NAME_AND_YEAR.fullmatch(whole) and (_ABBREVIATED_FIRST.match(name) or not is_name(name)))
    )
    is_venue = is_introduced or (is_like_one and not names_in(name))
    name = f"{name})" if name.count("(") == name.count(")") + 1 else name  # `Journal of Roads (ITS)`
    return (name if is_venue and _LETTERS.search(name) else ""), year


def _take_year(text: str) -> tuple[str, int | None]:
    """Return the text and its last year. An old one, which could be a number of another kind, is taken out of it."""
    years = [int(match["year"]) for match in _YEAR_IN_BRACKETS.finditer(text)]
    years = years or [int(match[0]) for match in YEAR.finditer(text)]
    if not years and (old := _OLD_YEAR_LAST.search(text)):
        return text[: old.start()], int(old[1])
    return text, years[-1] if years else None


def has_small_word(name: str) -> bool:
    """Return True for words as in a remark, which names of journals do not have: `Very good`, `To be read`."""
    return _SMALL_WORD.search(name) is not None


def says_more(remainder: str, venue: str, year: int | str | None) -> bool:
    """Return True if the text behind a title says more than its venue, year and pages."""
    beside = remainder.replace(venue, "", 1).replace(str(year), "")
    return _LETTERS.search(_AROUND_VENUE.sub("", beside)) is not None
