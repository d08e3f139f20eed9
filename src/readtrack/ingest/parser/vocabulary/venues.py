"""Venue tags next to a title: (OSDI'24), [NSDI 25], 【ICML 2023】, `EuroSys '24`, in ICLR 2024.

The year is the one in the tag. A known venue in brackets may have none.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from readtrack.infra.text.titles.dates import MONTH_NAME
from readtrack.infra.text.titles.prefix_tree import prefix_tree
from readtrack.infra.text.titles.vocabulary import ORGANISATIONS, SHORT_VENUES, VENUE_WORDS, VENUES, VENUES_IN_ANY_CASE
from readtrack.ingest.parser.vocabulary.journals import is_subject, named_journal

_NAME = (
    rf"(?P<venue>{prefix_tree('findings of the |findings of |USENIX |ACM |IEEE/ACM |IEEE |the ', any_case=True)}?"
    rf"(?:{VENUES_IN_ANY_CASE}|{prefix_tree(SHORT_VENUES, any_case=False)}))(?:(?i:-?W(?=['’\s]?\d)))?"
)
_YEAR = r"(?P<year>(?:19|20)\d\d|(?:[0-4]\d|[7-9]\d)(?!\s?\(|:\d|\.\d{3}))(?!\d)"
_APOSTROPHE = r"[\s_-]?['’‘`´]{0,2}\s?"
_BETWEEN = rf"[\s,]{{0,2}}(?:(?:{MONTH_NAME}|\d{{1,2}}[/.-])[\s,]{{0,2}})?"
_PART = r"(?P<part>(?:[\s:-]{1,2}|\s?\()(?i:findings|workshops?|hlt|d&b|datasets (?:and|&) benchmarks)\)?)?"
_DATED = (
    rf"{_NAME}{_PART}(?:{_BETWEEN}(?=\d{{4}})|{_APOSTROPHE}){_YEAR}(?:['’‘`´](?!\w)|[./-](?:0?[1-9]|1[0-2])(?![\d.]))?"
)
_DECORATION = r"(?i:oral|spotlight|poster|highlight|best (?:student )?paper|award|notable|top[ -]\d|outstanding|runner)"

# Words in the brackets before the venue.
_LEAD = (
    r"(?i:to appear(?: in| at)?|accepted (?:by|at|to|in)|accepted|published (?:in|at|by)|presented at|"
    r"appear(?:ed|s) (?:in|at)|arxiv:\d{4}\.\d{4,5}(?:v\d)?|"
    r"in|at|best (?:student )?paper(?: award)?(?: (?:at|of))?|oral|spotlight|poster|award|venue|"
    r"proc(?:\.|eedings)(?: of)?(?: the)?|the|发表于|发表在|会议)"
)
_INSIDE = (
    re.compile(rf"(?:{_LEAD}[\s,:：@-]{{1,3}}){{0,3}}{_DATED}(?P<more>[^\w].{{0,70}})?"),
    re.compile(rf"['’]?{_YEAR}(?:[./-]\d\d?)?['’\s,;:：|-]{{1,3}}{_NAME}(?P<more>[^\w].{{0,40}})?"),
    re.compile(rf"{_NAME}(?P<part>[\s:,-]{{1,2}}[^\d()]{{2,50}}?)[\s,]{{0,2}}['’‘`]?{_YEAR}(?P<more>[^\w].{{0,40}})?"),
    # The year in brackets of its own, after the venue.
    re.compile(rf"{_NAME}(?P<part>)[)\]]?\s?[(\[](?P<year>(?:19|20)\d\d)[)\]]?(?P<more>[^\w].{{0,40}})?"),
    re.compile(rf"(?P<before>[^\d@]{{2,50}}?(?:\s?@\s?|,\s|\sat\s|\s))(?:the\s)?{_DATED}(?P<more>[^\w].{{0,40}})?"),
)
_TITLE_BEFORE = re.compile(r".*[a-z]{4}[.?!]\s.*")  # `On Looms. CVPR 2021`
_ALONE = re.compile(rf"(?:{_LEAD}\s)?{_NAME}(?:{_PART}|[\s,]{{1,2}}{_DECORATION}.{{0,20}})")
_JOURNAL = re.compile(rf"(?=.{{0,60}}\b(?:{VENUE_WORDS}))[^()\[\]@]{{4,110}}")
_JOURNAL_YEAR = re.compile(r"[\s,(]{0,3}['’]?(?P<year>(?:19|20)\d\d)\)?(?=\D|$)")
_PLAINLY_JOURNAL = re.compile(
    r"(?:[Ii]n:?\s)?(?:the\s)?(?P<venue>(?:IEEE|ACM|Journal of|Proceedings of|Proc\.|Transactions on|Communications of|"
    r"Advances in|Annals of|(?:Neural Computation|Machine Learning)(?=[\s,]{1,2}\d)|"
    r"International (?:Conference|Journal))\b"
    r"[^.:?!]{0,120}?)[,\s(*_]{1,4}(?P<year>(?:19|20)\d\d)\)?\.?"
)
_VOLUME_LAST = re.compile(r"(?<=[a-z])[\s,]{1,2}\d{1,3}[\s,]*$")
_UNKNOWN = re.compile(
    r"(?P<venue>[A-Z][A-Za-z&+/-]{0,14}[A-Z][A-Za-z]{0,6}|[A-Z]{2,9})(?P<when>\s?['’‘`´]\s?\d\d|[\s-]?(?:19|20)\d\d)(?!\d)"
    r"(?:[\s,:].{0,40})?"
)
_UNKNOWN_LAST = re.compile(  # 2023 TITS; 1927, EJ
    r"(?P<when>(?:19|20)\d\d)(?:\s(?=[A-Z]{3,9}\Z)|,\s(?!(?:USA|UK|EU|PDF|PhD)\Z))(?P<venue>[A-Z][A-Za-z]{0,6}[A-Z]|[A-Z]{2,9}[a-z]{2,6})"
)
_MONTH_LAST = re.compile(r"(?<=, 20\d\d)[./](?:0?[1-9]|1[0-2])(?=[)\]]$)")  # `(Scientific Reports, 2024.05)`
_NEVER_ALONE = frozenset("cluster micro middleware crypto sc mm ics fast date chi nature science cell security".split())  # noqa: SIM905 - a list of words

_JOURNAL_FIRST = re.compile(
    r"(?P<journal>[A-Z](?:[\w’.-]|[ &,](?=\S)){3,80}?[\s,-]\(?(?:19|20)\d\d\)?|"
    r"[A-Z](?:[\w.-]|[ &](?=\S)){3,80}?\s?['’]\d\d)"
    r"(?:\s?[:：|｜]\s?|\s[-–—]\s|[,.]\s|\s(?=[A-Z]\S*\s\S+\s\S))(?=\S)"
)
_BEFORE_JOURNAL = re.compile(r"(?<=\w)(?:\s[-–—|@/]\s|[,.;?!]\s)(?=[A-Z])")
_YEAR_LAST = re.compile(r"(?:(?:19|20)|['’])\d\d\)?\.?\s*$")
_CAPITALISED_LAST = re.compile(r"(?<![^\s(*_])[A-Z][\w'’-]*(?:\s(?:of|&|and|in))?$")

_YEAR_BEHIND = re.compile(
    r"(?P<name>.{2,80}?)[\s,'’`-]{0,3}(?P<year>(?:19|20)\d\d|(?<=['’` ])\d\d(?!,\s?\d|:\d|\s?\(\d))(?!\d)"
    r"(?P<more>.{0,60})"  # not the number of a volume: `PRL 98, 197403`
)
_SUBMITTED = re.compile(r"(?:under )?(?:submi|review)", re.IGNORECASE)
_VOLUMES = frozenset("cacm csur jacm jair jmlr jsac jssc pnas pvldb tacl tmlr tpami tpds vldbj tkde tods".split())  # noqa: SIM905 - a list of words

_WRAP = r"[*_`]{0,3}"
_FRAMED = (  # in brackets, also with others inside, or between marks
    r"(?:[\[【(（<{〔「](?P<inside>[^\[\]【】()（）<>{}〔〕「」]{2,120}(?:\([^()]{1,30}\)[^()\[\]]{0,40})?)[\]】)）>}〕」]|"
    r"(?P<mark>[`*_]{1,3})(?P<marked>[^*_`]{2,80}?)(?P=mark))"
)
_FIRST = re.compile(rf"\s*{_WRAP}{_FRAMED}{_WRAP}(?!\()\s*[:：,，|｜-]?\s*")
_LAST = re.compile(
    rf"(?<![\s,，|｜:：·-])[\s,，|｜:：·-]*{_WRAP}{_FRAMED}{_WRAP}(?:\s?[(\[]{_DECORATION}[^()\[\]]{{0,20}}[)\]])?\s*[.。,，]?\s*$"
)
_BARE_FIRST = (
    re.compile(
        rf"{_WRAP}(?:@\s?)?{_DATED}{_WRAP}(?P<more>\s(?:{_DECORATION})[^:：]{{0,20}})?(?:\s?[:：|｜]\s?|\s[-–—]\s)(?=\S)"
    ),
    re.compile(rf"{_WRAP}{_NAME}\s?['’‘]{_YEAR}{_WRAP}\s+(?=[A-Z\u3040-\u9fff])"),
    re.compile(rf"{_WRAP}{_NAME}-(?P<year>[012]\d|[7-9]\d){_WRAP}\s+(?=[A-Z\u3040-\u9fff]\S*\s\S+\s)"),
    re.compile(rf"{_WRAP}{_NAME}\s?\((?P<year>(?:19|20)\d\d)\){_WRAP}(?:\s?[:：|｜]\s?|\s[-–—]\s)(?=\S)"),
    re.compile(
        rf"{_WRAP}(?:19|20)\d\d(?<=(?P<year>\d{{4}}))[\s,-]{{1,2}}{_NAME}{_WRAP}(?:\s?[:：|｜]\s?|\s[-–—]\s)(?=\S)"
    ),
)
_FUSED_FIRST = re.compile(  # `JSAI2024 A Title`, whatever the capitals
    rf"{_WRAP}(?P<venue>[A-Z]{{3,9}})(?P<year>20\d\d){_WRAP}\s+(?=[A-Z\u3040-\u9fff]\S*\s\S)"
)
_NO_TITLE = (
    "workshops?|competition|challenge|tutorials?|proceedings|papers?|keynotes?|best|accepted|oral|program|report|dataset|"
    "conference|symposium|session|reading|cup|track|poster|notes?|list"
)
_SPACED_FIRST = re.compile(  # `NeurIPS 2017 A Title`, but `SIGIR 2021 Workshop on …` is one
    rf"{_WRAP}{_NAME}\s?\(?(?P<year>(?:19|20)\d\d)\)?{_WRAP}\s+(?!(?i:{_NO_TITLE})\b)"
    r"(?=[A-Z\u3040-\u9fff]\S*\s\S+\s\S)"
)
_YEAR_FIRST = re.compile(  # `2017 NeurIPS A Title`
    rf"{_WRAP}(?P<year>(?:19|20)\d\d)\s{_NAME}{_WRAP}\s+(?!(?i:{_NO_TITLE})\b)(?=[A-Z\u3040-\u9fff]\S*\s\S+\s\S)"
)
_TO_THE_END = rf"(?P<more>[\s,(]{{1,2}}(?:{_DECORATION}|(?i:workshops?|findings))[\w\s)]{{0,30}})?{_WRAP}\s*[.。]?\s*$"
_DATED_LAST = rf"\s*{_WRAP}(?:{_LEAD}\s){{0,3}}{_WRAP}{_DATED}{_TO_THE_END}"
# Searched patterns begin with a set of characters, so that Python skips all other places at once.
_BARE_LAST = (
    re.compile(rf"^{_WRAP}{_DATED}{_WRAP}\s?(?!\(\s?[*_]?{_DECORATION})(?P<who>\([^()]{{2,60}}\))\s*[.。]?\s*$"),
    re.compile(rf"^{_DATED_LAST}"),
    re.compile(  # behind a separator, which belongs to all of the spaces and separators around it
        r"[\s,，；.|｜](?:(?<![\s,，；.|｜]{2})[\s,，；.|｜]*(?<=[,，；.|｜])|(?<=\s)[-–—@~/])" + _DATED_LAST
    ),
    re.compile(rf"\s(?i:in|at|@)\s?(?:the\s)?{_WRAP}{_DATED}{_TO_THE_END}"),
    re.compile(rf"\s{_NAME}(?:\s(?P<year>(?:19|20)\d\d)|['’](?P<short>\d\d))(?!\d)\s*$"),
    re.compile(  # but not `A Model for CoNLL2003`
        rf"(?<!\band)(?<!\bfor)(?<!\bon)(?<!\bof)(?<!\bto)(?<!\bwith)(?<![\u3040-\u9fff])\s{_NAME}(?P<year>(?:19|20)\d\d)\s*$"
    ),
)
_ROUND_YEAR = (
    rf"{_WRAP}(?:{_LEAD}\s){{0,2}}{_NAME}{_WRAP}[)\]]?\s?[(\[（](?P<year>(?:19|20)\d\d)[)\]）]{_WRAP}\s*[.。]?\s*$"
)
_ROUND_LAST = (
    *_BARE_LAST,
    re.compile(rf"^{_ROUND_YEAR}"),
    re.compile(
        r"[\s,，；.|｜–—@(\[-](?:(?<![(\[])(?<![\s,，；.|｜–—@-]{2})[\s,，；.|｜–—@-]*[(\[]?|(?<=[(\[]))" + _ROUND_YEAR
    ),
)
# What all of these end in, looked for first: it is much faster.
_ENDS_DATED = re.compile(
    rf"\d\d(?:[./-]\d{{1,2}})?[\s*_`]{{0,4}}(?:\([^()]{{2,60}}\)|[\s,(]{{1,2}}(?:{_DECORATION}|(?i:workshops?|findings))"
    rf"[\w\s)]{{0,30}}|[)\]）])?[\s*_`.。]*$"
)
_VOLUME_BEFORE_YEAR = re.compile(r"(?<=[A-Za-z])\s\d{1,3}\s?\(\d{1,3}\)(?=,\s(?:19|20)\d\d)")  # CACM 53(4), 2010
_ARXIV_PREPRINT = re.compile(  # but not `On the arXiv preprint server`
    r"\barxiv preprint\b(?=[\s,.:;*_]*(?:arxiv\b|\(?(?:19|20)\d\d|\Z))", re.IGNORECASE
)
_PIPED_LAST = re.compile(
    rf"\s?[|｜]\s?(?:(?:in\s)?{_NAME}|(?P<journal>(?:Proceedings|Journal|Communications) of\s[^|｜]{{4,150}}))\s*$"
)
_NEVER_PIPED = frozenset({"blog", "security", "preprint"})
# Citations or a score after a venue: `(5)`, `[cited 12]`, `, 123 citations`, `4/5`, `| 12`.
_CITED = r"(?:cited(?:\sby)?|citations?|cites|被引(?:用)?(?:次数|数)?|引用(?:次数|数)?|цитирований)"
_COUNTED = rf"(?:{_CITED}\s?[:：]?\s?)?(?!(?:19|20)\d\d\b)\d[\d,]{{0,7}}\+?(?:\s?(?:{_CITED}|times|次(?:引用)?|回))?"
_COUNT_LAST = re.compile(
    r"(?<![\s,，;；·|｜–—-])[\s,，;；·|｜–—-]*(?:"
    rf"(?<!\D\d)(?<!\D\d\d)[(\[（【]\s?{_COUNTED}\s?[)\]）】]|"
    rf"(?<=[\s,，;；·|｜–—-])(?:{_CITED}\s?[:：]?\s?\d[\d,]{{0,7}}|\d[\d,]{{0,7}}\+?\s?{_CITED})|"
    r"(?<=[|｜]\s)\d{1,5}|(?<=\s)\d(?:\.\d)?/(?:5|10))"
    r"\s*[.。]?\s*$",
    re.IGNORECASE,
)
_MAY_HOLD = re.compile(r"\d\d|[\])】）`*|｜]")
_MAY_END_IN_COUNT = re.compile(  # figures alone, such as a year, are none: a word like "cited" or "by" is before them
    r"[)\]）】用次回][.。\s]*$|[|｜/:：dnsy引用数й]\s{0,2}\d[\d,]{0,7}[.。\s]*$|cit(?:ed|es|ations?)[.\s]*$",
    re.IGNORECASE,
)
_COUNT_EDGES = " \t,，;；·|｜()（）[]【】–—-"
_DIGITS = re.compile(r"\d\d")
_CLOSERS = (*"]】)）>}〕」`*_",)
_WORD = re.compile(r"[a-z&]+")
_NAME_WORDS = frozenset(_WORD.findall(f"{VENUES}|{SHORT_VENUES}".casefold())) - frozenset(
    ["the", "asia", "perform", "eval", "rev"]
)
# Japanese and Chinese journals and meetings, by how their names end: 情報処理学会論文誌, 软件学报.
_CJK_ENDINGS = r"(?:論文誌|学会誌|技報|研究報告|全国大会|年次大会|研究発表会|学報|学报|计算机研究与发展|会议论文集)"
_CJK_MEETINGS = r"(?:研究会|シンポジウム|国際会議|学术会议|国际会议|研讨会|年会|期刊)"  # subjects as well
_CJK_WORD = r"[\u4e00-\u9fff\u30a0-\u30ff々A-Za-z\d]"  # no hiragana: particles make sentences
_CJK_YEAR = r"[\s,，、(（]{0,2}(?P<year>(?:19|20)\d\d)年?[)）]?"
_CJK_NAMED = rf"{_CJK_WORD}{{0,40}}{_CJK_ENDINGS}"
_CJK_MEETING = rf"{_CJK_WORD}{{2,40}}{_CJK_MEETINGS}"
_CJK_ENDING = re.compile(rf"{_CJK_ENDINGS}|{_CJK_MEETINGS}")
_CJK_ONLY = re.compile(rf"[『「《]?(?P<venue>{_CJK_NAMED}|{_CJK_MEETING})[』」》]?(?:{_CJK_YEAR})?")
_CJK_LAST = re.compile(
    rf"[\s,，、;；|｜。」][『《]?(?P<venue>{_CJK_NAMED}|{_CJK_MEETING}(?=[\s,，、(（]{{0,2}}(?:19|20)\d\d))[』》]?(?:{_CJK_YEAR})?"
    r"\s*[.。]?\s*$"
)
_CENTURY, _PIVOT, _NO_VOLUME = 100, 50, 75
_EDGE, _LOOKED_AT, _SHORT = 200, 600, 60


class Venue(NamedTuple):
    """The venue and year of a tag, and the text without the tag."""

    remainder: str
    venue: str = ""
    year: int | None = None


@lru_cache(maxsize=256)  # The same title is split several times while a line is parsed.
def take_tag(text: str) -> Venue:
    """Split the venue tag from a title: in brackets before or after it, or after a comma."""
    if not _MAY_HOLD.search(text) and not _may_end_in_cjk_venue(text):
        return Venue(text)
    if "preprint" in text:
        text = _ARXIV_PREPRINT.sub("arXiv", text)
    return _find_tag(_MONTH_LAST.sub("", text)) or _before_count(text) or Venue(text)


def take_count(text: str) -> tuple[str, str]:
    """Split the number of citations or the score from the end of a text.

    Only useful where a venue stands before it: other numbers in brackets belong to the words.
    """
    edge = max(len(text) - _SHORT, 0)
    match = _COUNT_LAST.search(text, edge) if _MAY_END_IN_COUNT.search(text, edge) else None
    return (text[: match.start()], match[0].strip(_COUNT_EDGES)) if match else (text, "")


def _find_tag(text: str) -> Venue | None:
    return (
        _framed_first(text)
        or _framed_last(text)
        or _bare(text)
        or _piped_last(text)
        or _match_full_text(text)
        or _journal_beside(text)
        or _cjk_last(text)
    )


def _before_count(text: str) -> Venue | None:
    rest, count = take_count(text)
    tag = (_find_tag(rest) or tag_in(rest)) if count else None
    return tag if tag and tag.venue else None


def _piped_last(text: str) -> Venue | None:
    """Parse `Title | VLDB`, as sites and people end titles."""
    match = _PIPED_LAST.search(text, max(len(text) - _EDGE, 0)) if "|" in text or "｜" in text else None
    if not match or not match.start() or (match["venue"] or "").casefold() in _NEVER_PIPED:
        return None
    year = _JOURNAL_YEAR.search(match["journal"]) if match["journal"] else None
    name = match["journal"][: year.start() if year else None] if match["journal"] else _spelled(match)
    return Venue(text[: match.start()].strip(), name.strip(), int(year["year"]) if year else None)


def match_venue(text: str) -> Venue | None:
    """Return the venue that a text is as a whole, such as `NeurIPS 2017`, else None."""
    tag = take_tag(f"({text})")
    return tag if tag.venue and not tag.remainder else None


@lru_cache(maxsize=512)
def split_venue(text: str) -> tuple[str, int | None]:
    """Return the venue and year in a field for the venue: `ICML 2023`, `SOSP'23`, `Journal of Foo, 2019`."""
    if tag := match_venue(text):
        return tag.venue, tag.year
    year = _YEAR_BEHIND.fullmatch(text)
    if year is None:
        return text, None
    return year["name"].strip(" ,'’`-(（") or text, full_year(year["year"])


@lru_cache(maxsize=512)
def tag_in(content: str) -> Venue | None:
    """Parse the text in brackets as a known or obvious venue, or return None."""
    text = content.strip(" \t*_`,，.。@").replace("\u2019", "'").replace("，", ", ")
    text = _VOLUME_BEFORE_YEAR.sub("", text) if "(" in text else text
    return known_tag_in(text) or _unknown(text) or _cjk_only(text) or _dated_journal(text)


@lru_cache(maxsize=512)
def known_tag_in(text: str) -> Venue | None:
    """Parse a text as a known venue, or as one that its words name: conference, journal, transactions."""
    return (_match_known_venue(text) if may_name_venue(text) else None) or _journal(text)


def _match_known_venue(text: str) -> Venue | None:
    for pattern in _INSIDE if _DIGITS.search(text) else ():
        if (match := pattern.fullmatch(text)) and _could_be(match):
            return Venue("", _spelled(match), full_year(match["year"]))
    alone = _ALONE.fullmatch(text)
    return Venue("", _spelled(alone)) if alone and alone["venue"].casefold() not in _NEVER_ALONE else None


@lru_cache(maxsize=256)
def may_name_venue(text: str) -> bool:
    """Return True if a word belongs to a venue's name. A fast check before the patterns."""
    return not _NAME_WORDS.isdisjoint(_WORD.findall(text.casefold()))


