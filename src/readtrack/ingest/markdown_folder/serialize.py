"""Notes of a folder as text: YAML front matter, then Markdown with marks that identify each section."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from readtrack.ingest.markdown_folder.front_matter import FolderNote, FolderTable, NoteLink, PaperNote, TopicNote
from readtrack.library.comparisons.parse_table import BAR
from readtrack.workspace.export.formats import one_line

MARK = "<!-- readtrack: "
TITLE = "name"  # not "title": Logseq would use it as the page name, and links to the file would break
_MARKED = re.compile(r"^(\\*<!-- readtrack: )", re.MULTILINE)


def serialize_note(note: FolderNote) -> str:
    """Return the whole note as text."""
    from readtrack.ingest.markdown_folder import yaml_fields

    head, body = (
        (_paper_head(note), _paper_body(note))
        if isinstance(note, PaperNote)
        else (_topic_head(note), _topic_body(note))
    )
    fields = {name: value for name, value in head.items() if value not in ("", None, [], {})}
    return f"---\n{yaml_fields.dump_fields(fields)}---\n\n" + "\n\n".join(body) + "\n"


def _paper_head(paper: PaperNote) -> dict[str, Any]:
    return {
        "readtrack": "paper",
        TITLE: paper.title,
        "aliases": [paper.title],
        "kind": paper.kind,
        "authors": list(paper.authors),
        "year": paper.year,
        "published": paper.published,
        "venue": paper.venue,
        "language": paper.language,
        "identifiers": list(paper.identifiers),
        "links": [f"{link.kind} {link.url}" for link in paper.links],
        "topics": [f"[[{name}]]" for name in paper.topics],
        "titles": dict(paper.translated_titles or {}),
        "titles by a machine": list(paper.drafted),
    }


def _topic_head(topic: TopicNote) -> dict[str, Any]:
    return {
        "readtrack": "topic",
        TITLE: topic.name,
        "aliases": list(topic.aliases),
        "parent": f"[[{topic.parent}]]" if topic.parent else "",
        "links": [_serialize_link(link) for link in topic.links],
        "order": [f"[[{name}]]" for name in topic.order],
    }


def _serialize_link(link: NoteLink) -> str:
    """Return the link as one line of JSON, because Obsidian only displays lists of strings."""
    return json.dumps({name: value for name, value in link._asdict().items() if value}, ensure_ascii=False)


def _paper_body(paper: PaperNote) -> Iterator[str]:
    yield f"# {one_line(paper.title) or 'Untitled'}"
    if paper.abstract:
        yield _format_part("Abstract", paper.abstract, part="abstract")
    for summary in paper.summaries:
        yield _format_part(
            f"Summary by {one_line(summary.person)}",
            summary.markdown,
            part="summary",
            person=summary.person,
            tldr=summary.tldr,
        )
    if paper.relations:
        lines = [
            f"- {relation.kind} {relation.to}" + (f": {relation.note}" if relation.note else "")
            for relation in paper.relations
        ]
        yield _format_part("Connections", "\n".join(lines), part="connections")


def _topic_body(topic: TopicNote) -> Iterator[str]:
    yield f"# {one_line(topic.name)}"
    if topic.markdown:
        yield _format_mark(part="text") + "\n" + _escape_marks(topic.markdown)
    if topic.papers:
        yield _format_part("Papers", "\n".join(f"- [[{name}]]" for name in topic.papers), part="papers")
    yield from map(_serialize_table, topic.tables)


def _serialize_table(table: FolderTable) -> str:
    """Return the table as Markdown.

    The papers of its rows, if any, are in an additional last column.
    """
    with_papers = any(paper for _cells, paper in table.rows)
    rows = [[*cells, *[f"[[{paper}]]" if paper else ""] * with_papers] for cells, paper in table.rows]
    columns = [*table.columns, *["Paper"] * with_papers]
    lines = "\n".join(map(_format_row, (columns, ["---"] * len(columns), *rows)))
    data = {"part": "table", "title": table.title, "scale": table.scale, "papers": with_papers}
    return f"{_format_mark(**data)}\n## {one_line(table.title)}\n\n{_escape_marks(lines)}"


def _format_row(cells: Iterable[str]) -> str:
    """Return the row, escaping only the bars in cells: cells may contain Markdown."""
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"


def _format_part(heading: str, text: str, **data: str) -> str:
    quote = f"> {one_line(data['tldr'])}\n\n" if data.get("tldr") else ""
    return f"{_format_mark(**data)}\n## {heading}\n\n{quote}{_escape_marks(text)}".rstrip()


def _format_mark(**data: Any) -> str:  # noqa: ANN401 - any JSON value
    text = json.dumps({name: value for name, value in data.items() if value}, ensure_ascii=False)
    return f"{MARK}{text.replace('>', chr(92) + 'u003e')} -->"


def _escape_marks(text: str) -> str:
    return _MARKED.sub(r"\\\1", text)
