"""Split of a reference into title, authors and the rest.

`**Title**, Authors, *Venue* 2023` · `Title. Authors. Venue, Year.` · `Authors. "Title". Venue` · `Title | remark`
"""

import re
from collections.abc import Callable
from functools import lru_cache

from readtrack.infra.text.titles.clean import without_emphasis
from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS
from readtrack.ingest.parser.vocabulary.author_names import (
    BEHIND_ONE_NAME,
    DASH,
    EDGES,
    NO_STOP,
    PIPE,
    STOP,
    VENUE_LIKE,
    CitationParts,
    are_surnames,
    initialled_first,
    is_name,
    is_venue_like,
    iter_parts,
    likely_names,
    lone,
    names_by_commas,
    names_in,
    parse_inverted_names,
    part_rest,
    surname_first,
    turned_names,
)
from readtrack.ingest.parser.vocabulary.cjk_citations import cite_book, cite_cjk_reference
from readtrack.ingest.parser.vocabulary.journals import named_journal
from readtrack.ingest.parser.vocabulary.venues import match_venue, take_tag

_BOLD = re.compile(
    r"(?P<before>.{0,200}?)(?P<mark>\*\*|__|~~)(?P<title>[^*~\n]{2,400}?)(?P=mark)(?P<rest>.*)", re.DOTALL
)
_BOLD_NAMES = re.compile(  # `**Han, B.** (2014). *Psicopolítica*. Herder`
    r"(?P<mark>\*\*|__)(?P<names>[^*_\n]{3,400}?)(?P=mark)\s?(?P<rest>\((?:19|20)\d\d[a-z]?\)[.,:]\s(?P<title>\S.*))",
    re.DOTALL,
)
_BOLD_REFERENCE = re.compile(  # `**Chen & Ong, "A universal potential" (M3GNet)**, Nature 2022`
    r"(?P<mark>\*\*|__)(?P<names>(?![*_\s])[^*_\"“\n]{3,200}?),\s"
    r"(?:\"(?P<quoted>[^*\"\n]{4,400})\"|“(?P<curly>[^*”\n]{4,400})”|\*(?![*\s])(?P<italic>[^*\n]{4,400})\*)"
    r"(?P<more>(?:\s?\([^()*\n]{1,60}\))?)[.,]?(?P=mark)(?P<rest>(?!\*).*)",
    re.DOTALL,
)
_YEAR_BEHIND = re.compile(r"\s?\((?:(?:[A-Z][^()]{0,50}|\d[a-z]{2}\sed\.),\s)?(?:19|20)\d\d\)(?!.*\*)")
_NAMES_THEN_BOLD = re.compile(r",[^*:]{2,1000}:\s?\*\*")
_ONE_SURNAME = re.compile(r"[^\W\d_a-z][^\W\d_]{1,30}(?:[-'’][^\W\d_]{1,30})?")
_ORGANIZATION = re.compile(
    r"\b(?:Institut[eo]?|Bank|Banco|Banque|Universit\w+|Committee|Commission|Council|Association|Ministry|Agency|Organi[sz]ation|"
    r"Foundation|Fund|Department|Society|Federation|Programme|OECD|IMF|WHO|UNESCO|IPCC)\b"
)
_FRAMED = re.compile(r"[*_\"“](?P<title>[^*_\"“”\n]{2,300})[*_\"”]")
_CONTINUATION = re.compile(r"\s*[:：]\s*\S|\s+[a-z]|\s+(?=[A-Z(])")
_VENUE_AND_YEAR = re.compile(r",\s(?:[^,]{2,80},?\s)?\(?(?:19|20)\d\d\)?\.?\s*")
_ITALIC = re.compile(r"(?<![\w*_])(?P<mark>[*_])(?![\s*_])(?P<title>[^*\n]{2,800}?)(?<!\\)(?P=mark)(?![\w*])")
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
_PERIODICAL, _INSIDE_ANOTHER = frozenset("JN"), "//"
_TRANSLATED = re.compile(r"[\s.．]{0,2}(?P<who>[^\s.．\d:：]{2,40}(?<!翻)[译譯訳])[.．]\s?")
_COUNTRY_FIRST = re.compile(  # of a translated author
    r"(?:\[\d{1,3}\]\s?)?(?P<country>[\[［(（【〔](?:[美英德法日俄苏加澳意荷韩印奥挪丹芬比波匈捷希葡西巴瑞墨古]国?|瑞[士典]|以色列|巴西|印度|日本|波兰|"
    r"苏联|前苏联|加拿大|意大利|澳大利亚|奥地利|新西兰|新加坡)[\]］)）】〕])\s?"
)
_GB_STOP = re.compile(r"[.．。]\s?(?=\S)")
_ACCESS_DATE = re.compile(r"[\[［]\d{4}-\d\d?-\d\d?[\]］]")
_FULL_DATE = re.compile(r"\b(?P<year>(?:19|20)\d\d)-\d\d?-\d\d?\b")
_DESCRIBED = re.compile(r"\s\[(?P<what>[^\[\]]{4,100})\]\.?$")  # `Title [Master's thesis, Lund University]`, as in APA
_PART_OF_IT = re.compile(  # `Title (Chapters 1-3)`: what to read of it
    r"\s\((?P<what>(?:only |up to )?(?:chapters?|chap\.|ch\.|sections?|sec\.|parts?|pages?|pp?\.)\s[^()]{1,80})\)\.?$",
    re.IGNORECASE,
)
_REMARK_LAST = re.compile(r"(?P<title>[^*]{12,300}?)\s{1,3}\*{3}(?P<remark>[^*]{2,60})\*{3}(?P<rest>.*)", re.DOTALL)
_OPENING_QUOTE = re.compile('[“«「『《〈"]')
_INVERTED = re.compile(r"[^\W\d_a-z][\w'’-]+, [^\W\d_a-z][\w'’-]+(?:\s[A-Z]\.){1,2}, et al")
_INITIAL_FIRST = re.compile(r"[A-Z]\.")
_SURNAME_AND_INITIALS = (
    r"(?:(?:van|von|der?|den|del|di|da|dos|la|le|el|ter|ten)\s){0,2}"
    r"[^\W\d_a-z][\w'’-]{1,30}(?: [^\W\d_a-z][\w'’-]{1,30})?\s[A-Z]{1,3}"
)
_SURNAMES_FIRST = re.compile(  # `Silver D, Huang A, et al. Title. Journal. 2016;529`
    rf"(?P<names>{_SURNAME_AND_INITIALS}(?:,\s{_SURNAME_AND_INITIALS}){{1,60}}(?:,?\s[*_]?et al)?|"
    rf"{_SURNAME_AND_INITIALS}(?=\..{{8,400}}(?:(?:19|20)\d\d;|;\s(?:19|20)\d\d)|\s\((?:19|20)\d\d))"
    r"(?:\.[*_]?\s+|\s(?=\((?:19|20)\d\d[a-z]?\)))(?P<rest>\S.*)",
    re.DOTALL,
)
_ET_AL_LAST = re.compile(r"\s?[*_]?et al$")
_LABEL = re.compile(  # `**Paper 4**`, `Paper 4:`
    r"(?P<mark>\*\*|__|)(?:Papers?|Articles?|Readings?|References?|Ref\.|论文|論文)\s?#?\d{1,3}[.:：]?(?P=mark)[.:：]?\s+(?=\S)",
    re.IGNORECASE,
)
_LETTER_AND_POINT = r"[^\W\d_a-zа-я]\."
_NAME_AND_POINTS = (
    rf"[^\W\d_a-zа-я][\w'’-]{{1,30}}(?: [^\W\d_][\w'’.-]{{1,30}}){{0,2}} "
    rf"{_LETTER_AND_POINT}(?:[ -]?{_LETTER_AND_POINT}){{0,2}}"
)
_SPACED_CJK_NAME = re.compile(r"[\u3400-\u9fff々]{1,4}[\s・][\u3040-\u30ff\u3400-\u9fff々]{1,6}")  # with a space
_VOLUME_FIRST = re.compile(  # as in law
    r"\d{1,3}\s?(?:\(\d{1,2}\))?\s(?P<venue>[A-Z][^\d\s,;()]{0,20}\s[^\d,;()]{3,60}?)(?:\s\d{1,5})?"
    r"(?:(?:[,.]\s?|\s\(?)(?P<year>(?:19|20)\d\d)\)?)?"
)
_BEFORE_SLASHES = re.compile(  # the names may be in italics
    rf"(?:\*(?P<italic>[^*]{{3,500}})\*|(?P<names>{_NAME_AND_POINTS}(?:, {_NAME_AND_POINTS}){{0,30}}))\s"
    r"(?P<title>[^*]{4,})"
)
_SLASHES = re.compile(r"\s(?://|[:/](?=\s.{1,300}\s—\s(?:19|20)\d\d))\s")
_GOST_DASH = re.compile(r"\.?\s[-–—]{1,3}\s")
_FILE_OF_AUTHOR = re.compile(
    r"(?P<title>[^_]*[\u3400-\u9fff][^_]{4,200})_(?:[^_\s]{2,30}\s)?(?P<name>[\u3400-\u9fff·]{2,12})"
    r"(?P<rest>[\s_,(（]{1,2}(?:19|20)\d\d[)）]?)?"
)
_FOREIGN_NAMES = re.compile(
    rf"(?P<title>.*[{CJK_LETTERS}？?])\s?(?P<names>[A-Z][^{CJK_LETTERS}]+(?:[,，、][^,，、]+)+)"
)
_LIST_MARK = re.compile(r"(?:\[\w{1,12}\]|\d{1,2}-)\s?(?=[A-Z])")  # “[Top]Title”, “3-Title”
_CO_AUTHORS = re.compile(r"\s?\((?=with [*_/]{0,2}[A-Z][^()\s]{0,30}\s[A-Z])with [^()]{5,200}\)(?=\.?$|\.?\s|,)")
_IN = re.compile(r"^\s*[Ii]n:?\s+(?:the\s)?(?=\S)")
_PROCEEDINGS = re.compile(
    r"^(?:Proc(?:\.|eedings)?(?: of)?(?: the)?\s)?(?:(?:\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d)\s)?"
)
_ABBREVIATED = re.compile(
    r"\b(Acad|Adv|Am|Ann|Annu|Appl|Assoc|Bull|Can|Commun|Comput|Conf|Eng|Found|Int|Intell|J|Learn|Lett|Mach|Mag|Math|Natl|Netw|Phys|Proc|Res|Rev|"
    r"Sci|Soc|Softw|Symp|Syst|Tech|Technol|Trans|Univ)\."
)
_POINT = "\0"  # stands for the point of an abbreviation, which ends no sentence
_MONTHS = r"(?i:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?"
_MONTH_OF_YEAR = re.compile(  # `(2007, November)`, as in APA, `(1992.)`
    rf"(?P<year>[(\[](?:19|20)\d\d)(?:,\s{_MONTHS}(?:\s\d{{1,2}}(?:[-–]\d{{1,2}})?)?|\.)(?=[)\]])"
)
_MONTH_BEFORE_YEAR = re.compile(  # `Author, A. (February 1992) - Title`
    rf"(?<=[(\[]){_MONTHS}\s(?:\d{{1,2}},?\s)?(?P<year>(?:19|20)\d\d[)\]])[.,:]?\s(?:[-–—]\s)?(?=[\"“A-Z*])"
)
_VENUE_END = re.compile(
    rf",\s{_MONTHS}\s(?:\d{{1,2}}(?:[-–]\d{{1,2}})?,?\s)?(?=(?:19|20)\d\d)|"
    r"(?:[,，]\s?|\s)(?i:vol|no|pp?|pages?|art|article)\b\.?|,?\s\(?(?:19|20)\d\d\)?(?!\s?[A-Za-z])|,\s?\d|\s\d{1,4}(?:\s?\(\d|[,:;]|\.\d{1,5}\s\()|"
    r"(?<=[a-z)])[.;]\s|[。，、；]|\s\(pp|[,.]\s?https?:|,\s(?:Article|abs/)|(?<=\w)\.\s(?=\d)"
)
_VOLUME = re.compile(  # only publications have volumes and pages
    r"(?:[,，]\s?|\s)(?i:vol|no|pp)\b|"
    r"(?:[,，]?\s\((?:19|20)\d\d\)(?=[,，]\s\d))?[,，]?\s\d{1,4}(?:\s?\(|[,:]|\.\d{1,5}\s\()|[,，]\s?第|"
    r"[,，]\s\d{1,4}\.?(?=$|\s(?:19|20)\d\d$)|\.\s\d{1,4}(?:\(\d{1,4}\))?:|\.\s(?:19|20)\d\d[^;]{0,12};\s?\d"
)
_PAGES = re.compile(r"(?<![\d(])\d{1,6}\s?[-–—]{1,3}\s?\d{1,6}|\d{4}\.\d{4,5}|https?://\S+|\d{4}\)?\.\d")
_BRACKETS = re.compile(r"[(（][^()（）]{2,60}[)）]")
_YEAR = re.compile(r"(?<![\d.:/-])(?:19|20)\d\d(?![\d/]|[:.]\d)")
_POINT_BEFORE_YEAR = re.compile(rf"(?<=[{CJK_LETTERS}])[.．](?=(?:19|20)\d\d(?!\d))")
_YEAR_BEFORE_TITLE = re.compile(r"(?:[(\[（]|[.,]\s)(?P<year>(?:19|20)\d\d)[a-z]?[)\]）.,][\W_]{0,8}$")
_YEAR_LAST = re.compile(r"[\s,]{0,3}[(\[]?(?P<year>(?:19|20)\d\d)[a-z]?[)\]]?\s*$")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_VENUE_NAME = re.compile(
    r"\b(?:Communications|Commun|Advances in|Annals|Lecture Notes|Nature|Science|Cell|Letters|Magazine|Review|Reports?|"
    r"Monatshefte|Bulletin|Notices|Computing Surveys|Quarterly|Operating Systems|Trans|Proc|Symp|Conf|Univ|University|"
    r"Press|Publish(?:ing|ers?)|Verlag|Thesis|Dissertation|arXiv)\b"
)
_NAME_AND_YEAR = re.compile(  # `Springer, 2013`, `Global Change Biology, 2022`
    r"[A-Z][a-z]{4,20},?\s\(?(?:19|20)\d\d\)?|"
    r"[A-Z][a-z]{2,20}(?:\s(?:of|the|and|in|on|for|&|[A-Z][a-z]{2,20})){0,5}\s[A-Z][a-z]{2,20},?\s\(?(?:19|20)\d\d\)?"
)
_BY = re.compile(r"[\s,，.]\s?(?:by|By|作者[:：]?|著者[:：]?|[Aa]uthors?\s?[:：])\s(?=\S)")
_KIND_LAST = re.compile(r"\s\((?:e-?book|book|paper|article|(?:PhD )?thesis|report|textbook)\)$", re.IGNORECASE)
_BEHIND_YEAR = re.compile(r"[\s(](?:19|20)\d\d[a-z]?[).]{1,2}\s*$")  # where the title of a book begins
_ENDS_NAMES = re.compile(r"[^\W\d_]{2}\.\s")
_COLON = re.compile(r"[:：]\s?(?=\S)")
_INITIAL = re.compile(r"\b[A-Z]\.")
_COMMA = re.compile(r"[,，]\s")
_AROUND_VENUE = re.compile(r"\b(?:in|proc|proceedings|of|the|pp?|pages?|vol|no)\b\.?|\d+", re.IGNORECASE)
_PAIR = re.compile(r"\s(?:and|&)\s")
_YEAR_THEN_VENUE = re.compile(r"(?P<year>(?:19|20)\d\d)[.,]\s(?P<venue>[A-Z].{1,100})")
_SEPARATORS_OF_FIELDS = tuple(map(re.compile, (r"[;；]\s", r"\s[/／]\s?|／", "，", "、")))
_YEAR_OF_TITLE = re.compile(r"(?:,\s|\s[(\[])(?P<year>(?:19|20)\d\d)[)\]]?$")
_YEAR_FIRST_OF_REST = re.compile(r"[(\[]?(?P<year>(?:19|20)\d\d)[)\]]?[.,;]\s+(?=\S)")
_LISTED = re.compile(r"\s?[,，、]\s?")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_UNPARTED = re.compile(r"[A-Za-z0-9 '’:;/+&-]{1,300}")  # text without any separator
_YEAR_AND_COLON = re.compile(r"\s(?:19|20)\d\d[a-z]?\s?:")
_PARTING = ("; ", " / ", " -", " by ", " By ", "uthor")
_YEAR_IN_BRACKETS = re.compile(r"\s?[(\[](?P<year>(?:19|20)\d\d)[a-z]?[)\]][.,:]?\s*(?=\S|$)")
_UNNAMED = r"(?:[A-Z]\.?\s)?[^\W\d_a-z][\w'’-]{1,30}"
_BARE_INITIAL = re.compile(  # `Gosselin, PH`
    r"(?:[A-Z]\.?\s)?(?P<surname>[^\W\d_a-z][\w'’-]{1,30})(?:,\s(?P<initials>[A-Z]{1,3}\b\.?))?"
)
_WITH_BARE_INITIALS = rf"{_UNNAMED},\s[A-Z]{{1,3}}\b\.?"
_BARE_INITIALS = re.compile(
    rf"(?:{_WITH_BARE_INITIALS},\s){{2,40}}{_WITH_BARE_INITIALS}|(?:{_WITH_BARE_INITIALS},\s){{3,40}}{_UNNAMED}"
)
_INITIAL_INSIDE = re.compile(r"[^\W\d_a-z][\w'’-]{1,20}(?:\s[A-Z]\.){1,2}\s[^\W\d_a-z][\w'’-]{1,30}")
_WITH_INITIALS = re.compile(r"(?:[A-Z]\.[ -]?){1,3}[^\W\d_a-z][\w'’-]{1,30}(?:[ -][^\W\d_a-z][\w'’-]{1,30})?")
_PUBLISHED_LAST = re.compile(r"(?<=\w)[*_]?\s\((?P<what>[A-Z][^()]{3,80},\s(?:19|20)\d\d)\)\.?$")
_UNTIL_VOLUME = re.compile(r"[,.;(*]|\s\d")
_YEAR_FIRST = re.compile(r"(?P<year>(?:19|20)\d\d)[a-z]?[.:,]\s+(?=\S)")
_SIGNED = re.compile(r"\s?[-–—]{1,2}\s(?P<names>[^:：]{2,80})(?:[:：](?P<rest>.*))?$", re.DOTALL)
_DATED_FIRST = re.compile(r"[^()]{3,200}\((?:19|20)\d\d\)")
_NAMES_AND_YEAR = re.compile(  # full names
    r"(?P<names>[^()\[\]\d:]{8,300}?)\s[(\[](?P<year>(?:19|20)\d\d)[a-z]?[)\]][.,:]?\s+(?:[\"“](?=[^\"“”]*$))?(?P<title>[^\W\d_a-z].*|[*_]\w.*)",
    re.DOTALL,
)
_SURNAMES_AND_YEAR = re.compile(  # a surname alone, or several: the words of a title are not joined like these
    r"(?P<names>[^\W\d_a-z][\w'’-]{1,30}(?:(?:,\s|,?\s(?:and|&)\s)[^\W\d_a-z][\w'’-]{1,30}){0,5}(?:,?\set al\.?)?)"
    r"\s[(\[](?P<year>(?:19|20)\d\d)[a-z]?[)\]][.,:]?\s+(?:[\"“](?=[^\"“”]*$))?(?P<title>[^\W\d_a-z].*|[*_]\w.*)",
    re.DOTALL,
)
_TURNED_NAME = (
    r"[^\W\d_a-z][\w'’-]{1,30}(?:\s[^\W\d_a-z][\w'’-]{1,30}){0,2}, "
    r"[^\W\d_a-z][\w'’.-]{0,30}(?:\s[^\W\d_a-z][\w'’.-]{0,30}){0,2}"
)
_TURNED_NAMES_AND_YEAR = re.compile(
    rf"(?P<names>{_TURNED_NAME}(?:\s&\s{_TURNED_NAME}){{1,60}})\s\((?P<year>(?:19|20)\d\d)\)\.\s(?P<rest>\S.*)",
    re.DOTALL,
)
_POINT_BEHIND_WORD = re.compile(r"(?<=\w\w)\.$")
_NAMES_AND_BARE_YEAR = re.compile(
    r"(?P<names>[^\W\d_a-z](?:(?!\s[-–—]\s)[^\d:()\[\]]){3,100}?),?\s(?<![-–—]\s)(?P<year>(?:19|20)\d\d)[a-z]?"
    r"(?:\s?[:：]|\s[-–—])\s(?P<title>\S.*)",
    re.DOTALL,
)
_CJK_NAMES_AND_YEAR = re.compile(  # `山田太郎, 鈴木花子 (2015)．題名．雑誌`
    rf"(?P<names>[{CJK_LETTERS}々]{{2,16}}(?:[,，、]\s?[{CJK_LETTERS}々]{{2,16}}){{0,30}})[.．,，]?"
    r"\s?[(（](?P<year>(?:19|20)\d\d)[a-z]?[)）][.．。,，:：]?\s?(?P<title>[^.．。]{4,200})[.．。](?P<rest>.*)",
    re.DOTALL,
)
_MIN_TITLE_WORDS, _MAX_PHRASE_CHARS = 3, 300
_LONGEST_CJK_NAME = 4  # letters
_MIN_CJK_LETTERS = 6
_SEPARATORS = (",", "，", "、", ":", "：", ";", "；", ".", "。", ")", "）")
_LOOKED_AT = 3000