def _framed_first(text: str) -> Venue | None:
    match = _FIRST.match(text[:_LOOKED_AT])
    tag = tag_in(match["inside"] or match["marked"]) if match else None
    if not match or not tag or (tag.year is None and (match["mark"] or "`") != "`"):  # a name in bold begins a title
        return None
    return tag._replace(remainder=text[match.end() :].strip())


def _framed_last(text: str) -> Venue | None:
    if not text.rstrip().rstrip(".。,，").rstrip().endswith(_CLOSERS):
        return None
    match = _LAST.search(text, max(len(text) - _EDGE, 0))
    while match and (tag := tag_in(match["inside"] or match["marked"])) is None:
        match = _LAST.search(text, match.start() + 1)
    return tag._replace(remainder=text[: match.start()].strip()) if match and tag else None


def _may_end_in_cjk_venue(text: str) -> bool:
    return not text.isascii() and _CJK_ENDING.search(text, max(len(text) - _SHORT, 0)) is not None


def _cjk_last(text: str) -> Venue | None:
    """Parse a Japanese or Chinese journal or meeting behind a title, or alone: `题目，计算机学报，2021`."""
    if not _may_end_in_cjk_venue(text):
        return None
    match = _CJK_LAST.search(text, max(len(text) - _SHORT, 0))
    if match is None:
        return _cjk_only(text)
    return Venue(text[: match.start()].strip(" ,，、;；|｜"), match["venue"], _year_of(match))


