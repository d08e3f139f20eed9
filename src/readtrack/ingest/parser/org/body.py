"""Lines below an Org heading that belong to its paper."""

from collections.abc import Sequence
from dataclasses import dataclass

from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.items.find_links import TextLink, split_around_links
from readtrack.ingest.parser.org.citations import replace_citations
from readtrack.ingest.parser.org.properties import end_of_drawer
from readtrack.ingest.parser.org.roles import is_key, says_nothing

_STOPS = ("#+", "|", "```", "~~~", "@", "$$", "\\begin", "[fn:", "# ")
_MOST_LINES, _MOST_LETTERS, _MOST_WORDS = 80, 6000, 8


@dataclass(frozen=True)
class Body:
    """The text and links below a heading, up to index `end`."""

    end: int
    text: str = ""
    extras: tuple[TextLink, ...] = ()


def read_body(page: NoteDocument, start: int, end: int, *, own_line: int | None = None) -> Body:
    """Read words and supplementary links up to the name of another thing.

    Line `own_line` has the paper's own link.
    """
    texts: list[str] = []
    extras: list[TextLink] = []
    last = index = start
    while index < min(end, start + _MOST_LINES) and sum(map(len, texts)) < _MOST_LETTERS:
        text, links = page.text(index), page.links_at(index)
        drawer_end = end_of_drawer(page, index, end) if text.startswith(":") else None
        if drawer_end is not None:
            last = index = drawer_end + 1
            continue
        if text.startswith(_STOPS) or (links and index != own_line and not _goes_with_it(text, links)):
            break
        extras += links
        index += 1
        if text:
            texts += [] if index - 1 == own_line else [replace_citations(text)]
            last = index
    return Body(last, "\n".join(texts), tuple(extras))


def _goes_with_it(text: str, links: Sequence[TextLink]) -> bool:
    """Return True for supplementary links: "Source Code: …", [pdf](…), an address of no paper."""
    rest = " ".join(split_around_links(text, list(links))).strip(" -–+*•()[]:")
    if len(rest.split()) > _MOST_WORDS:
        return False
    is_generic = bool(rest) and says_nothing(rest)
    return all(_is_role(link) or (link.label is None and (link.paper_kind != "paper" or is_generic)) for link in links)


def _is_role(link: TextLink) -> bool:
    return is_key(link.label) or (link.label is not None and len(link.label.split()) == 1)
