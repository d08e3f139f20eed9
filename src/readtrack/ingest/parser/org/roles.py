"""Roles of Org headings: a paper, a part of the notes on a paper, or a topic."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from readtrack.infra.text.titles.clean import is_generic, looks_like_title, names_a_paper
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.headings.outline import is_part_of_notes, is_session, no_topic_reason
from readtrack.ingest.parser.headings.vocabulary import squeeze_name
from readtrack.ingest.parser.items.diary import is_chore
from readtrack.ingest.parser.items.find_links import TextLink, find_links, split_around_links
from readtrack.ingest.parser.items.subjects import is_question, is_task
from readtrack.ingest.parser.items.title_runs import are_titles
from readtrack.ingest.parser.org.citations import cited, is_citation, without_citations
from readtrack.ingest.parser.org.outline import OrgNode
from readtrack.ingest.parser.org.properties import OrgProperties, read_fields, read_properties
from readtrack.ingest.parser.org.publications import Publication, read_publication

PAPER, PART, TOPIC = "paper", "part", "topic"
_FILES = frozenset({"pdf", "bibtex"})
_APA = re.compile(
    r"(?P<authors>[^()\[\]:]{2,300}?[.,&\w]) ?\((?P<year>(?:19|20)\d\d[a-z]?|n\.d\.|)\)\s?[:.] (?P<title>\S.{3,400})"
)
_INITIAL = re.compile(r", [^\W\d]\.|\bet al\b|&")
_WORDS = re.compile(r"\w+")
_EMPTY_WORDS = _WORDS.findall(
    "link links to the a an paper pdf ps here this article original official full text version source on in arxiv acm "
    "ieee usenix springer openreview download local copy web page site url read doi publisher preprint"
)  # fmt: skip
LOCAL = re.compile(r"\s?\(?\[(?P<label>[^\[\]]{0,300})\]\((?P<target>(?:file:|/|~/|\.{1,2}/)[^()\s]{1,500})\)\)?")
_NEAR, _SENTENCE, _SHORT = 4, 5, 3
_KEY_LABEL = re.compile(
    r"[a-z]{1,40}[-_]?(?:19|20)?\d\d[-_a-z\d]{0,60}|[\w./:~ -]{1,200}\.(?:pdf|epub|djvu|ps)", re.IGNORECASE
)
_PLAIN_WORD_FIRST = re.compile(r"[a-z]+\s")  # `for Ada to send the slides`
_REMARK = re.compile(r"\([^()]{1,60}\)$")
_MAJORITY, _SHARE = 0.6, 0.3
_NEAR_LINES = 8
_PUNCTUATION = re.compile(r"[\W_]+")


@dataclass
class OrgHeading:
    """A node with properties that depend on it alone, computed on first use."""

    node: OrgNode
    page: NoteDocument
    role: str = TOPIC

    @property
    def title(self) -> str:
        return self.node.title

    @cached_property
    def facts(self) -> OrgProperties:
        facts = read_properties(self.page, self.node.body_start, self.node.end)
        read_fields(self.page, facts, self.node.end)
        return facts

    @cached_property
    def title_links(self) -> list[TextLink]:
        return find_links(self.title)

    @cached_property
    def apa(self) -> re.Match[str] | None:
        """Match "Authors (2020): Title", as exporters of bibliographies write headings."""
        match = _APA.fullmatch(self.title)
        return match if match and _INITIAL.search(match["authors"]) else None

    @cached_property
    def body(self) -> int:
        """The index of the first non-blank line below, or the end."""
        index = self.facts.end
        while index < self.node.end and not self.page.text(index):
            index += 1
        return index

    @cached_property
    def keys(self) -> list[str]:
        """Keys cited by the heading, or by a line right below that only cites."""
        return cited(self.cited_in)

    @cached_property
    def cited_in(self) -> str:
        """The text with the citation: a property, the heading or the line below, otherwise ""."""
        raw = self.facts.citing or self._cited_by_a_part or self.page.lines[self.node.index].raw
        line_below = self.page.lines[self.body].raw if self.body < self.node.end else ""
        return raw if cited(raw) else line_below if is_citation(line_below) else ""

    @property
    def _cited_by_a_part(self) -> str:
        parts = (child for child in self.node.children if is_part(child))
        return next(
            (
                citation
                for child in parts
                if (citation := read_properties(self.page, child.body_start, child.end).citing)
            ),
            "",
        )

    @cached_property
    def publication(self) -> Publication | None:
        """Where the work appeared, if the first sentence below only says that: `Anderson, Science 1972`."""
        text = self.page.text(self.body) if self.body < self.node.end else ""
        return None if self.page.links_at(self.body) else read_publication(text.lstrip("-+ "))

    @cached_property
    def own_line(self) -> int:
        """The index of the first line below, or of the only one with a link to a work."""
        lines = [
            index
            for index in range(self.body, min(self.body + _NEAR_LINES, self.node.end))
            if self.page.links_at(index)
        ]
        is_only = len(lines) == 1 and bool(self.node.status) and _is_link_line(self.page, lines[0], self.title)
        return lines[0] if is_only and _is_bare_work(self.page.links_at(lines[0])[0]) else self.body

    @cached_property
    def own_link(self) -> list[TextLink]:
        """The link in a line of its own below, unless more such lines follow."""
        if self.own_line != self.body:
            return [] if self.title_links else self.page.links_at(self.own_line)
        if self.title_links or self.body >= self.node.end or not _is_link_line(self.page, self.body, self.title):
            return []
        link_lines = [
            index for index in range(self.body + 1, min(self.body + _NEAR, self.node.end)) if self.page.links_at(index)
        ]
        main_link = self.page.links_at(self.body)[0]
        is_list = any(
            _is_link_line(self.page, index, self.title) and _is_bare_work(self.page.links_at(index)[0])
            for index in link_lines
        )
        return [] if is_list and _is_bare_work(main_link) and not self.node.status else self.page.links_at(self.body)

    @cached_property
    def child_links(self) -> list[TextLink]:
        """Links of child headings that are only [pdf] or the like."""
        return [link for child in self.node.children if is_mere_link(child.title) for link in find_links(child.title)]

    @cached_property
    def is_named(self) -> bool:
        """True if the heading has a title of its own instead of a generic word.

        With a status, one word is enough.
        """
        length = len(self.title.split())
        has_name = not no_topic_reason(self.title) and not is_part(self.node)
        return has_name and (length > 1 or bool(self.node.status))

    @cached_property
    def is_sure(self) -> bool:
        """True for a paper regardless of its neighbours."""
        if self.has_details or not self.is_named:
            return self.has_details
        sentence = len(self.title.split()) >= _SENTENCE
        return any(map(is_part, self.node.children)) and (sentence or looks_like_title(self.title))

    @cached_property
    def has_details(self) -> bool:
        """True if links, fields or a citation identify a paper."""
        if self.title_links or "[[" in self.title or LOCAL.search(self.title):
            return True
        if not self.is_named or is_session(self.title):
            return False
        if self.facts.links or self.facts.describe_a_work:
            return True
        if self.publication and len(self.title.split()) >= _SHORT and not is_chore(self.title):
            return True
        return bool(self.apa or self.keys or self.own_link or self.child_links)

    @cached_property
    def can_be_paper(self) -> bool:
        """True if the heading counts as a paper when its neighbours do."""
        if not self.is_named or is_question(self.title) or is_task(self.title) or is_chore(self.title):
            return False
        if is_session(self.title):
            return False
        is_plain = CJK.search(self.title) and not are_titles([self.title] * _SHORT)
        if self.holds_a_list or self.facts.has_deadline or is_plain or _PLAIN_WORD_FIRST.match(self.title):
            return False
        return self.is_sentence or self._looks_like_title

    @property
    def is_sentence(self) -> bool:
        """True for a heading with a status that is long enough for a title in lower case."""
        return bool(self.node.status) and len(self.title.split()) >= _SENTENCE

    @cached_property
    def names_a_paper(self) -> bool:
        return self.can_be_paper and names_a_paper(without_citations(self.title))

    @property
    def is_likely_paper(self) -> bool:
        """True if the heading names a paper, or has a status and looks like a title."""
        return self.names_a_paper or (self.can_be_paper and bool(self.node.status) and self._looks_like_title)

    @cached_property
    def _looks_like_title(self) -> bool:
        is_title_case = bool(self.node.status) and " " in self.title and self.title.istitle()
        return is_title_case or looks_like_title(self.title)

    @property
    def holds_a_list(self) -> bool:
        """True if a list below has links, so that the heading is its topic."""
        lines = range(self.facts.end, min(self.facts.end + 40, self.node.end))
        return any(self.page.links_at(index) and self.page.text(index).startswith(("-", "+", "1")) for index in lines)


def is_part(node: OrgNode) -> bool:
    """Return True for a heading within notes, such as Abstract or Short Summary."""
    words = node.title.split()
    is_known = _names_part(node.title) or (1 < len(words) <= _SHORT and _names_part(words[-1]))
    return is_known and node.parent is not None


def _names_part(name: str) -> bool:
    return is_part_of_notes(name) or squeeze_name(name) in _FILES


def roles(nodes: Sequence[OrgNode], page: NoteDocument) -> dict[int, OrgHeading]:
    """Return the headings with their roles, by the index of their line."""
    headings = {node.index: OrgHeading(node, page) for node in nodes}
    for heading in headings.values():
        heading.role = PAPER if heading.is_sure else TOPIC
    for heading in headings.values():
        if heading.role == PAPER and _only_links(heading) and _holds_papers(heading.node, headings):
            heading.role = TOPIC
    groups: dict[int | None, list[OrgHeading]] = {}
    for heading in headings.values():
        parent = heading.node.parent
        groups.setdefault(parent.index if parent else None, []).append(heading)
    for group in groups.values():
        _judge(group, headings)
    for heading in headings.values():  # parents come before their children
        may_be_part = (
            heading.role == TOPIC or is_mere_link(heading.title) or (heading.is_sure and not heading.has_details)
        )
        if may_be_part and _under_paper(heading, headings):
            heading.role = PART
    return headings


def _judge(group: Sequence[OrgHeading], headings: dict[int, OrgHeading]) -> None:
    """Make possible papers among siblings papers if most of the siblings are."""
    sure_count = sum(heading.role == PAPER for heading in group)
    likely_count = sum(heading.role != PAPER and heading.is_likely_paper for heading in group)
    stated = [heading for heading in group if heading.node.status and not _holds_papers(heading.node, headings)]
    by_link, by_name = sure_count >= _MAJORITY * len(group), sure_count + likely_count >= max(2, _MAJORITY * len(group))
    for heading in group:
        if heading.role == PAPER or not heading.can_be_paper or _holds_papers(heading.node, headings):
            continue
        is_clear = heading.node.status and heading.names_a_paper
        if (
            is_clear
            or (by_name and (heading.is_likely_paper or looks_like_title(heading.title)))
            or (by_link and (sure_count > 1 or heading.node.status))
            or (heading.is_sentence and 1 < sure_count >= _SHARE * len(stated))
        ):
            heading.role = PAPER


def _holds_papers(node: OrgNode, headings: dict[int, OrgHeading]) -> bool:
    """Return True if papers or lists of links are anywhere below, so that the heading is a topic."""
    return any(
        headings[child.index].is_sure or headings[child.index].holds_a_list or _holds_papers(child, headings)
        for child in node.children
    )


def _only_links(heading: OrgHeading) -> bool:
    """Return True if the heading only links web pages, which may be about a topic as well."""
    links = heading.title_links or heading.own_link
    return bool(links) and all(link.paper_kind != "paper" for link in links) and not heading.node.status


def _under_paper(heading: OrgHeading, headings: dict[int, OrgHeading]) -> bool:
    parent = heading.node.parent
    return parent is not None and headings[parent.index].role in {PAPER, PART}


def _is_link_line(page: NoteDocument, index: int, title: str) -> bool:
    """Return True for a line with only a link, whose text is generic or repeats the heading.

    A role word such as "Code:" may come first.
    """
    links = page.links_at(index)
    if not links or len(page.text(index)) > 1500:
        return False
    if page.text(index).startswith(("-", "+")) and len(title.split()) < 3:
        return False
    if len(links) == 1 and links[0].label and _same(links[0].label, title):
        return True  # a citation of the work, linked by its title
    rest = _REMARK.sub("", " ".join(split_around_links(page.text(index), links)).strip(" -–—:：|,;[]")).strip("() ")
    if not says_nothing(rest):
        return False
    return all(link.label is None or is_key(link.label) or has_similar_titles(link.label, title) for link in links[:3])


def is_key(label: str | None) -> bool:
    """Return True for a link text that is a citation key, a file name or generic."""
    return label is not None and (_KEY_LABEL.fullmatch(label) is not None or says_nothing(label))


def says_nothing(label: str) -> bool:
    """Return True for a link text without a name, such as [pdf] or [Link to paper here]."""
    return is_generic(label) or all(word in _EMPTY_WORDS for word in _PUNCTUATION.sub(" ", label.casefold()).split())


def is_mere_link(title: str) -> bool:
    links = find_links(title) if title.startswith(("[", "http")) else []
    rest = "".join(split_around_links(title, links)).strip(" ,;|()")
    return bool(links) and not rest and all(link.label is not None and says_nothing(link.label) for link in links)


def has_similar_titles(left: str, right: str) -> bool:
    short, long = sorted((squeeze_name(left), squeeze_name(right)), key=len)
    return len(short) >= 4 and short in long


def _same(left: str, right: str) -> bool:
    return squeeze_name(left) == squeeze_name(right) and len(right.split()) >= _SHORT


def _is_bare_work(link: TextLink) -> bool:
    return link.paper_kind == "paper" and link.label is None
