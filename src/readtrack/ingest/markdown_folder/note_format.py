"""Notes of a folder as text: YAML front matter, then Markdown with marks that identify each section.

readtrack writes them and people may edit them: the parser accepts any text.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text.person_names import read_name, write_name
from readtrack.ingest.markdown_folder.notes import (
    FolderNote,
    FolderTable,
    NoteLink,
    PaperNote,
    RelatedNote,
    SummaryPart,
    TopicNote,
)
from readtrack.ingest.parser.paper_details import ReadingDetails, parse_details
from readtrack.library.comparisons.parse_table import BAR, is_row, is_rule
from readtrack.workspace.export.formats import ExportComment, ExportReply, one_line
from readtrack.workspace.export.formats.csv import format_progress, parse_progress

_READING_FIELDS = {
    **{name: name for name in ("status", "depth", "recommendation", "reason", "version", "priority")},
    "started": "started_on",
    "finished": "finished_on",
    "reader": "person",
}
MARK = "<!-- readtrack: "
TITLE = "name"  # not "title": Logseq would use it as the page name, and links to the file would break
_MARKED = re.compile(r"^(\\*<!-- readtrack: )", re.MULTILINE)
MAX_HEAD_CHARS = 200_000  # characters: a paper may have some thousands of authors
_HEAD = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_OURS = re.compile(r"\A\ufeff?---[ \t]*\n(?:.*\n)*?readtrack:")
_SECTION_MARK = re.compile(r"^<!-- readtrack: (\{.*\}) -->[ \t]*$", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*<!-- readtrack: )", re.MULTILINE)
_SECTION_HEADING = re.compile(
    r"\A\s*## (?:Abstract|Papers|Connections|"
    r"(?:Summary|Comment|Reply|Question) by [^\n]*)(?:\n|\Z)"
)
_TITLE_LINE = re.compile(r"\A\s*# [^\n]*")
_WIKI = re.compile(r"\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")
_FILED = re.compile(rf"^- ({_WIKI.pattern})$", re.MULTILINE)
_NAMED = re.compile(r"\A(?:[^#]*/)?([^/#]+)(?:#.*)?\Z")
_CONNECTION = re.compile(r"^- (\w+) (\[\[[^\[\]]+\]\]|\S+)(?:: (.*))?$", re.MULTILINE)


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
        "authors": list(map(write_name, paper.authors)),
        "year": paper.year,
        "published": paper.published,
        "venue": paper.venue,
        "publication_type": paper.publication_type,
        "language": paper.language,
        "identifiers": list(paper.identifiers),
        "links": [f"{link.kind} {link.url}" for link in paper.links],
        "topics": [f"[[{name}]]" for name in paper.topics],
        "titles": dict(paper.translated_titles or {}),
        "titles by a machine": list(paper.drafted),
        **(_reading_head(paper.reading) if paper.reading else {}),
    }


def _reading_head(reading: ReadingDetails) -> dict[str, Any]:
    values = {name: str(getattr(reading, field) or "") for name, field in _READING_FIELDS.items()}
    return {**values, "progress": format_progress(reading.progress and vars(reading.progress))}


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

    for comment in paper.comments:
        yield from _comment_parts(comment)
    for question in paper.questions:
        data = {"person": question.person, "state": question.state, "asked_at": _format_moment(question.asked_at)}
        yield _format_part(f"Question by {one_line(question.person)}", question.text, part="question", **data)
        for comment in question.comments:
            yield from _comment_parts(comment, on="question")


def _comment_parts(comment: ExportComment, on: str = "") -> Iterator[str]:
    yield _comment_part(comment, "comment", on=on, resolved=comment.is_resolved)
    for reply in comment.replies:
        yield _comment_part(reply, "reply", on=on)


def _comment_part(comment: ExportReply, part: str, **data: Any) -> str:  # noqa: ANN401 - any JSON value
    data |= {"person": comment.person, "written_at": _format_moment(comment.written_at), "answer": comment.is_answer}
    return _format_part(f"{part.capitalize()} by {one_line(comment.person)}", comment.markdown, part=part, **data)


def _format_moment(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


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


def _format_part(heading: str, text: str, **data: Any) -> str:  # noqa: ANN401 - any JSON value
    quote = f"> {one_line(data['tldr'])}\n\n" if data.get("tldr") else ""
    return f"{_format_mark(**data)}\n## {heading}\n\n{quote}{_escape_marks(text)}".rstrip()


def _format_mark(**data: Any) -> str:  # noqa: ANN401 - any JSON value
    text = json.dumps({name: value for name, value in data.items() if value}, ensure_ascii=False)
    return f"{MARK}{text.replace('>', chr(92) + 'u003e')} -->"


def _escape_marks(text: str) -> str:
    return _MARKED.sub(r"\\\1", text)


def parse_note(text: str) -> FolderNote | None:
    """Return the note, or None if readtrack did not write it.

    Raise Invalid if its front matter is too long.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    head = _HEAD.match(text[: MAX_HEAD_CHARS + 10])
    if head is None and len(text) > MAX_HEAD_CHARS and _OURS.match(text[:MAX_HEAD_CHARS]):
        raise Invalid(_("The front matter is too long or too deeply nested."))
    fields = _parse_fields(head[1]) if head else {}
    note_kind = _parse_line(fields.get("readtrack"))
    if head is None or note_kind not in {"paper", "topic"}:
        return None
    body = text[head.end() :]
    note = (
        _parse_paper(fields, _split_parts(body)) if note_kind == "paper" else _parse_topic(fields, _split_parts(body))
    )
    before = _TITLE_LINE.sub("", body[: mark.start() if (mark := _SECTION_MARK.search(body)) else None], count=1)
    return replace(note, unparsed_text="\n".join(filter(None, (before.strip(), note.unparsed_text))))


