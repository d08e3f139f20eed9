"""A folder that somebody worked on in other programs, packed by other systems, comes back in."""

import io
import unicodedata
import zipfile

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.models import Paper, PaperTopic, Relation, Summary, Topic
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.markdown_folder.commands import import_folder
from readtrack.ingest.markdown_folder.note_format import parse_note
from readtrack.ingest.markdown_folder.notes import PaperNote
from readtrack.ingest.markdown_folder.zip_file import unpack_folder
from tests import make

TOPIC = "---\nreadtrack: topic\nname: {name}\n---\n\n# {name}\n"
PAPER = "---\nreadtrack: paper\nname: {name}\n{fields}---\n\n# {name}\n"


@pytest.fixture
def ada(database) -> CurrentUser:
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, "Ada", role="admin")


def zipped(files, *, marked=True):
    """A zip; without the mark that its names are UTF-8, as some systems pack."""
    packet = io.BytesIO()
    with zipfile.ZipFile(packet, "w") as folder:
        for name, text in files.items():
            folder.writestr(name if marked else name.encode().decode("cp437"), text)
    data = packet.getvalue()
    if marked:
        return data
    plain = bytearray(data)
    for at in (i for i in range(len(data) - 4) if data[i : i + 4] in {b"PK\x01\x02", b"PK\x03\x04"}):
        flags = at + (8 if data[at + 2] == 1 else 6)
        assert plain[flags + 1] & 8, "the name has signs that are no ASCII"
        plain[flags + 1] &= ~8
    return bytes(plain)


def filed(database):
    with database.read() as tx:
        query = sa.select(col(Paper.title), col(Topic.name)).join(PaperTopic, col(PaperTopic.paper_id) == col(Paper.id))
        query = query.join(Topic, col(Topic.id) == col(PaperTopic.topic_id)).order_by(col(Paper.title), col(Topic.name))
        return [tuple(row) for row in tx.execute(query)]


@pytest.mark.parametrize(
    ("word", "title"),
    [("Yes", "Yes"), ("12:30", "12:30"), ("3.10", "3.10"), ("2024-05-16", "2024-05-16"), ("007", "007"), ("~", "~")],
)
def test_an_unquoted_value_keeps_its_meaning(word, title):
    note = parse_note(PAPER.format(name=word, fields="authors: [No, On]\nyear: 2023\n"))
    assert isinstance(note, PaperNote)
    assert (note.title, note.authors, note.year) == (title, ("No", "On"), 2023)


@pytest.mark.parametrize("what", ["[paper]", "{paper: 1}", "", "true"])
def test_a_note_of_another_kind_is_ignored(what):
    assert parse_note(f"---\nreadtrack: {what}\n---\n") is None


@pytest.mark.parametrize(
    "link", ["[[Gemini Fast]]", "[[papers/Gemini Fast]]", "[[Gemini Fast|it]]", "[[../papers/Gemini Fast#Idea|it]]"]
)
def test_links_with_full_paths_and_heading_anchors_resolve_to_the_note(link):
    note = parse_note(PAPER.format(name="A", fields=f"topics: ['{link}']\n"))
    assert isinstance(note, PaperNote)
    assert note.topics == ("Gemini Fast",)


def test_links_with_full_paths_in_texts_are_imported_as_names(database, ada):
    text = '<!-- readtrack: {"part": "summary", "person": "Ada"} -->\n'
    text += "As [[papers/Gemini Fast|Gemini]] and [[papers/None]]."
    notes = {"papers/Gemini Fast.md": PAPER.format(name="'Gemini: Fast'", fields="")}
    notes["papers/A.md"] = PAPER.format(name="A", fields="") + text
    import_folder(database, ada, unpack_folder(zipped(notes)))
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Summary.markdown))).all() == ["As [[Gemini]] and [[papers/None]]."]


def test_files_of_other_programs_and_trash_folders_are_ignored():
    kept = {"papers/A.md": "a", "__MACOSX/papers/._A.md": "b", ".trash/B.md": "c", "v/.obsidian/C.md": "d"}
    assert unpack_folder(zipped(kept | {"logseq/bak/pages/A/1.md": "e", "._D.md": "f"})) == {"A": "a"}


@pytest.mark.deep
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("marked", [False, True])
def test_names_match_links_however_the_archive_was_packed(database, ada, form, marked):
    name = "チェックポイントが"
    notes = {f"{unicodedata.normalize(form, name)}.md": TOPIC.format(name=name)}
    notes["é.md"] = PAPER.format(name="A", fields=f"topics: ['[[{name}]]']\n")
    brought = import_folder(database, ada, unpack_folder(zipped(notes, marked=marked)))
    assert (brought.topics_added, brought.left_out) == (1, [])
    assert filed(database) == [("A", name)]


def test_a_tag_and_a_link_without_a_note_file_the_paper(database, ada):
    notes = {
        "FT.md": TOPIC.format(name="Fault tolerance"),
        "A.md": PAPER.format(name="A", fields="topics: ['[[Quite new]]']\ntags: [fault-tolerance, ml/storage]\n"),
    }
    brought = import_folder(database, ada, unpack_folder(zipped(notes)))
    assert brought.topics_added == 3
    assert filed(database) == [("A", "Fault tolerance"), ("A", "Quite new"), ("A", "storage")]


def test_a_refused_topic_does_not_stop_its_papers(database, ada):
    notes = {"A": PAPER.format(name="A", fields="topics: ['[[ ]]', '[[!]]', '[[Fine]]']\ntags: ['#', '']\n")}
    assert import_folder(database, ada, notes).papers_added == 1
    assert ("A", "Fine") in filed(database)


def test_a_paper_linked_on_a_topic_page_is_filed(database, ada):
    topic = TOPIC.format(name="T") + '\n<!-- readtrack: {"part": "papers"} -->\n## Papers\n\n- [[A]]\n- [[papers/B]]\n'
    notes = {"T": topic, "A": PAPER.format(name="A", fields=""), "B": PAPER.format(name="B", fields="")}
    assert import_folder(database, ada, notes).left_out == []
    assert filed(database) == [("A", "T"), ("B", "T")]


def test_text_outside_all_sections_is_reported(database, ada):
    topic = TOPIC.format(name="T") + 'My own words.\n\n<!-- readtrack: {"part": "papers"} -->\n## Papers\n\n- see A\n'
    paper = PAPER.format(name="A", fields="") + (
        '\n<!-- readtrack: {"part": "connections"} -->\n## Connections\n\n- extends [[B]]\n\nWhat I think of it.\n'
    )
    brought = import_folder(database, ada, {"T": topic, "A": paper, "B": PAPER.format(name="B", fields="")})
    assert brought.left_out == [
        "“T”: skipped text outside any section: My own words. - see A",
        "“A”: skipped text outside any section: What I think of it.",
    ]
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Relation)) == 1


def test_line_endings_and_a_byte_order_mark_change_nothing():
    text = PAPER.format(name="A", fields="topics: ['[[T]]']\n")
    text += '\n<!-- readtrack: {"part": "summary", "person": "Ada"} -->\n## Summary by Ada\n\nOne.\n\nTwo.\n'
    note = parse_note(text)
    assert isinstance(note, PaperNote)
    assert note.summaries[0].markdown == "One.\n\nTwo."
    assert parse_note("\ufeff" + text.replace("\n", "\r\n")) == note
