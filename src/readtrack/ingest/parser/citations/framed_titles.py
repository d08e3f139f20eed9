"""References whose title is marked: in quotation marks, before the mark of its type, before slashes."""

import re

from readtrack.infra.text.titles.dates import YEAR
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.citations.cited_names import dated_names, names_before_title, surnames_before
from readtrack.ingest.parser.citations.patterns import (
    AND,
    INITIAL,
    LISTED,
    MIN_TITLE_WORDS,
    NAME_AND_POINTS,
    PARTICLE,
    SURNAME,
    count_words,
)
from readtrack.ingest.parser.vocabulary.author_names import (
    EDGES,
    CitationParts,
    likely_names,
    names_by_commas,
    names_in,
    surnames_in,
)

_BOLD_REFERENCE = re.compile(  # `**Chen & Ong, "A universal potential" (M3GNet)**, Nature 2022`
    r"(?P<mark>\*\*|__)(?P<names>(?![*_\s])[^*_\"“\n]{3,200}?),\s"
    r"(?:\"(?P<quoted>[^*\"\n]{4,400})\"|“(?P<curly>[^*”\n]{4,400})”|\*(?![*\s])(?P<italic>[^*\n]{4,400})\*)"
    r"(?P<more>(?:\s?\([^()*\n]{1,60}\))?)[.,]?(?P=mark)(?P<rest>(?!\*).*)",
    re.DOTALL,
)
_YEAR_BEHIND = re.compile(r"\s?\((?:(?:[A-Z][^()]{0,50}|\d[a-z]{2}\sed\.),\s)?(?:19|20)\d\d\)(?!.*\*)")
_QUOTED = re.compile(
    r"^(?P<before>.{0,600}?)(?:[“«「『《〈]|(?<!\w)\")(?P<title>[^“”«»「」『』《》〈〉\"]{8,300})[”»」』》〉\"](?P<rest>.*)$",
    re.DOTALL,
)
_SINGLE_QUOTED = re.compile(  # after authors only: an apostrophe is more often part of a word
    r"^(?P<before>(?:.{3,600}?[\s,.)])?)(?:(?<=.)'|‘)(?P<title>\S(?:[^‘’']|(?<=\w)['’](?=\w)|(?<=\s)‘[^‘’']{1,100}’){7,300})['’](?=[\s,.;)]|$)"
    r"(?P<rest>.*)$",
    re.DOTALL,
)
# The kind of a work behind its title, as GB/T 7714 asks for: `[J]`, `[C]//`, `[EB/OL]`.
_TYPE_MARK = re.compile(
    r"(?<=\S)\s?[\[［](?P<type>[A-Z]|DB|CP|EB|CM|DS)(?:/(?:OL|CD|MT|DK))?[\]］]\s?(?P<joint>//|[.．。,，;:：]|(?=\s|$|[(（\[]))\s?"
)
_WITH_QUOTES_INSIDE = 4  # quotation marks
_PERIODICAL, _INSIDE_ANOTHER = frozenset("JN"), "//"
_TRANSLATED = re.compile(r"[\s.．]{0,2}(?P<who>[^\s.．\d:：]{2,40}(?<!翻)[译譯訳])[.．]\s?")
_COUNTRY_FIRST = re.compile(  # of a translated author
    r"(?:\[\d{1,3}\]\s?)?(?P<country>[\[［(（【〔](?:[美英德法日俄苏加澳意荷韩印奥挪丹芬比波匈捷希葡西巴瑞墨古]国?|瑞[士典]|以色列|巴西|印度|日本|波兰|"
    r"苏联|前苏联|加拿大|意大利|澳大利亚|奥地利|新西兰|新加坡)[\]］)）】〕])\s?"
)
_GB_STOP = re.compile(r"[.．。]\s?(?=\S)")
_ACCESS_DATE = re.compile(r"[\[［]\d{4}-\d\d?-\d\d?[\]］]")
_FULL_DATE = re.compile(r"\b(?P<year>(?:19|20)\d\d)-\d\d?-\d\d?\b")
_REMARK_LAST = re.compile(r"(?P<title>[^*]{12,300}?)\s{1,3}\*{3}(?P<remark>[^*]{2,60})\*{3}(?P<rest>.*)", re.DOTALL)
_QUOTES_INSIDE = re.compile(  # `"The Title of "Scare" Words", 102 Journal, 2019`
    r"(?P<before>[^\"]{3,200})\"(?P<title>[^\"]{4,200}\s\"[^\"]{2,60}\"\s[^\"]{3,200})\"(?P<rest>[^\"]*)", re.DOTALL
)
_CAPITALIZED = re.compile(  # words that may be names, in whatever order
    rf"(?:(?:{PARTICLE}|and|et|al\.?|&|[^\W\d_a-z][\w.'’-]{{0,30}})[,;.]?\s){{1,30}}"
)
_JOURNAL_AND_YEAR = re.compile(r"[,.]?\s(?:[Ii]n:?\s)?[\dA-Z].{2,150}[,;\s(](?:19|20)\d\d\)?\s?\.?")
_SURNAME_AND_INITIALS = re.compile(
    r"(?!(?:Session|Part|Chapter|Section|Volume|Track|Appendix|Room|Group|Team|Unit|Module|Series|Paper|Talk)\s)"
    rf"{SURNAME}\s(?:[A-Z]\.){{0,2}}[A-Z]"
)
_TURNED = 2  # parts of a name
_BETWEEN_NAMES = re.compile(r",?\s(?:and|&)\s|[,;]\s")
_OPENING_QUOTE = re.compile('[“«「『《〈"]')
_BEFORE_SLASHES = re.compile(  # the names may be in italics
    rf"(?:\*(?P<italic>[^*]{{3,500}})\*|(?P<names>{NAME_AND_POINTS}(?:, {NAME_AND_POINTS}){{0,30}}))\s"
    r"(?P<title>[^*]{4,})"
)
_SLASHES = re.compile(r"\s(?://|[:/](?=\s.{1,300}\s—\s(?:19|20)\d\d))\s")
_GOST_DASH = re.compile(r"\.?\s[-–—]{1,3}\s")
_FILE_OF_AUTHOR = re.compile(
    r"(?P<title>[^_]*[\u3400-\u9fff][^_]{4,200})_(?:[^_\s]{2,30}\s)?(?P<name>[\u3400-\u9fff·]{2,12})"
    r"(?P<rest>[\s_,(（]{1,2}(?:19|20)\d\d[)）]?)?"
)
_LIST_MARK = re.compile(r"(?:\[\w{1,12}\]|\d{1,2}-)\s?(?=[A-Z])")  # “[Top]Title”, “3-Title”
_SEPARATORS = (",", "，", "、", ":", "：", ";", "；", ".", "。", ")", "）")