def _parse_fields(head: str) -> Mapping[str, Any]:
    from readtrack.ingest.markdown_folder import yaml_fields

    fields = yaml_fields.load_fields(head)
    return fields if isinstance(fields, dict) else {}


def _split_parts(body: str) -> list[tuple[Mapping[str, Any], str]]:
    """Return the data of each mark with the text up to the next mark."""
    marks = list(_SECTION_MARK.finditer(body))
    ends = [*(mark.start() for mark in marks), len(body)]
    return [(_parse_mark(mark[1]), body[mark.end() : end]) for mark, end in zip(marks, ends[1:], strict=True)]


def _parse_mark(text: str) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _parse_paper(fields: Mapping[str, Any], parts: list[tuple[Mapping[str, Any], str]]) -> PaperNote:
    texts = {str(data.get("part")): text for data, text in parts}
    summaries = [_parse_summary(data, text) for data, text in parts if data.get("part") == "summary"]
    details, _unreadable_count = parse_details({"reading": _parse_reading(fields), **_parse_discussions(parts)})
    connections = _strip_heading(texts.get("connections", ""))
    return PaperNote(
        title=_parse_line(fields.get(TITLE)),
        kind=_parse_line(fields.get("kind")) or "paper",
        authors=tuple(filter(None, map(read_name, _parse_lines(fields.get("authors"))))),
        year=_parse_year(fields.get("year")),
        published=_parse_line(fields.get("published")),
        venue=_parse_line(fields.get("venue")),
        publication_type=_parse_line(fields.get("publication_type")),
        language=_parse_line(fields.get("language")),
        identifiers=_parse_lines(fields.get("identifiers")),
        links=tuple(NoteLink(url, role) for role, url in map(_parse_link, _parse_lines(fields.get("links"))) if url),
        topics=tuple(map(_parse_note_name, _parse_lines(fields.get("topics")))),
        tags=tuple(filter(None, (tag.strip("#/").rpartition("/")[2] for tag in _parse_lines(fields.get("tags"))))),
        translated_titles=_parse_string_map(fields.get("titles")),
        drafted=_parse_lines(fields.get("titles by a machine")),
        abstract=_strip_heading(texts.get("abstract", "")),
        summaries=tuple(part for part in summaries if part.person),
        reading=details.reading,
        comments=details.comments,
        questions=details.questions,
        relations=tuple(
            RelatedNote(kind, _parse_note_name(target), note) for kind, target, note in _CONNECTION.findall(connections)
        ),
        unparsed_text=_CONNECTION.sub("", connections).strip(),
    )


def _parse_reading(fields: Mapping[str, Any]) -> dict[str, Any] | None:
    values = {field: _parse_line(fields.get(name)) for name, field in _READING_FIELDS.items()}
    reading: dict[str, Any] = {name: value for name, value in values.items() if value}
    return {**reading, "progress": parse_progress(_parse_line(fields.get("progress")))} if "status" in reading else None