def _cjk_only(text: str) -> Venue | None:
    match = _CJK_ONLY.fullmatch(text) if _may_end_in_cjk_venue(text) else None
    return Venue("", match["venue"], _year_of(match)) if match else None


def _year_of(match: re.Match[str]) -> int | None:
    return int(match["year"]) if match["year"] else None


def _match_full_text(text: str) -> Venue | None:
    """Parse a text that is only a venue.

    Examples: `IEEE Signal Processing 2017`, `In Proceedings of the 29th Symposium, 2023`.
    """
    match = _PLAINLY_JOURNAL.fullmatch(text.strip(" *_`")) if len(text) <= _EDGE else None
    return Venue("", _VOLUME_LAST.sub("", match["venue"]).strip(" ,*_"), int(match["year"])) if match else None


def _bare(text: str) -> Venue | None:
    patterns = (_FUSED_FIRST, *_BARE_FIRST, _SPACED_FIRST, _YEAR_FIRST)
    for pattern in patterns if may_name_venue(text[:_SHORT]) else (_FUSED_FIRST,):
        if match := pattern.match(text):
            return Venue(text[match.end() :].strip(), _spelled(match), full_year(match["year"]))
    return _bare_last(text) if _DIGITS.search(text, max(len(text) - _SHORT, 0)) else None