@lru_cache(maxsize=256)  # Lines are looked at ahead, and several formats ask for the same one.
def parse_citation(reference: str) -> CitationParts:
    """Split a reference. Without a separator, all words are the title."""
    text = _MONTH_OF_YEAR.sub(r"\g<year>", without_label(reference[:_LOOKED_AT].strip().rstrip(" ,，")))
    text = _without_month(text)
    if "(with " in text and (coauthors := _CO_AUTHORS.search(text)):
        inner = parse_citation(
            f"{text[: coauthors.start()].rstrip()} {text[coauthors.end() :].lstrip()}{reference[_LOOKED_AT:]}"
        )
        return inner._replace(remainder=f"{coauthors[0].strip()} {inner.remainder}".strip())
    if _UNPARTED.fullmatch(text) and not any(word in text for word in _PARTING) and not _YEAR_AND_COLON.search(text):
        return CitationParts(_strip_title(text))
    for part in _PARTERS:
        citation = part(text)
        if citation and citation.title.strip(EDGES):
            return _finish_citation(_with_year_before_title(text, citation), reference[_LOOKED_AT:])
    return CitationParts(_strip_title(text), (), reference[_LOOKED_AT:])


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


def find_venue(remainder: str) -> tuple[str, int | None]:
    """Return the venue and year in the text after the title of a reference, "" and None if there are none.

    Examples: `in Proc. NeurIPS, 2017, pp. 5998-6008`, `Communications of the ACM, 21(7), 558-565`, `34 Law Rev. 2`
    """
    if law := _VOLUME_FIRST.fullmatch(remainder.strip(EDGES)):
        return law["venue"], int(law["year"]) if law["year"] else None
    text = _PAGES.sub("", remainder[:_LOOKED_AT].replace("*", "").replace("_", " "))
    if turned := _YEAR_THEN_VENUE.fullmatch(text.strip(EDGES)):
        text = f"{turned['venue']}, {turned['year']}"
    if not text.isascii():
        text = _POINT_BEFORE_YEAR.sub(", ", text)
    years = [int(match[0]) for match in _YEAR.finditer(text)]
    year = years[-1] if years else None
    for bracket in _BRACKETS.finditer(text):
        tag = take_tag(bracket[0])
        if tag.venue and not tag.remainder:
            return tag.venue, tag.year or year
    whole = _ABBREVIATED.sub(rf"\1{_POINT}", _IN.sub("", text.strip(EDGES)))
    end = _VENUE_END.search(whole)
    name = (whole[: end.start()] if end else whole).replace(_POINT, ".").strip(EDGES + "()[]")
    if name.casefold().startswith("arxiv"):
        return "arXiv", year
    first_sentence = _PROCEEDINGS.sub("", name).partition(". ")[0]
    if known := match_venue(f"{first_sentence} {year}" if year else first_sentence):
        return known.venue, year
    is_introduced = _IN.match(text.strip(EDGES)) is not None
    is_like_one = (
        is_venue_like(name)
        or _VENUE_NAME.search(name)
        or (end is not None and _VOLUME.match(whole, end.start()))
        or (_NAME_AND_YEAR.fullmatch(whole) and not is_name(name))
    )
    is_venue = is_introduced or (is_like_one and not names_in(name))
    name = f"{name})" if name.count("(") == name.count(")") + 1 else name  # `Journal of Roads (ITS)`
    return (name if is_venue and _LETTERS.search(name) else ""), year