def _parse_discussions(parts: list[tuple[Mapping[str, Any], str]]) -> dict[str, list[dict[str, Any]]]:
    """Return comments and questions in the form of the JSON export. A part belongs to the one above it."""
    comments, questions = list[dict[str, Any]](), list[dict[str, Any]]()
    for data, text in parts:
        body = _strip_heading(text)
        comment = {"person": data.get("person"), "markdown": body, "written_at": data.get("written_at") or None}
        comment |= {"is_answer": data.get("answer") is True}
        threads = questions[-1]["comments"] if questions and data.get("on") == "question" else comments
        if data.get("part") == "question":
            asked_at = data.get("asked_at") or None
            question = {"person": data.get("person"), "text": body, "state": data.get("state"), "asked_at": asked_at}
            questions.append({**question, "comments": []})
        elif data.get("part") == "comment" or (data.get("part") == "reply" and not threads):
            threads.append({**comment, "is_resolved": data.get("resolved") is True, "replies": []})
        elif data.get("part") == "reply":
            threads[-1]["replies"].append(comment)
    return {"comments": comments, "questions": questions}


def _parse_topic(fields: Mapping[str, Any], parts: list[tuple[Mapping[str, Any], str]]) -> TopicNote:
    texts = {str(data.get("part")): text for data, text in parts}
    papers_text = _strip_heading(texts.get("papers", ""))
    return TopicNote(
        name=_parse_line(fields.get(TITLE)),
        aliases=_parse_lines(fields.get("aliases")),
        parent=_parse_note_name(_parse_line(fields.get("parent"))),
        markdown=_unescape_marks(texts.get("text", "")),
        links=tuple(site for site in map(_parse_topic_link, _parse_lines(fields.get("links"))) if site.url),
        order=tuple(map(_parse_note_name, _parse_lines(fields.get("order")))),
        papers=tuple(_parse_note_name(match[1]) for match in _FILED.finditer(papers_text)),
        tables=tuple(_parse_tables(parts)),
        unparsed_text=_FILED.sub("", papers_text).strip(),
    )


def _parse_tables(parts: list[tuple[Mapping[str, Any], str]]) -> Iterator[FolderTable]:
    from readtrack.infra.text.table_rows import split_row

    for data, text in parts:
        lines = [line for line in _unescape_marks(text).splitlines() if is_row(line)]
        if data.get("part") != "table" or len(lines) < 2 or not is_rule(lines[1]):
            continue
        columns, *rows = (tuple(split_row(line)) for line in (lines[0], *lines[2:]))
        width = len(columns) - (data.get("papers") is True)
        full_rows = ((*row, *[""] * (len(columns) - len(row))) for row in rows)
        yield FolderTable(
            title=_parse_line(data.get("title")),
            columns=columns[:width],
            rows=tuple(
                (row[:width], _parse_note_name(row[width]) if width < len(columns) else "") for row in full_rows
            ),
            scale=tuple(_parse_scale(data.get("scale"))),
        )


def _parse_scale(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    for pair in value if isinstance(value, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            yield _parse_line(pair[0]), _parse_line(pair[1])


def _parse_summary(data: Mapping[str, Any], text: str) -> SummaryPart:
    tldr, body = _parse_line(data.get("tldr")), _strip_heading(text)
    first_paragraph, _break, rest = body.partition("\n\n")
    return SummaryPart(
        _parse_line(data.get("person")), tldr, rest if tldr and f"{first_paragraph} ".startswith("> ") else body
    )


def _strip_heading(text: str) -> str:
    """Return the text without the heading that serialize_note put above it."""
    return _unescape_marks(_SECTION_HEADING.sub("", text.lstrip("\n"), count=1))


def _unescape_marks(text: str) -> str:
    return _ESCAPED.sub(r"\1", text).strip()


def _parse_note_name(word: str) -> str:
    """Return the name of a note, with or without brackets.

    Folders and headings that other programs add are removed.
    """
    link = _WIKI.fullmatch(word.strip())
    if not link:
        return word.strip()
    target = _NAMED.match(unicodedata.normalize("NFC", link[1].strip()))
    return target[1].strip() if target else ""


def _parse_link(line: str) -> tuple[str, str]:
    role, _blank, url = line.partition(" ")
    return role, url.strip()


def _parse_topic_link(line: str) -> NoteLink:
    fields = _parse_mark(line)
    return NoteLink(*(_parse_line(fields.get(name)) for name in NoteLink._fields))


def _parse_line(value: Any) -> str:  # noqa: ANN401 - any YAML value
    return " ".join(str(value).split()) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _parse_lines(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    values = value if isinstance(value, list) else [value]
    return tuple(line for line in map(_parse_line, values) if line)


def _parse_string_map(value: Any) -> dict[str, str]:  # noqa: ANN401
    return {_parse_line(name): _parse_line(text) for name, text in value.items()} if isinstance(value, dict) else {}


def _parse_year(value: Any) -> int | None:  # noqa: ANN401
    text = _parse_line(value)
    return int(text) if re.fullmatch(r"[12][0-9]{3}|3000", text) else None
