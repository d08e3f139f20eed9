"""Titles in a sentence without addresses: “Title” (OSDI 2006), *Title*, 《Title》, 「Title」, one or several."""

import re
from typing import NamedTuple

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.vocabulary.venues import tag_in

_FRAMED = re.compile(
    r"(?:“(?P<a>[^“”]{8,300})”|(?<![\w\"])\"(?P<b>[^\"]{8,300})\"|《(?P<c>[^《》]{8,300})》|『(?P<d>[^『』]{8,300})』|"
    r"「(?P<e>[^「」]{8,300})」|«\s?(?P<f>[^«»]{8,300}?)\s?»|(?<![\w*])(?P<mark>\*{1,2})(?P<g>[^*\s][^*]{6,300})(?P=mark)(?![\w*])|"
    r"(?<![\w_])_(?P<h>[^_\s][^_]{6,300})_(?!\w))"
    r"(?:\s?[(（](?P<tag>[^()（）]{3,40})[)）])?"
)
_OUTSIDE = re.compile(r"[^\W\d_]{2,}")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_COINED = re.compile(r"[^\W\d_][\w-]{0,30}: \S")
_YEAR_IN_CJK = re.compile(r"[、，]\s?(?=(?:19|20)\d\d)|(?<=\d)年")
_IN_CJK_FRAME = ("c", "d", "e")
_FRAMES = tuple("abcdefgh")
_OPENERS = re.compile(r"[“\"《『「«*_]")
_MIN_WORDS, _SURE_WORDS = 3, 4


class FramedTitle(NamedTuple):
    """A title with the venue and year in the brackets after it."""

    title: str
    venue: str = ""
    year: int | None = None


def find_framed_titles(text: str) -> list[FramedTitle]:
    """Return the titles in quotation marks or italics in a sentence, [] for a text that is only a title.

    Words in quotation marks are more often a quotation: a title has capitals, a venue, or Latin letters in a Japanese
    or Chinese sentence.
    """
    if _OPENERS.search(text) is None:
        return []
    matches = [*_FRAMED.finditer(text)]
    if not matches or _OUTSIDE.search(_FRAMED.sub(" ", text)) is None:
        return []
    is_cjk = CJK.search(_FRAMED.sub(" ", text)) is not None
    return [title for match in matches if (title := _read_framed(match, is_cjk=is_cjk))]


def _read_framed(match: re.Match[str], *, is_cjk: bool) -> FramedTitle | None:
    name = next(frame for frame in _FRAMES if match[frame])
    title = match[name].strip().rstrip(",.")
    tag = tag_in(_YEAR_IN_CJK.sub(" ", match["tag"]).strip()) if match["tag"] else None
    words = len(_WORD.findall(title))
    is_latin = not CJK.search(title)
    is_title = (
        names_a_paper(title)
        or (tag is not None and tag.year is not None and words >= _MIN_WORDS)
        or (is_cjk and name in _IN_CJK_FRAME and is_latin and words >= _MIN_WORDS and title[0].isupper())
        or (_COINED.match(title) is not None and is_latin and words > _SURE_WORDS and title[-1] not in "!。")
    )
    is_bold = match["mark"] == "**"  # bold words are more often a term than a title
    if not is_title or (is_bold and not (tag and tag.year)):
        return None
    return FramedTitle(title, tag.venue, tag.year) if tag else FramedTitle(title)
