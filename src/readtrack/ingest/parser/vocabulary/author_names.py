"""Author names, lists of them, and names behind a title.

Examples: `A. Author, B. Writer and C. Third`, `Author et al.`, `Author, A.`, `陆游`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from readtrack.infra.text import person_names
from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.person_names import NameParts, PersonName
from readtrack.infra.text.titles.prefix_tree import prefix_tree
from readtrack.infra.text.titles.vocabulary import CJK, VENUES_IN_ANY_CASE, words_of
from readtrack.ingest.parser.vocabulary.journals import named_journal

_AND = re.compile(r"\s(?:and|und|et|&)\s|\s?&\s?", re.IGNORECASE)
_APA = re.compile(
    r"\s?(?:\b(?:and|und|et)\s)?(?P<family>[^,&;]{1,60}), (?P<given>(?:[^\W\d_]\.[ -]?){1,4})(?=\s?(?:[,&;]|and\b|$))"
)
_OTHER_NAME = re.compile(r"\b(?!(?:and|und|et|al|others|jr|sr|eds?)\b)\w{2}", re.IGNORECASE)
_OTHERS = re.compile(r"(?:others|et al\.?|\.{2,3}|…|等)", re.IGNORECASE)
_TRAILING_ET_AL = re.compile(r",?\s(?:et al\.?|等)$", re.IGNORECASE)
_OTHERS_LAST = re.compile(r"(?<![\s,])[\s,]*(?:\bet\.? al\.?|\band others|\s他|\s等|…|(?<=\w{3})\.)$", re.IGNORECASE)
_QUOTED_NAME = re.compile(r"'([^']{1,200})'|\"([^\"]{1,200})\"")
_ONE_LAST_FIRST = re.compile(r"[^\s,;]{1,40}, [^,;]{1,40}")
_MAX_FIELD_CHARS = 8_000
_AFFILIATION = re.compile(r"\s?\([^()]{1,200}\)")
_LATIN = re.compile("[A-Za-z]")
_COMMAS = re.compile(r"[,，、]")
_MAX_NAMES = 1000
_MOST = 0.75  # of the names in a list must be plain, beside `Seong-il Yang`
_PARTICLE = r"(?:van|von|de|der|den|del|della|di|da|dos|la|le|el|al|bin|ibn|ter|ten|zu|y)"
_SMALL = "a-z\u03ac-\u03ce\u0430-\u045f"  # Latin, Greek and Cyrillic: no name begins with them
_PART = rf"(?:Mc|Mac|Fitz|Vander|De|Di|Da|La|Le|Van|Al|El|O['’]|D['’])?[^\W\d_{_SMALL}][^\W\dA-Z_]{{0,25}}\.?"
_AFTER_APOSTROPHE = r"(?<![LCJST])(?<!Qu)['’](?!(?:re|ll|ve)\b)[a-z]{2,10}"  # Ch'ng, but neither You're nor L'amour
_GIVEN = rf"(?:[A-Z]\.(?:-?[A-Z]\.){{0,3}}|{_PART}(?:[-‐'’]{_PART}|{_AFTER_APOSTROPHE}){{0,2}}|[A-Z]{{1,2}})"
_NAME = re.compile(rf"{_GIVEN}(?:(?:\s|(?<=\b[A-Z]\.))(?:{_GIVEN}|{_PARTICLE}|[IVX]{{1,3}}|[Jj]r\.?)){{1,4}}")
_LAST_FIRST = re.compile(  # `Ng, A.`, `Lola da Costa, A.C.`
    rf"(?:(?:[A-Z][a-z]{{2,20}}\s)?(?:{_PARTICLE}\s){{1,3}})?{_GIVEN}\s?,\s?(?:[A-Z]\.?[\s-]?){{1,3}}(?![A-Za-z])"
)
_SURNAME = re.compile(rf"(?:{_PARTICLE}\s){{0,2}}{_GIVEN}")
_JOURNAL_AND_VOLUME = re.compile(
    r"[A-Z][\w&'’-]{2,30}(?:\s(?:of|the|and|in|on|for|&|[A-Z][\w&'’-]{1,30})){1,9},\s\d{1,4}"
)
_PARTICLE_FIRST = re.compile(rf"{_PARTICLE}\s(?:{_PARTICLE}\s)?[A-Z]")
_ONE_INVERTED = re.compile(  # `Silva Pérez, M. J.`
    rf"(?:{_PARTICLE}\s){{0,2}}[^\W\d_{_SMALL}][\w'’-]{{1,30}}(?: [^\W\d_{_SMALL}][\w'’-]{{1,30}})?,"
    r" (?:[A-Z]\.[\s-]?){1,4}"
)
_TURNED = re.compile(  # `Silva, Ana`, `Rhee, Chang-han`
    rf"(?:{_PARTICLE}\s){{0,2}}{_GIVEN}(?:\s{_GIVEN})?, (?:{_PART}-[a-z]{{2,6}}|{_GIVEN})(?:\s{_GIVEN}){{0,3}}"
)
_FULL_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]+(?:\s[^\W\d_a-z][^\W\d_]+)+")
_CAPITALISED = re.compile(r"(?:[^\W\d_a-z][\w.'’-]{0,40}\s?){1,4}")
_YEAR_LAST = re.compile(r"[\s,.]{1,3}[(\[]?(?:(?:19|20)\d\d[a-z]?|n\.d|forthcoming)[)\]]?[.,:]?\s*$")
_SURNAME_THEN_INITIALS = re.compile(
    rf"(?:{_PARTICLE}\s){{0,2}}[^\W\d_][\w'’-]{{1,30}}(?:\s[^\W\d_][\w'’-]{{3,30}})?(?:\s[A-Z]{{1,3}}){{1,4}}"
)
_NAME_SEPARATOR = re.compile(
    r"[,，、;；](?!\s[,，、;；])(?:\s*(?:(?:and|und|et(?!\sal))\s|&))?|\s(?:(?:and|und|et(?!\sal))\s|&)"
)
_ET_AL = re.compile(r"\bet\.?\s?al\b\.?|\band others\b|等人?$|ら$|ほか$|他$|\bet\s*$|\.\.\.$|…$", re.IGNORECASE)
_ET_AL_ANYWHERE = re.compile(r"\bet\.?\s?al\b\.?|(?<=[a-z])\s?[ら他等](?=[、，,\s])")
_LEFT_OUT = re.compile(r"(?<=,\s)(?:…|\.{3}),?\s?(?=[A-Z])")  # `Ada Lovelace, … Charles Babbage`
_BETWEEN_NAMES = re.compile(r"[,，、;；]\s?(?:and\s)?|\sand\s")
_IN_BRACKETS = re.compile(r"[(（\[][^()（）\[\]]{0,120}[)）\]]")
_INITIAL_LAST = re.compile(r"[\s.-][A-Z]$")
_MARKS = re.compile(r"[*†‡§¶∗⋆#]|\^\d|[¹²³⁴⁵]")
_EDITORS_LAST = re.compile(
    r",?\s\(?(?:eds?|éds?|editors?|hrsg|trans|translators?)\.?\)?\.?$", re.IGNORECASE
)  # `Grusin, Richard, ed.`
_EDITORS = re.compile(r"\b(?:eds|editors|translators)\b", re.IGNORECASE)
_STOP_LOST = re.compile(r"\.[\s-]?[A-Z]$")  # `E. P`
_INITIAL = re.compile(r"(?<!\w)[A-Z]\.")
_MARK_BETWEEN = re.compile(r"(?<=\w)[*†‡§¶∗⋆]\s(?=[A-Z])")  # `Ada Lovelace† Charles Babbage*`
_VENUE = re.compile(rf"(?:{VENUES_IN_ANY_CASE}|arxiv|preprint|corr)\b.{{0,20}}", re.IGNORECASE)
_CJK_NAME = re.compile("[\u3040-\u30ff\u3400-\u9fff·・]{2,12}")
_CJK = "[\u3040-\u30ff\u3400-\u9fff]"
_TRANSCRIBED = re.compile(rf"{_CJK}{{1,8}}[·・](?:[A-Z]\.[·・]?){{1,2}}{_CJK}{{1,8}}")  # 理查德·J.拉森
IS_NO_CJK_NAME = re.compile(  # what stands before a title in its place
    r"ソフトウェア|エンジニア|プログラ|システム|データ|ネットワーク|アルゴリズム|アーキテクチャ|コンピュ|デザイン|クラウド|"
    r"セキュリティ|今日|明日|昨日|今天|明天|昨天|[今来先本上下]\w?[週周]|笔记|記録|记录|推薦|推荐|おすすめ|読書|读书|特集|輪読|"
    r"勉強|会議|会议|月刊|[の与]|的(?![場野])|值得|精读|必读|必読|学習|学习|模型|训练|推理|推論|并行|並列|分布式|分散|最適化|优化|算法|"
    r"手法|方法|系统|框架|综述|论文|論文|基礎|基础|入門|入门"
)
_MAY_BE_LIST = re.compile(r"[,，、;；&…等らほ他]|\.\.\.|\b(?:and|et)", re.IGNORECASE)  # separators and "et al."
_WORD = re.compile(r"\w+")
_SYLLABLE = re.compile(r"(?<=\w)-(?:in|on|is|to|the)\b")  # of Korean and Chinese names: Gyeong-In Yu
_WORDS_OF_NO_NAME = frozenset(
    words_of("""