def _bare_last(text: str) -> Venue | None:
    if not may_name_venue(text[-2 * _SHORT :]) or not _ENDS_DATED.search(text, max(len(text) - 2 * _SHORT, 0)):
        return None
    for pattern in _ROUND_LAST if text.rstrip(" .。*_`").endswith((")", "]", "）")) else _BARE_LAST:
        match = pattern.search(text, max(len(text) - 2 * _SHORT, 0))
        if match and not _ends_a_longer_name(match):
            groups = match.groupdict("")
            rest = text[: match.start()] + groups.get("who", "")
            return Venue(rest.strip(), _spelled(match), full_year(groups["year"] or groups["short"]))
    return None


def _journal_beside(text: str) -> Venue | None:
    """Parse `Title, Annual Review of Psychology, 2012` and `Journal of Democracy 2002: Title`."""
    first = _JOURNAL_FIRST.match(text)
    found = _dated_journal(first["journal"]) if first else None
    if first and found and not is_subject(found.venue):
        return found._replace(remainder=text[first.end() :].strip())
    if _YEAR_LAST.search(text, max(len(text) - _SHORT, 0)):
        for separator in reversed([*_BEFORE_JOURNAL.finditer(text, max(len(text) - 2 * _SHORT, 0))]):
            found = _dated_journal(text[separator.end() :].rstrip(" ."))
            if found and not is_subject(found.venue):
                return found._replace(remainder=text[: separator.start()].strip())
    return None