def _count_words(text: str) -> int:
    """Count the words, and each letter of a script without spaces as one."""
    return len(_WORD.findall(text)) + len(CJK.findall(text))


def dated_names(head: str) -> tuple[str, ...]:
    """Return names in `Author, A. and Writer, B. (2020)`."""
    return split_dated_names(head)[0]


def split_dated_names(head: str) -> tuple[tuple[str, ...], int | None]:
    """Return the names and the year behind them in `Author, A. and Writer, B. (2020)`, else () and None."""
    year = _YEAR_LAST.search(head.rstrip(" .,"))
    before = head[: year.start()].strip() if year else ""
    names = names_in(before) or surname_first(before) or turned_names(before) if before else ()
    names = names or ((before,) if re.fullmatch(_NAME_AND_POINTS, before) else ())
    names = names or ((before.rstrip("."),) if _SPACED_CJK_NAME.fullmatch(before.rstrip(".")) else lone(before))
    return (names, int(year["year"])) if year and names else ((), None)


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
        title, citation = (
            title[: described.start()],
            citation._replace(remainder=f"{described['what']}. {citation.remainder}"),
        )
    parts = citation
    if not citation.authors:
        first = _YEAR_FIRST_OF_REST.match(citation.remainder)  # Title. 2020. A. Author
        parts = part_rest(citation.remainder[first.end() :] if first else citation.remainder)
        if first:
            parts = parts._replace(remainder=f"{parts.remainder} {first['year']}") if parts.authors else citation
    if parts.authors and (year := _YEAR_OF_TITLE.search(title)):  # Title (2020), A. Author
        title, parts = title[: year.start()], parts._replace(remainder=f"{parts.remainder} {year['year']}")
    remainder = (parts.remainder + overflow).strip()
    return CitationParts(title, parts.authors, without_emphasis(remainder).strip(EDGES) if parts.authors else remainder)