approach | approaches | framework | frameworks | ensemble | ensembled | perspective | perspectives | overview | analysis
applications
the | of | for | with | using | via | toward | towards | from | in | on | to | is | are | learning | network | networks
model | models | system | systems | deep | neural | data | efficient | fast | survey | language | attention | training
inference | workshop | university | institute | research | lab | labs | conference | proceedings | transactions
journal | science | computing | intelligence | robotics | security | spotlight | oral | award | google | meta | theory
practice | practices | tutorial | guide | explained | kernel | methods | policy | problems | directions | challenges
trends | tools | feature | features | visual | image | images | video | videos | speech | text | graph | graphs
cache | caches | storage | search | synthesis | matching | sampling | encoding | decoding | reasoning | programming
translation | review | reviews | annual | annals | quarterly | letters | bulletin | archives | international | global
american | european | british | political | economic | social | biological | ecological | environmental | medical
clinical | molecular | physical | chemical | cognitive | psychological | historical | earth | nature | climate
ecology | biology | medicine | psychology | physics | chemistry | economics | politics | sociology | philosophy
mathematics | statistics | education | evolution | change | health | society | studies | engineering | management
public | democracy | descent | transport | coding | pruning | erasing | transfer | playing | passing | stopping | decay
likelihood | puzzles | games | targets | coordinate | sparse | dense | random | optimal | maximum | minimum | gradient
gradients | knowledge | message | messages | hashing | solving | clustering | parsing | tuning | masking | mixing
""")
)
_BEFORE_INITIAL = re.compile(r"\b[A-Z][\w'’]+(?=,\s[A-Z]\.)")
_ENDING_OF_NO_NAME = re.compile(
    r"[a-z]{3,15}(?:tions?|sions?|ities|[blv]ity|olog(?:y|ies)|[dt]ware|ness|ysis|ithms?|ectures?|ectives?|iques)|"
    r"[a-z]{4,15}ments|[a-z]{7,15}ing|[a-z]{3,15}[ts]ives?"
)
_INITIALLED = re.compile(  # `Author, A. B., `, `and Writer, C., Jr., `
    r"(?:(?:\.{3}|…),?\s)?(?:(?:and|&)\s)?"
    rf"(?P<name>(?:{_PARTICLE}\s){{0,2}}{_GIVEN}(?:\s{_GIVEN}){{0,2}},\s[A-Z]\.(?:[\s-]?[A-Z]\.){{0,3}}"
    r"(?:,?\s(?:Jr\.|Sr\.|I{2,3}|IV)(?=[,;]))?)[,;:]?\s{1,2}"
)
_MORE_NAMES = re.compile(r"(?:(?:and|&)\s)?(?:et al\b|others\b|…|\.{3}(?=\s\())[.,:;]{0,2}\s{1,2}")
_MAX_TEXT_CHARS, _MAX_INITIALLED_NAMES, _LOOKED_AT = 2000, 100, 1500
NAMES_AND_YEAR = re.compile(  # `Breiman, L. (2001).`, alone on a line above the title
    r"[^\W\d_a-z][^\d().]{1,40},\s[A-Z]\.[^\d()]{0,200}\s[(（](?:19|20)\d\d[a-z]?(?:,\s[A-Z][a-z]{2,8}(?:\s\d{1,2})?)?[)）]\.?"
)
PIPE = re.compile(r"[|｜]\s?|\s[·•]\s")
STOP = re.compile(  # of a sentence; `Title. Part 2: More` goes on
    r"(?P<mark>[.。?？!！](?:(?<=[?？!！])\.)?)(?!\s{1,3}Parts?\s(?:\d|[IVX]{1,4}\b))\s{0,3}(?=\s|[*_]|[A-Z\u3040-\u9fff])"
)
NO_STOP = re.compile(
    r"(?:^|[\s(.-])(?:[A-Z]|et al|vs|e\.g|i\.e|cf|no|vol|dr|mr|ms|prof|st|inc|jr|sr|eds?|fig|sec|spp?|gen|nov|subsp|"
    r"ch|pp|approx|w\.r\.t|\d)$",
    re.IGNORECASE,
)
_GATHERINGS = prefix_tree("advances in|conference|journal|workshop|transactions|proceedings|symposium", any_case=True)
DASH = re.compile(r"[\s—](?:(?<=\s)[-–—]{1,3}\s|(?<=\s)——\s?|(?<=—)—\s?)")
VENUE_LIKE = re.compile(
    rf"\W{{0,3}}(?:(?:in|at|to appear in|proc\.?(?:eedings)?(?: of)?(?: the)?)\s)?"
    rf"(?:(?:USENIX|ACM|IEEE|Findings of)\s)?(?:{VENUES_IN_ANY_CASE}|arxiv|preprint|corr|under review|"
    r"tech(?:nical)? report|thesis)(?![a-z]).{0,60}|"
    r"\W{0,3}in\s(?:the\s)?(?:ACM|IEEE|Proceedings|Proc)\b.{0,80}|\W{0,3}(?:19|20)\d\d\W{0,3}|"
    r"\W{0,3}(?:ACM|IEEE|USENIX)\s[\w &]{2,40}\s(?:19|20)\d\d\W{0,3}|"
    r".{0,60},\s?vol\.?\s\d{1,4}\b.{0,80}|"
    rf".{{0,60}}{_GATHERINGS}\b.{{0,80}}",
    re.IGNORECASE,
)
BEHIND_ONE_NAME = re.compile(  # `Nature 508, 500`, `(2017) arXiv`
    r"\s?(?:[A-Z][A-Za-z.&]{1,20}(?:\s[A-Za-z.&]{1,20}){0,6}\s\d{1,4}(?:\s?\(\d{1,4}\))?(?:[,:]\s?\d|$)|"
    r"\((?:19|20)\d\d\)\s?(?:arXiv|$))"
)
EDGES = " \t-–—:：,，、;；/·•|｜*_.。"
_MAX_NAME_WORDS = 4


def parse_author_list(text: str) -> tuple[str, ...]:
    """Parse authors in running text.

    Examples: "A. Vaswani, N. Shazeer and N. Parmar", "Fang, Y., & Ji, W.", "Li et al.".
    """
    cleaned = _AFFILIATION.sub("", _TRAILING_ET_AL.sub("", text.strip()))
    if inverted := parse_initialled_names(cleaned):
        return inverted
    if ";" in cleaned or (" and " in cleaned and all("," in name for name in cleaned.split(" and "))):
        return clean_names(to_given_first(name) for name in re.split(r";(?:\s?&)?|\sand\s", cleaned))
    return clean_names(name for part in _AND.split(cleaned) for name in _COMMAS.split(part))


def parse_initialled_names(text: str) -> tuple[str, ...]:
    """Parse `van Renesse, R., Silva Pérez, D. & Ji, W.`, where every second comma separates two people, else ()."""
    matches = list(_APA.finditer(text)) if ";" not in text else []
    if not matches or _OTHER_NAME.search(_APA.sub("", text)):
        return ()
    return tuple(join_parts(NameParts(match["family"].strip(" ."), match["given"].strip())) for match in matches)


def parse_author_field(text: str) -> tuple[str, ...]:
    """Parse a field of authors, which has no other words. `Last, First` is one person.

    Other examples: "Last, First; …", "A, B and C", "甲、乙", "['A', 'B']".
    """
    cleaned = _OTHERS_LAST.sub("", clean_line(text)[:_MAX_FIELD_CHARS])
    if cleaned.startswith("["):  # a Python list
        return clean_names(name for pair in _QUOTED_NAME.findall(cleaned) for name in pair)
    if ";" in cleaned or _ONE_LAST_FIRST.fullmatch(cleaned):
        return clean_names(to_given_first(name) for name in cleaned.split(";"))
    return parse_author_list(cleaned)


def to_given_first(name: str) -> str:
    """Return "Lu, Yao" as "Yao Lu".

    CJK names keep their order, without a space if they have no Latin letters.
    """
    parts = [part.strip() for part in name.split(",") if part.strip()]
    if len(parts) < 2:
        return " ".join(parts)
    if CJK.search(name):
        return join_parts(NameParts(parts[0], " ".join(parts[1:])))
    return person_names.given_first(name)


def turn_inverted(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of a reference, those such as `van Renesse, R.` with the given name first."""
    return tuple(name if isinstance(name, PersonName) else to_given_first(name) for name in names)