def _ends_a_longer_name(match: re.Match[str]) -> bool:
    """Return True for `Science` in `Annual Review of Political Science 2012`."""
    before = match.string[: match.start("venue")].rstrip(" *_")
    return match["venue"].casefold() in _NEVER_ALONE and _CAPITALISED_LAST.search(before) is not None


def _could_be(match: re.Match[str]) -> bool:
    """Return True if the words around the name make it a venue.

    Words before it must be a workshop, award or company, not a sentence, and a bare number after it must not be a
    volume.
    """
    before = match.groupdict("").get("before", "")
    if match["venue"].casefold() in _VOLUMES and match.string[match.start("year") - 1] in " -_":
        is_no_volume = int(match["year"]) >= _NO_VOLUME and match["venue"] != "PNAS"
        return len(match["year"]) > len("23") or is_no_volume
    if not before or _SUBMITTED.match(before):
        return True
    is_sentence = before.rstrip().endswith((" our", " the", " of")) or _TITLE_BEFORE.fullmatch(before) is not None
    return before[0].isupper() and not is_sentence


def _journal(text: str) -> Venue | None:
    if "et al" in text or not _JOURNAL.fullmatch(text):
        return None
    year = _JOURNAL_YEAR.search(text)
    name = ((text[: year.start()] or text[year.end() :]) if year else text).strip(" ,-")
    is_known = year is not None or text.startswith(("IEEE ", "ACM ", "Proc", "PhD"))
    return Venue("", name, int(year["year"]) if year else None) if is_known and name else None


