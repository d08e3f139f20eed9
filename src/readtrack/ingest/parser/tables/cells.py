"""Cells of table rows: split at <br>, with their links and words."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.clean import clean_title, names_a_paper
from readtrack.infra.text.titles.vocabulary import CJK, LETTER_OR_DIGIT
from readtrack.ingest.parser.items.find_links import TextLink, find_links, split_around_links
from readtrack.ingest.parser.items.link_roles import has_name, role_from_label
from readtrack.ingest.parser.vocabulary.venues import take_tag

_PICTURE = re.compile(
    r"!\[(?P<alt>[^\[\]]{0,300})\]\((?P<address>[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500})?)(?:\s\"[^\"]{0,200}\")?\s?\)"
)
_BADGE = re.compile(r"//img\.shields\.io/badge/(?P<venue>[A-Za-z_]{2,30})(?:-{1,2}|_|%20)(?P<year>(?:19|20)\d\d)(?!\d)")
_LOCAL = re.compile(
    r"(?<!!)\[(?P<label>[^\[\]]{0,500})\]\((?!\s?(?:[a-z][a-z0-9+.-]{1,15}:|www\.))"
    r"(?P<path>[^()]{0,500}(?:\([^()\s]{0,200}\)[^()]{0,200})?)\)",
    re.IGNORECASE,
)
_WIKI = re.compile(r"\[\[(?P<page>[^\[\]|]{1,300})(?:\|[^\[\]]{0,300})?\]\](?!\()")
_COMMENT = re.compile(r"\[//\]:\s?#\S{0,200}")
_BREAK = re.compile(r"<\s?/?\s?(?:br|p|li|ul|ol|div|details|summary)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]{0,300}>", re.IGNORECASE)
_LEFT_OVER = re.compile(r"\\?[\[(（【]\s*\\?[\])）】]")
_WORD = re.compile(r"[^\W_][\w'’.-]*")
_NOTHING = frozenset(
    {"", "-", "--", "—", "–", "/", "n/a", "na", "none", "null", "tbd", "x", "无", "暂无", "なし", "未定"}
)
_SHORT_CELL_CHARS = 30
_EDGES = " \t-–—|｜/,，;；·•:：&+"


@dataclass(frozen=True, slots=True)
class CellToken:
    """The part of a cell between two breaks. `text_without_links`: without links and their empty brackets."""

    text: str
    text_without_links: str
    links: tuple[TextLink, ...] = ()

    @classmethod
    def from_text(cls, text: str) -> "CellToken":
        links = find_links(text)
        rest = " ".join(split_around_links(text, links)) if links else text
        return cls(text, _extract_words(rest), tuple(links))


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell. `text`: verbatim, without images."""

    text: str
    text_without_links: str
    tokens: tuple[CellToken, ...]

    @classmethod
    def from_text(cls, text: str) -> "TableCell":
        return _short_cell(text) if len(text) <= _SHORT_CELL_CHARS else cls.read(text)

    @classmethod
    def read(cls, text: str) -> "TableCell":
        content = _to_plain_text(text)
        if "<" not in content:
            token = CellToken.from_text(content)
            return cls(content, token.text_without_links, (token,))
        parts = [part for token in _BREAK.split(content) if (part := _TAG.sub("", token).strip())]
        tokens = tuple(map(CellToken.from_text, parts or [""]))
        return cls(content, " ".join(token.text_without_links for token in tokens if token.text_without_links), tokens)

    @property
    def iter_links(self) -> Iterator[TextLink]:
        return (link for token in self.tokens for link in token.links)


@lru_cache(maxsize=512)
def _short_cell(text: str) -> TableCell:
    return TableCell.read(text)


@lru_cache(maxsize=64)
def name_of(link: TextLink) -> str:
    """Return the link text if it is a name, "" for [pdf], [arXiv:2305.15778] or [CVPR 2023]."""
    return clean_title(link.label or "", link.plain) if has_name(link) else ""


def word_count(text: str) -> int:
    """Count words. Two CJK characters count as one word."""
    if text.isascii():
        return len(_WORD.findall(text))
    return len(_WORD.findall(CJK.sub(" ", text))) + len(CJK.findall(text)) // 2


def is_nothing(text: str) -> bool:
    """Return True for an empty cell or a placeholder for one."""
    return text.strip(" *_`").casefold() in _NOTHING


def _extract_words(text: str) -> str:
    words = " ".join(_LEFT_OVER.sub(" ", text).split()).strip(_EDGES)
    return "" if words.casefold() in _NOTHING or not LETTER_OR_DIGIT.search(words) else words


def _to_plain_text(text: str) -> str:
    if "[//]" in text:
        text = _COMMENT.sub("", text)
    if "](" in text or "[[" in text:
        text = _PICTURE.sub(_alternative, text) if "![" in text else text
        text = _WIKI.sub(r"\g<page>", _LOCAL.sub(_local, text))
    return clean_line(html.unescape(text)) if "&" in text else text.strip()


def _alternative(picture: re.Match[str]) -> str:
    """Return the alt text of an image that is a link text, otherwise ""."""
    is_label = picture.string[: picture.start()].endswith("[") and picture.string.startswith("](", picture.end())
    if badge := _BADGE.search(picture["address"]):  # badge/ICCV-2025-blue
        return f"{badge['venue'].replace('_', ' ')} {badge['year']}"
    return picture["alt"] if is_label else ""


def _local(link: re.Match[str]) -> str:
    """Keep links to local PDFs.

    Replace other local links by their text if it is a name, or remove them.
    """
    if _is_pdf(link["path"]):
        return link[0]
    if not link["path"].strip() and take_tag(f"({link['label']})").year:  # a badge
        return link["label"]
    is_name = link["path"].strip() or names_a_paper(link["label"])
    return link["label"] if is_name and not role_from_label(link["label"]) else ""


def _is_pdf(path: str) -> bool:
    return path.partition("#")[0].partition("?")[0].strip().lower().endswith(".pdf")
