"""Lists of titles with their authors, such as `The Title - Adib and Katabi` or `*The Title* by **A. Author** (1998)`.

A dash or a "by" may be part of a title, and any capitalised words may be names. The whole list tells which it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.items.subjects import is_task
from readtrack.ingest.parser.items.title_runs import are_titles, could_be_titles
from readtrack.ingest.parser.vocabulary.author_names import is_name, is_venue_like, read_signature
from readtrack.ingest.parser.vocabulary.title_affixes import take_head

_YEAR = re.compile(r"[\s,.]{1,3}(?:[-–—]\s)?(?:(?P<year>(?:19|20)\d\d)|[(\[](?P<bracketed>(?:19|20)\d\d)[)\]])\.?$")
_DASH_LAST = re.compile(r"(?P<title>.{3,300}\S)\s(?:[-–—]{1,2}\s?|~\s)(?P<names>[^-–—~\s].{1,300})")
_BY_LAST = re.compile(r"(?P<title>.{3,300}[^\s,]),?\s[Bb]y:?\s(?P<names>.{2,300})")
_BRACKETS_LAST = re.compile(r"(?P<title>.{3,300}\S)\s[(\[](?P<names>[^()\[\]]{2,200})[)\]]")
_DASH_FIRST = re.compile(r"(?P<names>[^-–—]{2,200}?)\s[-–—]{1,2}\s(?P<title>.{4,300})")
_COLON_FIRST = re.compile(r"(?P<names>[^:：]{2,200}?)[:：][*_]{0,2}\s?(?P<title>.{4,300})")
_COMMA_LAST = re.compile(
    r"(?P<title>[^,\s]{1,60}(?:\s[^,\s]{1,60}){1,60}(?:,[^,]{1,100}){0,2}?),\s(?P<names>[^\s,].{1,300})"
)
_NO_TITLE = (  # of persons: where they are and what they do
    r"(?:Department|Dept|Institute|Cent(?:er|re)|School|Faculty|College|University|Lab|Laboratory|Professor|Prof|Head|Director|"
    r"Lecturer|Chair|Member|Founder|Co-|Engineer|Student|Researcher|Research|CEO|CTO|PhD|Postdoc|Vice|Senior|Associate|"
    r"Assistant|Editor|Manager|Chief|Principal|Program(?:me)?|President|Visiting|Discussed|Presented|Asked|Said)\b"
)
_COMMA_FIRST = re.compile(
    rf"(?P<names>[A-Z][^:;.]{{0,200}}(?:\.[^:;.]{{1,100}}){{0,8}}),\s(?P<title>(?!{_NO_TITLE})[A-Z][^,]{{4,300}})"
)
_SAID = re.compile(
    r"(?<=\w)\s\((?P<words>[^\s()]+(?:\s[^\s()]+){2,200})\)?$"
)  # `The Title - A. Author (why I read it)`
_FORMS = (_DASH_LAST, _BY_LAST, _BRACKETS_LAST, _DASH_FIRST, _COLON_FIRST, _COMMA_LAST, _COMMA_FIRST)
_MORE_THAN_TITLE = re.compile(r"[「『《“\"][^」』》”\"]{8,300}[」』》”\"]\s?[^\s.]")  # `「The Title」, Venue`
_NO_NAME = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|"
    r"november|december|spring|summer|fall|autumn|winter|part|chapter|extended|abstract|version|draft|poster|demo|oral|"
    r"short|long|volume|internal|misc|todo|tbd)s?\b",
    re.IGNORECASE,
)
_WITH_REMARK = frozenset({_DASH_LAST, _BY_LAST})
_TITLE_FIRST = frozenset({_DASH_LAST, _BY_LAST, _BRACKETS_LAST, _COMMA_LAST})
_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_MIN_ITEMS, _MIN_OF_ALL, _MIN_OF_FORM, _MIN_SURE = 4, 0.3, 0.7, 0.3
_MIN_MEAN_WORDS, _MIN_FULL, _MOST, _MAX_SAMPLED, _MAX_TASKS = 3, 8, 0.8, 400, 0.25


class SignedTitle(NamedTuple):
    title: str
    authors: tuple[str, ...]
    year: int | None
    remark: str = ""  # also one word that may be an author, and as well who presents it, a company or a short name
    is_sure: bool = True  # "et al.", initials, or several names with a full one


@dataclass(frozen=True)
class Splitter:
    """Splits items of one form, with groups `title` and `names`."""

    form: re.Pattern[str]
    are_authors: bool = True  # not only one word behind each title

    def has_form(self, text: str) -> bool:
        return self.form.fullmatch(_without_year(self._without_remark(text)[0])[0]) is not None

    def _without_remark(self, text: str) -> tuple[str, str]:
        said = _SAID.search(text) if self.form in _WITH_REMARK else None
        return (text[: said.start()], said["words"]) if said else (text, "")

    def split(self, text: str) -> SignedTitle | None:
        text, said = self._without_remark(text)
        before_year, year = _without_year(text)
        match = self.form.fullmatch(before_year)
        if match is None or _MORE_THAN_TITLE.match(match["title"]):
            return None
        signature, inner_year = _without_year(match["names"])  # `The Title (Author, 1998)`
        names, is_sure = read_signature(signature)
        title, year = match["title"].strip(), year or inner_year
        if not names or _NO_NAME.search(signature) or is_venue_like(signature):
            return None
        is_one_word = len(names) == 1 and " " not in names[0]
        if not is_sure and ((is_one_word and self.form not in _TITLE_FIRST) or (" " not in title and not year)):
            return None  # `Raft - In Search of …`, `Dynamo - Amazon's Store`
        if _has_more(text, match["title"]):
            return None
        if not self.are_authors:
            return SignedTitle(title, (), year, f"{signature} {said}".rstrip())
        return SignedTitle(title, names, year, said, is_sure=is_sure)

    def fits_list(self, texts: Sequence[str]) -> bool:
        """Return True if a list, which may be too short to decide by itself, has titles in this form."""
        titles = [signed.title for text in texts if (signed := self.split(text))]
        if not titles or sum(map(is_task, titles)) > _MAX_TASKS * len(titles):
            return False
        return _mean_words(titles) >= _MIN_MEAN_WORDS and could_be_titles(titles)


def find_splitters(lists: Sequence[Sequence[str]]) -> list[Splitter | None]:
    """Return what splits the items of each list into title and authors, None for one without signed titles.

    A form that most items of all lists have is that of each that has titles in it, also of a short one.
    """
    common = find_splitter([text for texts in lists for text in texts])
    if common is None:
        return [find_splitter(texts) for texts in lists]
    return [common if common.fits_list(texts) else None for texts in lists]


def find_splitter(texts: Sequence[str]) -> Splitter | None:
    """Return what splits the items of one list into title and authors, None if they are no signed titles."""
    sample = texts[:_MAX_SAMPLED]
    return next((splitter for form in _FORMS if (splitter := _try_form(form, sample))), None)


def _try_form(form: re.Pattern[str], texts: Sequence[str]) -> Splitter | None:
    """Return a splitter if most items of the form have names in it, and titles; some items may have no names."""
    splitter = Splitter(form)
    found = [signed for text in texts if (signed := splitter.split(text))]
    if len(found) < max(_MIN_ITEMS, _MIN_OF_ALL * len(texts)):
        return None
    if len(found) < _MIN_OF_FORM * sum(map(splitter.has_form, texts)):
        return None
    titles = [signed.title for signed in found]
    if _mean_words(titles) < _MIN_MEAN_WORDS:
        return None
    full = sum(map(_has_full_name, found))
    are_sure = sum(signed.is_sure for signed in found) >= _MIN_SURE * len(found) or full >= max(
        _MIN_FULL, _MOST * len(found)
    )
    are_authors = are_sure or 2 * full > len(found) or any(len(signed.authors) > 1 for signed in found)
    if not (could_be_titles(titles) if are_sure else are_titles(titles)):
        return None
    return Splitter(form, are_authors) if are_authors or form in _TITLE_FIRST else None


def _has_more(text: str, words: str) -> bool:
    """Return True for `A. Author: *The Title* (Publisher, 1998)`, which tells by itself that the words go on."""
    citation = parse_citation(take_head(text).title)
    is_part = citation.title in words and citation.title != words and len(_WORD.findall(citation.title)) > 1
    return bool(citation.authors) and is_part


def _mean_words(titles: Sequence[str]) -> float:
    return fmean(len(_WORD.findall(title)) + len(CJK.findall(title)) / 2 for title in titles)


def _has_full_name(signed: SignedTitle) -> bool:
    return any(is_name(name) for name in signed.authors)


def _without_year(text: str) -> tuple[str, int | None]:
    year = _YEAR.search(text)
    return (text[: year.start()], int(year["year"] or year["bracketed"])) if year else (text, None)