def join_parts(parts: NameParts) -> str:
    """Return the name with these parts, a CJK name in its own order."""
    if not parts.given:
        return person_names.undivided(parts.family)
    if CJK.search(parts.family + parts.given):
        space = " " if _LATIN.search(parts.family + parts.given) else ""
        return PersonName(f"{parts.family}{space}{parts.given}", NameParts(parts.family, parts.given))
    return person_names.join_parts(parts)


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without "others" and empty ones."""
    cleaned = (_clean_name(name) for name in names)
    return tuple(name for name in cleaned if name and not _OTHERS.fullmatch(name))[:_MAX_NAMES]


def _clean_name(name: str) -> str:
    cleaned = clean_line(name).strip(" ,;")
    return name if name == cleaned else cleaned  # a name that is clean keeps its parts


@lru_cache(maxsize=256)  # The same line is inspected several times.
def names_in(text: str) -> tuple[str, ...]:
    """Return the names if the whole text is a list of them, otherwise ().

    A single name needs an "et al.".
    """
    if not _MAY_BE_LIST.search(text):
        return ()
    if "; " in text and (names := _names_before_affiliations(text[:_MAX_TEXT_CHARS])):
        return names
    cleaned = _MARKS.sub("", _IN_BRACKETS.sub("", text[:_MAX_TEXT_CHARS])).strip(" ,，;；.。:：-–—*_")
    cleaned = _LEFT_OUT.sub("", cleaned)
    without_et_al = _ET_AL.sub("", cleaned).strip(" ,，;.")
    among_others = without_et_al != cleaned
    without_et_al = f"{without_et_al}." if _INITIAL_LAST.search(without_et_al) else without_et_al
    names = _listed_names(without_et_al, among_others=among_others)
    return () if names and _has_other_words(without_et_al) else names


def _names_before_affiliations(text: str) -> tuple[str, ...]:
    """Return the names of `Ada Lovelace: University of London; Charles Babbage: Cambridge`."""
    people = [part.partition(": ") for part in text.split("; ")]
    names = tuple(name.strip() for name, _, _ in people)
    return names if all(place for _, _, place in people) and all(map(_is_name, names)) else ()


def _has_other_words(text: str) -> bool:
    """Return True if one of the words is in no name, such as "of" or "learning".

    What stands before an initial, `Rossion, B.`, is a name whatever its ending.
    """
    lowered = (_BEFORE_INITIAL.sub("", text) if "., " in text else text).lower()
    words = _WORD.findall(_SYLLABLE.sub("", lowered) if "-" in lowered else lowered)
    return not _WORDS_OF_NO_NAME.isdisjoint(words) or any(map(_ENDING_OF_NO_NAME.fullmatch, words))


def _listed_names(text: str, *, among_others: bool) -> tuple[str, ...]:
    """Return the names if the text without "et al." is a list of what may be names, otherwise ()."""
    if _LAST_FIRST.match(text):
        return _last_first(text, minimum=1 if among_others else 2)
    parts = _split_names(text)
    if among_others and all(_is_name(part) or _SURNAME.fullmatch(part) for part in parts):
        return tuple(parts)
    return tuple(parts) if len(parts) > 1 and all(map(_is_name, parts)) else ()


def _split_names(text: str) -> list[str]:
    return [name for part in _NAME_SEPARATOR.split(text) if (name := part.strip())]


@lru_cache(maxsize=1024)  # The same people write many papers.
def is_name(text: str) -> bool:
    """Return True for one name of at least two words that is no venue."""
    return _is_name(text.strip(" .*_")) and not _has_other_words(text)


def _is_name(name: str) -> bool:
    return (
        (_NAME.fullmatch(name) is not None or _CJK_NAME.fullmatch(name) is not None)
        and not IS_NO_CJK_NAME.search(name)
        and not _VENUE.fullmatch(name)
        and not any(len(word) > 3 and word.isupper() and "." not in word for word in name.split())
    )


def surname_first(text: str) -> tuple[str, ...]:
    """Return a single inverted name such as `Lamport, L.`, otherwise ()."""
    name = text.strip(" ,;*_")
    return (name,) if _LAST_FIRST.fullmatch(name) or _ONE_INVERTED.fullmatch(name) else ()


def parse_inverted_names(text: str) -> tuple[str, ...]:
    """Parse names of which only the first is inverted.

    Example: `Author, Ann B., Ben Writer, and C. Third. 2019.`
    """
    cleaned = _EDITORS_LAST.sub("", _YEAR_LAST.sub("", text).strip(" ,;:*_"))
    cleaned = cleaned if _INITIAL_LAST.search(cleaned.rstrip(".")) else cleaned.rstrip(".")
    surname, _, rest = cleaned.partition(", ")
    given, *others = _split_names(_ET_AL.sub("", rest)) or [""]
    are_others = sum(map(_is_name, others)) >= _MOST * len(others) and all(map(_CAPITALISED.fullmatch, others))
    given = f"{given}." if _STOP_LOST.search(given) else given
    are_several = bool(others) or _EDITORS.search(text) is not None
    are_two = are_several and _FULL_NAME.fullmatch(surname) and _FULL_NAME.fullmatch(given)  # `Ana Silva, Ken Abe, and`
    if are_two or not _TURNED.fullmatch(f"{surname}, {given}") or _has_other_words(cleaned) or not are_others:
        return ()
    return (join_parts(NameParts(surname, given)), *others)


def turned_names(text: str) -> tuple[str, ...]:
    """Parse names that are all inverted: `Silva, Ana M & Abe, Ken, Jr`, `Silva, Ana, Abe, Ken & Ito, Jun`."""
    parts = [part.removesuffix(", Jr").strip(" ,") for part in _AND.split(text.strip(" ,;:.*_"))]
    if len(parts) == 2 and len(words := parts[0].split(", ")) % 2 == 0:
        parts = [*map(", ".join, zip(words[::2], words[1::2], strict=True)), parts[1]]
    if not all(map(_TURNED.fullmatch, parts)) or _has_other_words(text):
        return ()
    return tuple(to_given_first(part) for part in parts)


def surnames_in(text: str) -> tuple[str, ...]:
    """Return surnames such as `Howard and Parr`, for text that can only be names, otherwise ()."""
    one = text.strip(" ,;*_")
    if inverted := (one,) if _ONE_INVERTED.fullmatch(one) else _last_first(one, minimum=2):
        return inverted
    parts = _split_names(_ET_AL.sub("", text.strip(" ,;*_")))
    are_names = not IS_NO_CJK_NAME.search(text) and all(_SURNAME.fullmatch(part) or _is_name(part) for part in parts)
    return tuple(parts) if parts and are_names and not _has_other_words(text) and not _VENUE.fullmatch(text) else ()


def read_signature(text: str) -> tuple[tuple[str, ...], bool]:
    """Return the names, and whether they are plainly some: `Ada Lovelace† and Li*`, `Greenberg et. al.`, `A. Li`."""
    cleaned = _MARK_BETWEEN.sub(", ", text.strip(" *_"))
    names = surnames_in(_MARKS.sub("", cleaned))
    has_full_name = len(names) > 1 and any(" " in name for name in names)
    return names, has_full_name or _ET_AL.search(cleaned) is not None or _INITIAL.search(cleaned) is not None


def likely_names(text: str) -> tuple[str, ...]:
    """Return the names of a list in which most are clear: `MariaJosé Silva, Ken Abe`, `Silva, MJea, Ken Abe`."""
    parts = _split_names(text.strip(" ,;:.*_"))
    clear = sum(_is_name(part) for part in parts)
    are_capitalised = all(_CAPITALISED.fullmatch(part) and len(part.split()) <= _MAX_NAME_WORDS for part in parts)
    if not (clear and 2 * clear >= len(parts) > 1 and are_capitalised) or _has_other_words(text):
        return ()
    if len(parts) > 2 and not any(" " in part for part in parts[:2]):  # `Ho, ChukFong, and Rabiah Abdul Kadir`
        parts = [join_parts(NameParts(parts[0], parts[1])), *parts[2:]]
    return tuple(parts)


def names_by_commas(text: str) -> tuple[str, ...]:
    """Return the names of a text that can only be names: one or more, as `KIPF T N, Welling M, et al` or `周志华`."""
    parts = _split_names(_ET_AL.sub("", text.strip(" ,;，.．")))
    patterns = (_SURNAME_THEN_INITIALS, _CJK_NAME, _TRANSCRIBED, _NAME)
    return tuple(parts) if all(any(pattern.fullmatch(part) for pattern in patterns) for part in parts) else ()


def initialled_first(text: str) -> tuple[tuple[str, ...], str]:
    """Split `Author, A. B., Writer, C., and Third, D. The title`, also with "et al.", into names and the rest."""
    names: list[str] = []
    position = 0
    while len(names) < _MAX_INITIALLED_NAMES and (match := _INITIALLED.match(text, position)):
        names.append(match["name"])
        position = match.end()
    if names and (more := _MORE_NAMES.match(text, position)):
        position = more.end()
    return tuple(names), text[position:]


def _last_first(text: str, *, minimum: int) -> tuple[str, ...]:
    """Parse `Author, A. B., Writer, C.`, where every second comma separates two people."""
    names = _LAST_FIRST.findall(text)
    rest = _NAME_SEPARATOR.sub("", _LAST_FIRST.sub("", text)).strip(" .,&")
    return tuple(name.strip(" ,") for name in names) if len(names) >= minimum and rest in {"", "and"} else ()


class CitationParts(NamedTuple):
    """A reference. `remainder`: what stands behind title and authors, such as the venue and year."""

    title: str
    authors: tuple[str, ...] = ()
    remainder: str = ""

    def with_names_and_year(self, authors: tuple[str, ...], year: str | None) -> "CitationParts":
        """Return the reference with the authors and the year that stood before it."""
        return CitationParts(self.title, authors, f"{self.remainder} {year or ''}".strip())


@lru_cache(maxsize=256)  # The same text is split by several forms of citations.
def part_rest(rest: str) -> CitationParts:
    """Split the text after a title into authors and the rest. The returned title is blank."""
    text = _without_italics(rest).strip(EDGES)
    text = text[1:-1] if text.startswith("(") and text.endswith(")") and text.count("(") == 1 else text
    if not text:
        return CitationParts("")
    if "a" <= text[0] <= "z" and not _PARTICLE_FIRST.match(text):  # running text: no name begins in lower case
        return CitationParts("", (), rest.strip(EDGES))
    for pattern in (STOP, DASH, PIPE):
        for match in pattern.finditer(text, 0, 2000):
            if pattern is STOP and NO_STOP.search(text, max(0, match.start() - 12), match.start()):
                continue
            authors = names_in(text[: match.start()]) or single_name(text[: match.start()])
            if authors:
                return CitationParts("", authors, text[match.end() :].strip(EDGES))
            break
    names = names_in(text)
    return _names_before_commas(text) or CitationParts("", names, "" if names else rest.strip(EDGES))


def is_venue_like(text: str) -> bool:
    """Return True if a text beside a title can only be a venue: `NeurIPS 2023`, `Annual Review of Psychology`."""
    return VENUE_LIKE.fullmatch(text) is not None or named_journal(text) is not None


def is_journal_with_volume(text: str) -> bool:
    """Return True for `Environmental Research Letters, 20`, which APA sets in italics."""
    return _JOURNAL_AND_VOLUME.fullmatch(text) is not None


def single_name(text: str) -> tuple[str, ...]:
    """Return the name that a text is as a whole, if it is one and no venue."""
    return (text.strip(EDGES),) if is_name(text) and not is_venue_like(text) else ()


def _names_before_commas(text: str) -> CitationParts | None:
    """Split the leading names from `A. Author, B. Writer, NeurIPS 2023`."""
    if (et_al := _ET_AL_ANYWHERE.search(text, 0, 600)) and (authors := names_in(text[: et_al.end()])):
        return CitationParts("", authors, text[et_al.end() :].strip(EDGES))
    names: list[str] = []
    names_end = 0
    for start, end in iter_parts(text[:_LOOKED_AT], _BETWEEN_NAMES):
        if not is_name(text[start:end]):
            if len(names) == 1 and not (is_venue_like(text[start:end]) or BEHIND_ONE_NAME.match(text, start)):
                return None
            break
        names.append(text[start:end].strip(EDGES))
        names_end = end
    if not names or (len(names) == 1 and names_end == len(text[:_LOOKED_AT])):
        return None
    return CitationParts("", tuple(names), text[names_end:].strip(EDGES))


def iter_parts(text: str, separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield start and end of the parts of a list. Often only the first few are looked at."""
    start = 0
    for match in separator.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _without_italics(text: str) -> str:
    return re.sub(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)", "", text) if "*" in text or "_" in text else text
