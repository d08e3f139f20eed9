"""Grouping of a piece's links: a paper with its code and slides is one group."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from readtrack.infra.text.titles.clean import looks_like_title, names_a_paper
from readtrack.infra.text.titles.dates import iso_date
from readtrack.infra.text.titles.vocabulary import LETTER_OR_DIGIT
from readtrack.ingest.parser.citations.cited_names import dated_names
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.items.find_links import TextLink, split_around_links
from readtrack.ingest.parser.items.link_roles import (
    SHOWING,
    STRONG,
    has_name,
    is_note,
    is_own,
    is_preprint,
    role_from_label,
)
from readtrack.ingest.parser.vocabulary.file_names import read_file_name
from readtrack.ingest.parser.vocabulary.title_affixes import take_head
from readtrack.ingest.parser.vocabulary.venues import match_venue

_ROLE_BEFORE = re.compile(
    r"(?:^\s*|(?<=[^\w-])\s|[(\[（【,，。;；|｜、)）\]】/·])"
    r"(?P<role>[A-Za-z ]{2,20}|[\u3040-\u9fff]{2,6})\s?[:：]\s*[*_]{0,2}[<(\[]?$"
)
_ALTERNATIVES = frozenset({"or", "または", "或", "或者"})
_JOINTS = " \t-–—:：|｜,，;；/·•>[]()（）【】<&+*_.。"
_PROJECT = re.compile(r"project|website|web ?page|home ?page|\bpage\b|\bsite\b|主页|サイト", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_YEAR_BEHIND = re.compile(r"\s?[(\[（](?:[^()\[\]（）]{1,30}\s)?(?:19|20)\d\d[)\]）]")
_MAX_FORM_CHARS, _FEW_WORDS = 40, 5
_MAX_SOURCE_WORDS, _BESIDE = 3, 4  # words; characters between links of one title
_MAX_GROUP_LINKS = 50  # links of one group; each is compared with all earlier ones


@dataclass
class LinkGroup:
    """Links of the same thing, with the text before and after them."""

    links: list[TextLink]
    before: str
    texts_after: list[str]

    @property
    def after(self) -> str:
        return " ".join(self.texts_after)

    @property
    def main_link(self) -> TextLink:
        """The link of the paper itself, even if its code is linked first.

        Links with a name come before others.
        """
        return self.links[0] if len(self.links) == 1 else min(self.links, key=_rank)

    @property
    def extras(self) -> list[TextLink]:
        return [link for link in self.links if link is not self.main_link]

    @property
    def title_link(self) -> TextLink | None:
        """The link whose text is the title, None without one."""
        named_links = [link for link in self.links if has_name(link) and not names_a_form(link.text)]
        titles = [link for link in named_links if len(link.text.split()) > _MAX_SOURCE_WORDS]
        if len(titles) == 1 and titles[0].start <= named_links[0].end + _BESIDE:
            return titles[0]  # [A title of several words](notes.md) [[Google Research](address)]
        return min(named_links, key=_rank) if len(named_links) > 1 else next(iter(named_links), None)


@lru_cache(maxsize=256)  # Labels are compared several times while their group is read.
def names_a_form(label: str) -> bool:
    """Return True for [OSDI'24], [2023] or [arXiv v2]: a venue or date instead of a title."""
    if len(label) > _MAX_FORM_CHARS or not _DIGIT.search(label) or read_file_name(label):
        return False
    if iso_date(label):
        return True
    head = take_head(label)
    if not LETTER_OR_DIGIT.search(head.title):
        return True
    if head.venue and looks_like_title(head.title):  # [OSDI'04-MapReduce: Simplified Data Processing]
        return False
    return match_venue(label) is not None


def group_links(text: str, links: Sequence[TextLink], *, in_list: bool) -> list[LinkGroup]:
    """Group links.

    Links with a generic text, and repeated links, belong to the group before them.
    """
    texts = split_around_links(text, links)
    groups: list[LinkGroup] = []
    for link, before, after in zip(links, texts, texts[1:], strict=False):
        role, words = _role_before(before)
        is_labeled = role and (link.label is None or (groups and has_name(link) and role_from_label(role) != "own"))
        member = replace(link, label=role) if is_labeled else link
        group = groups[-1] if groups and len(groups[-1].links) < _MAX_GROUP_LINKS else None
        if group and (_belongs(group, member, words, in_list=in_list) or _ends_reference(group, member, words, after)):
            group.links.append(member)
            group.texts_after[-1] = "" if words.strip(_JOINTS) in _ALTERNATIVES else words.rstrip(" [(（【<")
            group.texts_after.append(after.lstrip(" ])）】>"))
        else:
            groups.append(LinkGroup([member], _without_year_of(groups, words), [after]))
    return groups


def _without_year_of(groups: Sequence[LinkGroup], between: str) -> str:
    """Return the text before a group without the year of the group before it: `[A](…) (2003) and [B](…) (2006)`."""
    year = _YEAR_BEHIND.match(between)
    return between[year.end() :] if groups and year and not _YEAR_BEHIND.match(groups[0].before) else between


def _role_before(before: str) -> tuple[str, str]:
    """Return the role word of `Code: address` or `代码：[name](address)`, and the text before it."""
    match = _ROLE_BEFORE.search(before[-40:]) if before.rstrip(" *_<([").endswith((":", "：")) else None
    word = match["role"].strip() if match else ""
    if not match or not role_from_label(word):
        return "", before
    return word, before[: len(before) - len(match[0])]


def _belongs(group: LinkGroup, link: TextLink, between: str, *, in_list: bool) -> bool:
    """Return True if the link belongs to the group before it."""
    if any(link.ref == member.ref for member in group.links):
        return True
    if has_name(link):
        return _named_link_belongs(group, link, between, in_list=in_list)
    if between.strip(_JOINTS) in _ALTERNATIVES:  # `Title https://… or https://…`
        return in_list and has_words(group.before) and _has_paper(group) and not _is_another_paper(group, link, "")
    if link.label is not None:
        return not _is_another_paper(group, link, between)
    if not between.strip() and len(group.links) == 1 and is_note(group.links[0]):  # `[The Title](…/note.md) https://…`
        return in_list and link.paper_kind in {"paper", "article"} and names_a_paper(group.links[0].text)
    return in_list and link.paper_kind in {"code", "video", "slides"} and _has_paper(group) and _is_short(between)


def _ends_reference(group: LinkGroup, link: TextLink, between: str, after: str) -> bool:
    """Return True for a second address at the end: `[Author, A. (2007).](address) Title. Journal, 56(2). https://…`."""
    words = between.strip(_JOINTS)
    is_reference = words[:1].isupper() and len(words.split()) >= _FEW_WORDS and _DIGIT.search(words) is not None
    is_last = link.label is None and link.paper_kind == "paper" and not has_words(after)
    return (
        is_last and is_reference and bool(dated_names(group.links[0].text)) and not _is_another_paper(group, link, "")
    )


def _named_link_belongs(group: LinkGroup, link: TextLink, between: str, *, in_list: bool) -> bool:
    if names_a_form(link.text) or _names_source(group, link, between):
        return not _is_another_paper(group, link, between)
    if (
        group.title_link is None
        and not has_words(group.before)
        and not has_words(between)
        and all(member.label is not None for member in group.links)
    ):
        return not _is_another_paper(group, link, "")
    if link.paper_kind == "paper" or not _has_paper(group):
        return False
    return in_list or _is_short(between)


def _names_source(group: LinkGroup, link: TextLink, between: str) -> bool:
    """Return True for a short name in brackets behind a linked title: `[A Title of a Work](notes) [[NVIDIA](…)]`."""
    title = group.title_link
    if title is None or between.strip() != "[":
        return False
    return len(link.text.split()) <= _MAX_SOURCE_WORDS < len(title.text.split())


def _is_another_paper(group: LinkGroup, link: TextLink, between: str) -> bool:
    """Return True for a second identifier of the same scheme, or for a title between the links."""
    if not is_own(link) or not _has_paper(group):
        return False
    schemes = {member.ref.scheme for member in group.links if is_own(member)}
    if link.ref.scheme in STRONG and link.ref.scheme in schemes:
        return True
    title = parse_citation(between.strip(_JOINTS)).title
    return len(title.split()) >= _FEW_WORDS and looks_like_title(title)


def _has_paper(group: LinkGroup) -> bool:
    return any(map(is_own, group.links))


def _is_short(text: str) -> bool:
    return len(text.strip(_JOINTS).split()) < _FEW_WORDS


def has_words(text: str) -> bool:
    """Return False for a text of separators and brackets only."""
    return bool(text.strip(_JOINTS))


def _rank(link: TextLink) -> tuple[bool, bool, bool, bool]:
    return (not is_own(link), link.ref.scheme not in STRONG, is_note(link), not has_name(link))


def find_titled_link(links: Sequence[TextLink]) -> TextLink:
    """Return the one of several addresses that a title above them names.

    The paper comes before its preprint, its code, a video and slides; any other page keeps a title right above it.
    """
    first = links[0]
    papers = [link for link in links if link.paper_kind == "paper"]
    if papers and first.paper_kind in {"paper", "page", *SHOWING}:
        return min(papers, key=lambda link: (link.ref.scheme not in STRONG, is_preprint(link)))
    if first.paper_kind not in SHOWING:
        return first
    showing_links = [link for link in links if link.paper_kind in SHOWING]
    return min(showing_links, key=lambda link: SHOWING.index(link.paper_kind))


def is_extra(links: Sequence[TextLink]) -> bool:
    """Return True if all links are code, slides, videos and the like, not the paper itself."""
    return all(map(_says_another_thing, links))


def _says_another_thing(link: TextLink) -> bool:
    if link.paper_kind in {"code", "slides", "video"}:
        return True
    role = role_from_label(link.label) if link.label else ""
    return role not in {"", "own"} and not (role == "landing" and _PROJECT.search(link.text))