def says_more(remainder: str, venue: str, year: int | str | None) -> bool:
    """Return True if the text behind a title says more than its venue, year and pages."""
    beside = remainder.replace(venue, "", 1).replace(str(year), "")
    return _LETTERS.search(_AROUND_VENUE.sub("", beside)) is not None


def _strip_title(title: str) -> str:
    """Return the title without emphasis, surrounding separators and the final full stop."""
    text = without_emphasis(title.strip()).strip(" \t,，;；|｜*_-–—:：").strip()
    if text.startswith("[") and text.endswith("]") and text.count("[") == 1:
        text = text[1:-1]
    return text[:-1] if text.endswith((".", "。")) and not text.endswith("..") else text


def _cite_by_bold(text: str) -> CitationParts | None:
    """Split at a bold title.

    A short bold name that continues without a full stop is only the beginning of the title.
    """
    match = _BOLD.match(text) if "**" in text or "__" in text or "~~" in text else None
    if not match:
        return None
    before, title, rest = match["before"].strip(), match["title"].strip(), match["rest"]
    length = len(_WORD.findall(title)) + len(CJK.findall(title)) // 2
    if not before and (citation := _cite_behind_bold_author(text, title, rest)):
        return citation
    if (length < _MIN_TITLE_WORDS or rest.lstrip().startswith((":", "："))) and (
        citation := _cite_by_quotes(rest.lstrip(" :："))
    ):
        return citation  # **Name** "Title"
    if before.strip(EDGES + '[](){}<>（）【】"“'):
        return _cite_bold_behind(before, title, rest, is_long=length >= _MIN_TITLE_WORDS) or _cite_without_bold(text)
    if _goes_on(title, rest, length) or (not length and _WORD.search(rest)):
        return _cite_without_bold(text)
    return CitationParts(title, (), rest)


