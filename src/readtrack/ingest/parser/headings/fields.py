"""Facts on a paper in named fields: front matter and properties."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.dates import iso_date, iso_day
from readtrack.infra.text.titles.marks import status_of
from readtrack.ingest.parser.headings.lines_below import PaperDetails
from readtrack.ingest.parser.headings.outline import topic_of
from readtrack.ingest.parser.headings.vocabulary import key_of
from readtrack.ingest.parser.items.find_links import TextLink, find_links
from readtrack.ingest.parser.items.link_roles import STRONG
from readtrack.ingest.parser.vocabulary.author_names import parse_author_field
from readtrack.ingest.parser.vocabulary.venues import split_venue

_NAMES_OF_A_PAPER = frozenset({"doi", "arxiv", "arxiv id", "arxivid", "eprint", "citekey", "citation key", "zotero"})
_NO_TOPIC = frozenset(
    """
    paper papers literature literaturenote note notes reading read toread unread zotero reference references inbox todo
    done article 论文 論文
    """.split()  # noqa: SIM905 - a list of words reads better than a list of quotes
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def title_of(field_values: Mapping[str, Sequence[str]], heading: str = "") -> str:
    """Return the title in the fields, else the heading below. `@smith2020` is a citation key."""
    titles = [values[0] for name, values in field_values.items() if key_of(name) == "title" and values]
    works = [values[0] for name, values in field_values.items() if key_of(name) == "paper" and values]
    titles += [name for name in works if not find_links(name)]
    if any(link.paper_kind == "paper" for link in _links(field_values)):  # the name of a paper, not of a person
        titles += [name for name in field_values.get("name", ()) if names_a_paper(name)]
    title = next((title for title in titles if not title.startswith("@")), "")
    return title or heading or next(iter(field_values.get("aliases", ())), "")


def names_paper(field_values: Mapping[str, Sequence[str]]) -> bool:
    """Return True if the fields have an identifier, a paper's address, or authors with a venue or year."""
    if any(values for name, values in field_values.items() if name in _NAMES_OF_A_PAPER):
        return True
    if any(link.paper_kind == "paper" for link in _links(field_values)):
        return True
    keys = {key_of(name) for name, values in field_values.items() if values}
    return "authors" in keys and ("venue" in keys or "year" in field_values)


def _links(field_values: Mapping[str, Sequence[str]]) -> list[TextLink]:
    links: dict[str, TextLink] = {}
    for name, values in field_values.items():
        if key_of(name) not in {"link", "extra", "paper"} and name not in _NAMES_OF_A_PAPER:
            continue
        for value in values:
            for link in find_links(f"doi:{value}" if name == "doi" and value.startswith("10.") else value):
                is_named = key_of(name) == "paper" and link.paper_kind == "page"  # whatever its site
                links.setdefault(str(link.ref), replace(link, paper_kind="paper") if is_named else link)
    return sorted(links.values(), key=lambda link: link.ref.scheme not in STRONG)


def build_details(field_values: Mapping[str, Sequence[str]]) -> PaperDetails:
    by_key = {key: values for name, values in field_values.items() if (key := key_of(name)) and values}
    topics = [value for name, values in field_values.items() if key_of(name) == "topics" for value in values]
    first = {key: values[0] for key, values in by_key.items()}
    # Then "date" is the date of the note.
    has_note_date = len([name for name in field_values if key_of(name) == "date"]) > 1
    dates = [
        value
        for name, values in field_values.items()
        if key_of(name) == "date" and not (has_note_date and name == "date")
        for value in values
    ]
    date_year = next((_YEAR.search(value) for value in dates if _YEAR.search(value)), None)
    venue, year = split_venue(first.get("venue", "") or next(iter(field_values.get("server", ())), ""))
    return PaperDetails(
        end=0,
        links=_links(field_values),
        authors=tuple(name for value in by_key.get("authors", ()) for name in parse_author_field(value)),
        venue=venue,
        year=year or (int(date_year[0]) if date_year else None),
        published=max((iso_date(value) for value in dates), key=len, default="")
        if "year" in field_values or len(dates) == 1
        else "",
        read_on=iso_day(first.get("read_on", "")),
        status=status_of(first.get("status", "")) or next(filter(None, map(status_of, topics)), None),
        rating=first.get("rating", ""),
        topics=tuple(dict.fromkeys(_topics(topics))),
        abstract=first.get("abstract", ""),
    )


def _topics(tags: Sequence[str]) -> list[str]:
    names = [name for tag in tags for name in re.split(r"(?<!\s)\s+#", tag.strip(" #\"'"))]
    return [name.rpartition("/")[2] for name in names if name and _is_topic(name)]


def _is_topic(name: str) -> bool:
    return name.casefold() not in _NO_TOPIC and not status_of(name) and bool(topic_of(name))
