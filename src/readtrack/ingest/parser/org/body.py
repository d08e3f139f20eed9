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


def read_body(page: NoteDocument, start: int, end: int, *, own: int | None = None) -> Body:
    """Read words and supplementary links up to the name of another thing.

    Line `own` has the paper's own link.
    """
    said: list[str] = []
    extras: list[TextLink] = []
    last = at = start
    while at < min(end, start + _MOST_LINES) and sum(map(len, said)) < _MOST_LETTERS:
        text, found = page.text(at), page.links_at(at)
        drawer = end_of_drawer(page, at, end) if text.startswith(":") else None
        if drawer is not None:
            last = at = drawer + 1
            continue
        if text.startswith(_STOPS) or (found and at != own and not _goes_with_it(text, found)):
            break
        extras += found
        at += 1
        if text:
            said += [] if at - 1 == own else [replace_citations(text)]
            last = at
    return Body(last, "\n".join(said), tuple(extras))


def _goes_with_it(text: str, found: Sequence[TextLink]) -> bool:
    """Return True for supplementary links: "Source Code: …", [pdf](…), an address of no paper."""
    rest = " ".join(split_around_links(text, list(found))).strip(" -–+*•()[]:")
    if len(rest.split()) > _MOST_WORDS:
        return False
    same = bool(rest) and says_nothing(rest)
    return all(_is_role(each) or (each.label is None and (each.paper_kind != "paper" or same)) for each in found)


def _is_role(found: TextLink) -> bool:
    return is_key(found.label) or (found.label is not None and len(found.label.split()) == 1)