def cite_in_bold(text: str) -> CitationParts | None:
    """Split a reference of which authors and framed title are in bold. One word before a title may be its beginning."""
    marked = text.lstrip("★☆⭐ ")  # a rating
    match = _BOLD_REFERENCE.fullmatch(marked) if marked.startswith(("**", "__")) else None
    if match is None:
        return None
    names = match["names"]
    authors = names_in(names) or are_surnames(names)
    title = match["quoted"] or match["curly"] or match["italic"]
    is_book = bool(match["italic"] and _YEAR_BEHIND.match(match["rest"]) and not names_in(title))
    authors = authors or ((names,) if is_book and _ONE_SURNAME.fullmatch(names) and len(title.split()) > 2 else ())
    is_sure = len(authors) > 1 or (authors and (is_book or "et al" in names or _INITIAL.search(names)))
    return CitationParts(title.strip(), authors, f"{match['rest']} {match['more']}".strip()) if is_sure else None


def _cite_behind_bold_names(text: str) -> CitationParts | None:
    """Split a reference with bold authors before a year: names with initials, or an organization and a framed title."""
    match = _BOLD_NAMES.fullmatch(text) if text.startswith(("**", "__")) else None
    if match is None:
        return None
    names, framed = match["names"], _FRAMED.match(match["title"])
    if framed and (is_venue_like(framed["title"]) or names_in(framed["title"]) or lone(framed["title"])):
        return None
    is_author = (
        parse_inverted_names(names)
        or names_in(names)
        or (framed and names.endswith(".") and _ORGANIZATION.search(names))
    )
    return parse_citation(f"{names} {match['rest']}") if is_author else None


def _cite_behind_bold_author(text: str, bold: str, rest: str) -> CitationParts | None:
    """Split `**A. Author, B. Writer** Title. Venue`, or `**A. Author**, B. Writer: **Title.**`."""
    if len(names := names_in(bold)) > 1 and rest.strip():
        inner = parse_citation(rest.strip(EDGES))
        return CitationParts(inner.title, names, ", ".join(filter(None, (*inner.authors, inner.remainder))))
    return _cite_names_before_colon(text.replace("**", "")) if _NAMES_THEN_BOLD.match(rest) else None


def _goes_on(title: str, rest: str, length: int) -> bool:
    """Return True if words in bold are only the beginning of the title: `**Cachet**: a story of caches`."""
    if title.endswith((":", "：")):
        return True
    if title.endswith((".", "。", "?", "!")) or length > 2 * _MIN_TITLE_WORDS or not _CONTINUATION.match(rest):
        return False
    return not rest.strip().startswith(("(", "[", "*", "_")) and len(part_rest(rest).authors) < 2


def _cite_bold_behind(before: str, title: str, rest: str, *, is_long: bool) -> CitationParts | None:
    """Split a reference with a bold title behind other words. `is_long`: the title has several words."""
    authors = _names_before_title(before.strip(EDGES + '"“'))
    if before.endswith(('"', "“")):
        return CitationParts(
            title,
            authors,
            rest.lstrip(' .,"”') if authors else f"{before[:-1].strip(EDGES)}; {rest.lstrip(' .,”' + chr(34))}",
        )
    if authors and is_long:
        return CitationParts(title, authors, rest)
    dated = _DATED_FIRST.match(before)  # Author, A. (1991). Journal. **Title**. 94-104
    authors, year = split_dated_names(dated[0]) if dated and is_long else ((), None)
    if not dated or not authors:
        return None
    return CitationParts(title, authors, f"{before[dated.end() :].strip(EDGES)}. {rest.strip(EDGES)} {year}")


def _cite_without_bold(text: str) -> CitationParts | None:
    unmarked = re.sub(r"\*\*|__|~~", "", text)
    return next((citation for part in _PARTERS[2:] if (citation := part(unmarked))), CitationParts(unmarked))


def _cite_before_remark(text: str) -> CitationParts | None:
    """Split `The Title ***code available***`: such emphasis is no part of a title."""
    match = _REMARK_LAST.fullmatch(text) if "***" in text else None
    return CitationParts(match["title"], (), f"{match['remark']} {match['rest']}") if match else None


def _cite_by_quotes(text: str) -> CitationParts | None:
    match = (_QUOTED.match(text) if _OPENING_QUOTE.search(text) else None) or _match_single_quotes(text)
    if match and (names := _surnames_before(match)):
        return CitationParts(_LIST_MARK.sub("", match["title"]), names, match["rest"])
    if not match:
        return None
    before, rest = match["before"].strip(EDGES + "<("), match["rest"]
    authors = _names_before_title(before)
    min_words = 1 if len(authors) > 2 else 2 if authors else _MIN_TITLE_WORDS
    if _count_words(match["title"]) < min_words:
        return None
    is_run_on = CJK.search(before) and not match["before"].rstrip().endswith(_SEPARATORS)  # `今月は「題名」`
    if (before and (not authors or is_run_on)) or re.match(r"\s*[:：]\s*\w|\s[a-z]+\s[a-z]", rest):
        return None
    return CitationParts(match["title"], authors, rest)


def _names_before_title(text: str) -> tuple[str, ...]:
    """Return the names that the text before a framed title consists of."""
    inverted = parse_inverted_names(text)
    undated = _YEAR_LAST.sub("", text.rstrip(" .,:"))
    return (
        _split_bare_initials(text)
        or (inverted if _INVERTED.match(text) else ())
        or names_in(text)
        or inverted
        or dated_names(text)
        or lone(undated)
        or (are_surnames(undated) if undated != text.rstrip(" .,:") else ())
    )


def _match_single_quotes(text: str) -> re.Match[str] | None:
    """Match a title in single quotation marks behind names and a year: `Dwork, C. and Roth, A. (2014) 'Title'`."""
    match = _SINGLE_QUOTED.match(text) if "'" in text or "‘" in text else None
    if match and match["before"]:
        return match if names_in(match["before"]) or dated_names(match["before"]) else None
    return match if match and match["rest"].startswith(",") else None  # behind names that were read before


def _cite_by_type_mark(text: str) -> CitationParts | None:
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


def _cite_by_slashes(text: str) -> CitationParts | None:
    """Split `Lovelace A., Babbage C. Title // Journal. — 1843. — Vol. 3`, the form of Russian references.

    A thesis or book has `Title : thesis / A. Lovelace. — 1843` instead.
    """
    end = _SLASHES.search(text)
    match = _BEFORE_SLASHES.fullmatch(text, 0, end.start()) if end else None
    if not end or not match:
        return None
    names = tuple(_LISTED.split(match["italic"] or match["names"]))
    rest = _GOST_DASH.sub(", ", text[end.end() :])
    return CitationParts(match["title"], names, f"In {rest}" if "//" in end[0] else rest)