def cite_in_bold(text: str) -> CitationParts | None:
    """Split a reference of which authors and framed title are in bold. One word before a title may be its beginning."""
    marked = text.lstrip("★☆⭐ ")  # a rating
    match = _BOLD_REFERENCE.fullmatch(marked) if marked.startswith(("**", "__")) else None
    if match is None:
        return None
    names = match["names"]
    authors = names_in(names) or surnames_in(names)
    title = match["quoted"] or match["curly"] or match["italic"]
    is_book = bool(match["italic"] and _YEAR_BEHIND.match(match["rest"]) and not names_in(title))
    is_sure = len(authors) > 1 or (authors and (is_book or "et al" in names or INITIAL.search(names)))
    return CitationParts(title.strip(), authors, f"{match['rest']} {match['more']}".strip()) if is_sure else None


def cite_before_remark(text: str) -> CitationParts | None:
    """Split `The Title ***code available***`: such emphasis is no part of a title."""
    match = _REMARK_LAST.fullmatch(text) if "***" in text else None
    return CitationParts(match["title"], (), f"{match['remark']} {match['rest']}") if match else None


def cite_by_quotes(text: str) -> CitationParts | None:
    """Split `A. Author, "The Title", Venue 2020` and `"The Title". Venue`."""
    match = _match_quotes(text)
    if match and (names := surnames_before(match["before"], match["rest"])):
        return CitationParts(_LIST_MARK.sub("", match["title"]), names, match["rest"])
    if not match:
        return None
    before, rest = match["before"].strip(EDGES + "<("), match["rest"]
    authors = names_before_title(before) or _capitalized_names(match["before"], rest)
    if not authors and match["before"].rstrip().endswith((",", ".")) and YEAR.search(rest):
        authors = likely_names(before) or (surnames_in(before) if AND.search(before) else ())
    is_chapter = rest.lstrip(" ,").startswith(("*", "_"))  # "Pragmatism." *A History of Systems*
    min_words = 1 if len(authors) > 2 or (authors and is_chapter) else 2 if authors else MIN_TITLE_WORDS
    if count_words(match["title"]) < min_words:
        return None
    is_run_on = CJK.search(before) and not match["before"].rstrip().endswith(_SEPARATORS)  # `今月は「題名」`
    if (before and (not authors or is_run_on)) or re.match(r"\s*[:：]\s*\w|\s[a-z]+\s[a-z]", rest):
        return None
    return CitationParts(match["title"], authors, rest)