def _unknown(text: str) -> Venue | None:
    match = _UNKNOWN.fullmatch(text) or _UNKNOWN_LAST.fullmatch(text)
    if not match or re.split(r"[^a-z0-9]", match["venue"].casefold())[0] in ORGANISATIONS:
        return None
    return Venue("", match["venue"], full_year(match["when"].strip(" '’‘`´-")))


def _dated_journal(text: str) -> Venue | None:
    name, year = named_journal(text) or ("", None)
    return Venue("", name, year) if year and not name.startswith("Proc") else None


def _spelled(match: re.Match[str]) -> str:
    """Return the venue's name, with its workshop or findings, which are not the conference itself."""
    groups = match.groupdict("")
    name = " ".join(match["venue"].split()).removeprefix("the ")
    details = " ".join(groups.get(group, "") for group in ("before", "part", "more"))
    before, part = groups.get("before", "").rstrip(), groups.get("part", "").strip(" :-,()")
    if before and not before.endswith(","):
        name = f"{before} {name}"
    for word in ("Workshop", "Findings"):
        if word.casefold() in details.casefold() and word not in name:
            return f"{name} {word}"
    return name if not part or re.search(_DECORATION, part) else f"{name} {part}"


def full_year(digits: str) -> int:
    """Return the year of two digits or four: 98 is 1998, 24 is 2024."""
    year = int(digits)
    if year >= _CENTURY:
        return year
    return year + (1900 if year >= _PIVOT else 2000)