def _surnames_before(match: re.Match[str]) -> tuple[str, ...]:
    """Return surnames before a quoted title that nothing but a full stop follows.

    Example: `Halevy, Norvig, and Pereira, “Title”`.
    """
    before = match["before"].rstrip()
    if not before.endswith(",") or match["rest"].strip(EDGES):
        return ()
    return _split_bare_initials(before.rstrip(",")) or are_surnames(before)


def _split_bare_initials(text: str) -> tuple[str, ...]:
    """Return the names of `Sumikura, S, Gosselin, PH, Sakurada, K`, with commas between all names and initials."""
    if not _BARE_INITIALS.fullmatch(text):
        return ()
    return tuple(f"{name['surname']}, {name['initials'] or ''}".rstrip(", ") for name in _BARE_INITIAL.finditer(text))


def _cite_by_italics(text: str) -> CitationParts | None:
    match = _ITALIC.search(text[:1500]) if "*" in text or "_" in text else None
    if not match:
        return None
    before, italics, rest = text[: match.start()], match["title"], text[match.end() :]
    if _YEAR_LAST.search(italics) and (inner := _cite_by_sentences(italics)) and not inner.authors:
        italics, rest = inner.title, f"{inner.remainder} {rest}"  # *Title. Publisher, 2013*
    if before.strip(EDGES + '[](){}<>（）【】"“'):
        authors = names_in(before) or dated_names(before) or parse_inverted_names(before)
        is_dated = _YEAR.search(rest) is not None or not rest.strip(EDGES)
        is_published = _VENUE_AND_YEAR.fullmatch(rest) is not None  # A. Author, *Name*, ICML, 2020
        mark = before.rstrip()[-1:]
        is_book = is_dated and (mark in ":：" or (mark == "." and parse_inverted_names(before)))
        is_long = len(_WORD.findall(italics)) >= _MIN_TITLE_WORDS
        is_title = is_published or is_book or is_long or _BEHIND_YEAR.search(before)
        if not authors and is_title and (mark in ",." or _INITIAL.match(before)):
            authors = lone(before.strip(EDGES)) or likely_names(before)
        authors = authors or _organization(before, italics, rest)
        if authors and is_title and not is_venue_like(italics):
            return CitationParts(italics, authors, rest)
        citation = _cite_names_before_colon(before) or _cite_by_sentences(before)
        citation = citation or _cite_by_keyword(before) or _cite_by_commas(before)
        if citation:
            citation = (_cite_behind_name(citation) if _YEAR.search(rest) else None) or citation
            return CitationParts(citation.title, citation.authors, f"{citation.remainder} {text[match.start() :]}")
        is_certain = (
            names_in(italics)
            or VENUE_LIKE.match(italics)
            or "et al" in italics
            or before.rstrip().endswith((".", ",", "?"))
        )
        return CitationParts(before, (), text[match.start() :]) if is_certain else None
    if len(_WORD.findall(italics)) < 2 or names_in(italics) or "et al" in italics:
        return None
    signed = _SIGNED.match(rest)  # _The Title_ - Author: remark
    names = (names_in(signed["names"]) or lone(signed["names"]) or are_surnames(signed["names"])) if signed else ()
    return CitationParts(italics, names, signed["rest"] or "") if signed and names else CitationParts(italics, (), rest)


def _organization(before: str, italics: str, rest: str) -> tuple[str, ...]:
    """Return who published a report: `World Health Organization. (2019). *The Title* (11th ed.).`"""
    year = _BEHIND_YEAR.search(before)
    name = before[: year.start()].strip(EDGES) if year else ""
    words = (word.lstrip("(") for word in name.split() if len(word) > 3)  # not "of" and "the"
    has_capitals = name[:1].isupper() and all(word[:1].isupper() for word in words)
    is_short = len(name.split()) <= len(italics.split()) + 2 and ". " not in name
    is_title = len(_WORD.findall(italics)) >= _MIN_TITLE_WORDS and not _VOLUME.match(rest)
    return (name,) if has_capitals and is_short and is_title else ()


def _cite_behind_name(citation: CitationParts) -> CitationParts | None:
    """Return the parts of `Ada Lovelace. Title of Some Words` before a journal, split as if the name were the title."""
    rest = citation.remainder.strip(EDGES)
    if citation.authors or not lone(citation.title) or len(_WORD.findall(rest)) < _MIN_TITLE_WORDS:
        return None
    inner = _cite_by_sentences(rest) or CitationParts(rest)
    return inner._replace(authors=lone(citation.title)) if not inner.authors else None


def _cite_by_pipes(text: str) -> CitationParts | None:
    match = PIPE.search(text) if "|" in text or "｜" in text else None
    if not match or _count_words(text[: match.start()]) < 2:
        return None
    first = (
        parse_citation(text[: match.start()])
        if "|" not in text[: match.start()]
        else CitationParts(text[: match.start()])
    )
    return CitationParts(first.title, first.authors, f"{first.remainder} {text[match.end() :]}".strip())


def _cite_by_sentences(text: str) -> CitationParts | None:
    """Split at the first sentence, which is the title unless it is a list of names."""
    for match in STOP.finditer(text, 4, 1500):
        head, tail = text[: match.start()], text[match.end() :].lstrip()
        if _is_no_stop(match["mark"], head):
            continue
        if match["mark"][0] in "?？!！":
            is_end = match["mark"].endswith(".") or tail[:1] in {"*", "_"} or VENUE_LIKE.match(tail) or names_in(tail)
            is_end = is_end or named_journal(_UNTIL_VOLUME.split(tail, maxsplit=1)[0])
            if not is_end and len(part_rest(tail).authors) < 2:
                continue
            head += match["mark"][0]
        authors = (
            names_in(head)
            or dated_names(head)
            or (lone(head) if _ends_a_name(head, tail) or _is_signed_title(head, tail) else ())
            or (parse_inverted_names(head) if "," in head and (STOP.search(tail) or _YEAR.search(tail)) else ())
        )
        if authors and tail.strip() and not _are_words(head, tail):
            year = _YEAR_FIRST.match(tail) or _YEAR_IN_BRACKETS.search(head) or _YEAR_IN_BRACKETS.match(tail)
            tail = tail[year.end() :] if year and year.string is tail else tail
            citation = (
                _cite_by_sentences(tail) or _cite_by_italics(tail) or _cite_by_commas(tail) or CitationParts(tail)
            )
            return CitationParts(
                citation.title, authors, f"{citation.remainder} {year['year']}" if year else citation.remainder
            )
        if lone(head) and (published := _cite_published(tail)):
            return published._replace(authors=lone(head))
        if _count_words(head) >= 2:
            return (_cite_by_keyword(text) if _BY.search(head) else None) or CitationParts(head, (), tail)
    return None


def _cite_published(text: str) -> CitationParts | None:
    """Split `Title of Some Words. Journal, 13(1):5-21, 2002`, where both are there."""
    citation = _cite_by_sentences(text)
    if citation is None or citation.authors or len(_WORD.findall(citation.title)) < _MIN_TITLE_WORDS:
        return None
    return citation if all(find_venue(citation.remainder)) else None