def _match_quotes(text: str) -> re.Match[str] | None:
    is_quoted = _OPENING_QUOTE.search(text) is not None
    inside = _QUOTES_INSIDE.fullmatch(text) if is_quoted and text.count('"') == _WITH_QUOTES_INSIDE else None
    return inside or (_QUOTED.match(text) if is_quoted else None) or _match_single_quotes(text)


def _capitalized_names(before: str, rest: str) -> tuple[str, ...]:
    """Return the names before a title in quotation marks, which a journal and the year follow."""
    if not (
        _CAPITALIZED.fullmatch(before) and before.rstrip().endswith((",", ".")) and _JOURNAL_AND_YEAR.fullmatch(rest)
    ):
        return ()
    text = before.strip(EDGES)
    names = tuple(_BETWEEN_NAMES.split(text))
    if len(names) == 1 and not _SURNAME_AND_INITIALS.fullmatch(text):
        return ()
    return (", ".join(names),) if len(names) == len(text.split(",")) == _TURNED else names  # `Lovelace, Ada`


def _match_single_quotes(text: str) -> re.Match[str] | None:
    """Match a title in single quotation marks behind names and a year: `Dwork, C. and Roth, A. (2014) 'Title'`."""
    match = _SINGLE_QUOTED.match(text) if "'" in text or "‘" in text else None
    if match and match["before"]:
        return match if names_in(match["before"]) or dated_names(match["before"]) else None
    return match if match and match["rest"].startswith(",") else None  # behind names that were read before


def cite_by_type_mark(text: str) -> CitationParts | None:
    """Split `Kipf T N, Welling M. Title[C]//Proceedings. 2017` at the mark of its type, which ends the title."""
    mark = _TYPE_MARK.search(text, 4) if "]" in text or "］" in text else None
    if not mark:
        return None
    before = text[: mark.start()]
    rest = _FULL_DATE.sub(r"\g<year>", _ACCESS_DATE.sub("", text[mark.end() :]))
    if country := _COUNTRY_FIRST.match(before):
        before, rest = before[country.end() :], f"{rest} {country['country']}"
    translated = _TRANSLATED.match(rest) if mark["type"] not in _PERIODICAL else None
    if translated:  # who translated it is no venue
        rest = f"{rest[translated.end() :].strip()} ({translated['who']})"
    if mark["type"] in _PERIODICAL or mark["joint"] == _INSIDE_ANOTHER:
        rest = f"In {rest.lstrip()}"
    for stop in _GB_STOP.finditer(before):
        if names := names_in(before[: stop.start()]) or names_by_commas(before[: stop.start()]):
            return CitationParts(before[stop.end() :], names, rest)
    return CitationParts(before, (), rest)


def cite_by_slashes(text: str) -> CitationParts | None:
    """Split `Lovelace A., Babbage C. Title // Journal. — 1843. — Vol. 3`, the form of Russian references.

    A thesis or book has `Title : thesis / A. Lovelace. — 1843` instead.
    """
    end = _SLASHES.search(text)
    match = _BEFORE_SLASHES.fullmatch(text, 0, end.start()) if end else None
    if not end or not match:
        return None
    names = tuple(LISTED.split(match["italic"] or match["names"]))
    rest = _GOST_DASH.sub(", ", text[end.end() :])
    return CitationParts(match["title"], names, f"In {rest}" if "//" in end[0] else rest)


def cite_file_name(text: str) -> CitationParts | None:
    """Split `题名_作者`, the name that Chinese databases give to files."""
    match = _FILE_OF_AUTHOR.fullmatch(text) if "_" in text else None
    return CitationParts(match["title"], (match["name"],), match["rest"] or "") if match else None