def _ends_a_name(head: str, tail: str) -> bool:
    """Return True before a year, and after a name with initials, which no title has."""
    return tail[:4].isdigit() or _WITH_INITIALS.fullmatch(head) is not None


def _is_signed_title(head: str, tail: str) -> bool:
    """Return True for `David G. Lowe. Distinctive Image Features`: a name with an initial inside, and a title."""
    return (
        _INITIAL_INSIDE.fullmatch(head) is not None
        and len(_WORD.findall(tail)) > _MIN_TITLE_WORDS
        and tail[:1].isupper()
    )


def _are_words(head: str, tail: str) -> bool:
    """Return True for `Abusing Privileged and Unprivileged Containers. NCC Group`: a title, and who published it."""
    is_short = len(_WORD.findall(tail)) < _MIN_TITLE_WORDS and not CJK.search(tail)
    first, _, second = head.partition(" and ")
    is_long = sum(word[:1].isupper() for word in second.split()) > 2 and "," not in first
    return is_short and is_long and not _INITIAL.search(head)


def _is_no_stop(mark: str, head: str) -> bool:
    """Return True for the point of an abbreviation or initial. "et al." may end a list of names."""
    if mark[0] not in ".。" or not NO_STOP.search(head, max(0, len(head) - 12)):
        return False
    return "et al" not in head[-6:] or not names_in(head)


def _cite_surnames_first(text: str) -> CitationParts | None:
    """Split `He K, Zhang X. Title. Journal` and `LeCun, Y., Bengio, Y. & Hinton, G. Title. Journal`."""
    if match := _SURNAMES_FIRST.match(text):
        authors, rest = (
            tuple(name for part in _COMMA.split(match["names"]) if (name := _ET_AL_LAST.sub("", part))),
            match["rest"],
        )
    else:
        authors, rest = initialled_first(text)
    if not match and (not authors or _INITIAL_FIRST.match(text) or (len(authors) < 2 and not _YEAR.search(rest))):
        return None
    published = _PUBLISHED_LAST.search(rest)  # `Title (Publisher, 2002)`
    rest = f"{rest[: published.start()]}. {published['what']}" if published else rest
    year = _YEAR_IN_BRACKETS.match(rest) or _YEAR_FIRST.match(rest)
    rest = rest[year.end() :] if year else rest
    one_word = _ITALIC.match(rest) if rest.startswith(("*", "_")) else None  # `Kuhn, T. (1962). *Revolutions*. Chicago`
    in_italics = _cite_by_italics(rest) if one_word else None
    in_italics = in_italics or (CitationParts(one_word["title"], (), rest[one_word.end() :]) if one_word else None)
    citation = (
        in_italics or _cite_by_quotes(rest) or _cite_by_sentences(rest) or _cite_by_commas(rest) or CitationParts(rest)
    )
    if citation.authors or (len(_WORD.findall(citation.title)) < 2 and not in_italics):
        return None
    remainder = f"{citation.remainder} {year['year']}" if year else citation.remainder
    return CitationParts(citation.title, authors, remainder)


def _cite_surnames_and_year(text: str) -> CitationParts | None:
    """Split `Silva (1970) The Title` and `Silva and Abe (1970) The Title, Venue`."""
    match = _SURNAMES_AND_YEAR.match(text) or _NAMES_AND_YEAR.match(text)
    names = are_surnames(match["names"]) or names_in(match["names"]) or lone(match["names"]) if match else ()
    if not match or not names or VENUE_LIKE.match(match["title"]) or names_in(match["title"]):
        return None
    rest = match["title"]
    in_italics = _cite_by_italics(rest) if rest[0] in "*_" else None
    citation = in_italics or _cite_by_sentences(rest) or _cite_by_commas(rest) or CitationParts(rest)
    words = len(_WORD.findall(citation.title))
    if citation.authors or words < 2 or (words == 2 and lone(citation.title)):
        return None
    return CitationParts(citation.title, names, f"{citation.remainder} {match['year']}".strip())


def _cite_turned_names_and_year(text: str) -> CitationParts | None:
    """Split `Hu, Sixing & Lee, Gim. (2019). The Title. Journal. 39. 1-15.`, as ResearchGate writes it."""
    match = _TURNED_NAMES_AND_YEAR.fullmatch(text) if " & " in text else None
    if match is None or match["rest"].startswith(("*", "_")):
        return None
    turned = (_POINT_BEHIND_WORD.sub("", name).partition(", ") for name in match["names"].split(" & "))
    names = tuple(f"{given} {family}" for family, _, given in turned)
    citation = _cite_by_sentences(match["rest"]) or CitationParts(match["rest"])
    return citation._replace(authors=names, remainder=f"{citation.remainder} {match['year']}".strip())


def _cite_names_and_bare_year(text: str) -> CitationParts | None:
    """Split `Smith & Jones 2019: The Title`, but not `Brexit and Trump 2016: What Happened`."""
    match = _NAMES_AND_BARE_YEAR.match(text)
    names = _surnames_cited(match["names"]) if match else ()
    if not match or not names or _count_words(match["title"]) < _MIN_TITLE_WORDS:
        return None
    citation = _cite_by_sentences(match["title"]) or CitationParts(match["title"])
    return citation._replace(authors=names, remainder=f"{citation.remainder} {match['year']}".strip())


def _surnames_cited(text: str) -> tuple[str, ...]:
    """Return surnames joined as only a citation joins them: `Smith & Jones`, `Smith et al.`"""
    if not (" & " in text or "et al" in text) or _ENDS_NAMES.search(text.replace("et al. ", "et al ")):
        return ()
    return are_surnames(text) or names_in(text)


def _cite_cjk_names_and_year(text: str) -> CitationParts | None:
    match = _CJK_NAMES_AND_YEAR.fullmatch(text) if not text.isascii() else None
    if not match or len(CJK.findall(match["title"])) < _MIN_TITLE_WORDS:
        return None
    names = names_in(match["names"]) or tuple(_LISTED.split(match["names"]))
    return CitationParts(match["title"], names, f"{match['rest']} {match['year']}")


def _cite_by_keyword(text: str) -> CitationParts | None:
    text = _KIND_LAST.sub("", text)
    for match in _BY.finditer(text, 0, 600):
        parts = part_rest(text[match.end() :])
        if match[0][0] in ",，" and not parts.authors:  # `Title, by Ada Lovelace`
            parts = parts._replace(authors=lone(text[match.end() :]))
        if (parts.authors or "uthor" in match[0] or "者" in match[0]) and len(
            _WORD.findall(text[: match.start()])
        ) >= 2:
            return CitationParts(text[: match.start()], parts.authors, parts.remainder)
    return None


def _cite_names_before_colon(text: str) -> CitationParts | None:
    """Split `A. Author, B. Writer: Title. Venue (2020)`."""
    match = _COLON.search(text, 4, _MAX_PHRASE_CHARS)
    before = text[: match.start()] if match and not _ENDS_NAMES.search(text, 0, match.start()) else ""
    names = names_in(before) or surname_first(before)
    are_sure = _INITIAL.search(before) or len(names) > 2 or (len(names) == 2 and ", " in before) or "et al" in before
    if not match or not names or not are_sure:
        return None
    rest = text[match.end() :]
    citation = (
        _cite_by_quotes(rest)
        or _cite_cjk_title(rest)
        or _cite_by_sentences(rest)
        or _cite_by_commas(rest)
        or CitationParts(rest)
    )
    if _count_words(citation.title) < 2:
        return None
    return CitationParts(citation.title, names, citation.remainder)


def _cite_file_name(text: str) -> CitationParts | None:
    """Split `题名_作者`, the name that Chinese databases give to files."""
    match = _FILE_OF_AUTHOR.fullmatch(text) if "_" in text else None
    return CitationParts(match["title"], (match["name"],), match["rest"] or "") if match else None


def _cite_foreign_names(text: str) -> CitationParts | None:
    """Split `題名 Ada Lovelace、Charles Babbage`: names of another script need no separator before them."""
    match = _FOREIGN_NAMES.fullmatch(text[:_MAX_PHRASE_CHARS]) if CJK.search(text) else None
    names = _LISTED.split(match["names"]) if match else []
    are_names = len(names) >= 2 and all(map(is_name, names[1:]))  # the first may be run together: “AdaLovelace”
    return CitationParts(match["title"], tuple(names), "") if match and are_names else None


def _cite_cjk_title(text: str) -> CitationParts | None:
    """Split `題名, 雑誌, Vol. 65 (2024)`: within a Japanese or Chinese title, commas have another form."""
    title, comma, rest = text.partition(",")
    return CitationParts(title, (), rest) if comma and len(CJK.findall(title)) >= _MIN_CJK_LETTERS else None


def _cite_names_first(text: str) -> CitationParts | None:
    """Split `A. Author, B. Writer, Title of Their Paper, Venue 2020`."""
    names: list[str] = []
    for start, end in iter_parts(text[:1500], _COMMA):
        if is_name(name := text[start:end].removeprefix("and ")):
            names.append(name.strip(EDGES))
        elif _PAIR.search(name) and (pair := names_in(name)):  # A. Author and B. Writer, Title
            names += pair
        elif len(names) < 2 or len(_WORD.findall(text[start:end])) < _MIN_TITLE_WORDS:
            return None
        else:
            citation = _cite_by_commas(text[start:]) or CitationParts(text[start:])
            return CitationParts(citation.title, tuple(names), citation.remainder)
    return None


def _cite_initialled(text: str) -> CitationParts | None:
    """Split `D. Knuth, The Art of Computer Programming. Addison-Wesley, 1968`."""
    name, comma, rest = text.partition(", ")
    if not comma or not _WITH_INITIALS.fullmatch(name) or names_in(rest) or is_name(rest.partition(",")[0]):
        return None
    citation = _cite_by_sentences(rest) or _cite_by_commas(rest)
    if citation is None or citation.authors or len(_WORD.findall(citation.title)) < _MIN_TITLE_WORDS:
        return None
    return citation._replace(authors=(name,))


def _cite_by_commas(text: str) -> CitationParts | None:
    """Split `Title, A. Author, B. Writer, Venue 2020` where the names or the venue begin."""
    for match in _COMMA.finditer(text, 8, 600):
        head, tail = text[: match.start()], text[match.end() :].lstrip()
        if len(_WORD.findall(head)) < _MIN_TITLE_WORDS or head.count("(") != head.count(")"):
            continue
        if "et al" in head[-8:] and (authors := names_in(head)):
            return CitationParts(tail, authors)
        if is_venue_like(tail[:200]):
            return CitationParts(head, (), tail)
        parts = part_rest(tail)
        if is_name(tail) and len(tail.split()) <= 3 and not CJK.search(tail):
            return CitationParts(head, (tail.strip(EDGES),), "")
        is_one = parts.authors and (
            VENUE_LIKE.match(parts.remainder) or "et al" in tail or BEHIND_ONE_NAME.match(parts.remainder)
        )
        if len(parts.authors) > 1 or is_one:
            return CitationParts(head, parts.authors, parts.remainder)
    return None


def _cite_by_fields(text: str) -> CitationParts | None:
    """Split `Title; A. Author, B. Writer; Venue 2020`, also at slashes and CJK commas: all parts but one are known."""
    for separator in _SEPARATORS_OF_FIELDS:
        parts = [part for part in separator.split(text) if part.strip(EDGES)]
        if len(parts) < 2:
            continue
        names: list[str] = []
        rest: list[str] = []
        titles: list[str] = []
        for part in parts:
            found = names_in(part) or lone(part)
            if found and not any(len(CJK.findall(name)) > _LONGEST_CJK_NAME for name in found):
                names += found
            elif is_venue_like(part):
                rest.append(part)
            else:
                titles.append(part)
        words = len(_WORD.findall(titles[0])) + len(CJK.findall(titles[0])) // 2 if len(titles) == 1 else 0
        if words >= _MIN_TITLE_WORDS and (names or len(rest) == len(parts) - 1):
            return CitationParts(titles[0], tuple(names), ", ".join(rest))
    return None


def _cite_by_dashes(text: str) -> CitationParts | None:
    """Split `Title - Authors` or `Title — Venue 2023`. Other dashes are part of the title."""
    for match in DASH.finditer(text, 2, 600):
        head, tail = text[: match.start()], text[match.end() :].lstrip()
        if is_venue_like(tail[:200]) or part_rest(tail).authors:
            return CitationParts(head, (), tail)
        if (authors := names_in(head)) and len(_WORD.findall(tail)) >= _MIN_TITLE_WORDS:
            return CitationParts(tail, authors, "")
        year = _YEAR_LAST.search(tail)  # Title - Smith & Jones 2019
        names = _surnames_cited(tail[: year.start()]) if year else ()
        if year and names and _count_words(head) >= _MIN_TITLE_WORDS:
            return CitationParts(head, names, year["year"])
    return None


def _cite_long_text(text: str) -> CitationParts | None:
    """Split a very long text after its first phrase."""
    if len(text) <= _MAX_PHRASE_CHARS:
        return None
    match = re.search(r"[。；;\n]|\.\s|\s[-–—]\s|[:：]\s", text[20 : 2 * _MAX_PHRASE_CHARS])
    end = match.start() + 20 if match else text.rfind(" ", 0, _MAX_PHRASE_CHARS)
    return CitationParts(text[:end], (), text[end:]) if end > 0 else None


_PARTERS: tuple[Callable[[str], CitationParts | None], ...] = (
    _cite_file_name,
    _cite_before_remark,
    _cite_behind_bold_names,
    cite_in_bold,
    _cite_by_bold,
    _cite_by_type_mark,
    _cite_by_slashes,
    cite_cjk_reference,
    cite_book,
    _cite_by_quotes,
    _cite_by_pipes,
    _cite_turned_names_and_year,
    _cite_surnames_first,
    _cite_surnames_and_year,
    _cite_names_and_bare_year,
    _cite_cjk_names_and_year,
    _cite_by_italics,
    _cite_names_before_colon,
    _cite_foreign_names,
    _cite_initialled,
    _cite_by_sentences,
    _cite_by_keyword,
    _cite_by_fields,
    _cite_by_dashes,
    _cite_names_first,
    _cite_by_commas,
    _cite_long_text,
)
