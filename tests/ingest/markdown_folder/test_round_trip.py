"""What is hard to bring back: what was called otherwise, what lies in code, what changes meanwhile."""

import io
import zipfile

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.models import Comparison, ComparisonRow, Event, Identifier, Paper, Summary, Topic
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.person_names import NameParts, PersonName
from readtrack.ingest.markdown_folder import zip_file
from readtrack.ingest.markdown_folder.commands import import_folder
from readtrack.ingest.markdown_folder.file_names import build_folder_names
from readtrack.ingest.markdown_folder.links import from_folder_links, to_folder_links
from readtrack.ingest.markdown_folder.zip_file import pack_folder, unpack_folder
from readtrack.library.comparisons.commands import ComparisonFields, ComparisonRowFields, ScaleSign, make_comparison
from readtrack.library.topics.commands import TopicCreate, TopicUpdate, add_topic, edit_topic, link_topic
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from tests import make

pytestmark = pytest.mark.slow

HEAD = "---\nreadtrack: {kind}\nname: {title}\n---\n"
KNOWN = {"gemini": "Gemini Fast", "ckpt": "Checkpointing", "checkpointing": "Checkpointing"}
TITLES = {"Gemini Fast": "Gemini: Fast", "Checkpointing": "Checkpointing"}


@pytest.fixture
def other(server):
    """An empty library beside it."""
    url = server.copy()
    opened = Database(url)
    with opened.write() as tx:
        search.ensure(tx)
    yield opened
    opened.dispose()
    server.drop(url)


@pytest.fixture
def ada(database) -> CurrentUser:
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, "Ada", role="admin")


@pytest.fixture
def there(other) -> CurrentUser:
    with other.write() as tx:
        return make.visitor(tx, "Ada", role="admin")


def folder_of(database, me, q=""):
    with database.read() as tx:
        called = build_folder_names(tx, me, q)
    return unpack_folder(b"".join(pack_folder(database, me, called)))


def zipped(**notes):
    packet = io.BytesIO()
    with zipfile.ZipFile(packet, "w") as folder:
        for name, text in notes.items():
            folder.writestr(f"{name}.md", text)
    return packet.getvalue()


def summarise(tx, me, paper_id, text, tldr=""):
    edit_summary(tx, me, paper_id, SummaryUpdate(markdown=text, tldr=tldr), version=None)


def summaries(database):
    with database.read() as tx:
        return tx.scalars(sa.select(col(Summary.markdown)).order_by(col(Summary.created_at))).all()


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("[[ckpt]] and `[[ckpt]]`", "[[Checkpointing|ckpt]] and `[[ckpt]]`"),
        ("```\n[[ckpt]]\n```\n[[ckpt]]", "```\n[[ckpt]]\n```\n[[Checkpointing|ckpt]]"),
        ("    [[ckpt]]\n\n[[ckpt]]", "    [[ckpt]]\n\n[[Checkpointing|ckpt]]"),
        ("$[[ckpt]]$ [[ckpt]]", "$[[ckpt]]$ [[Checkpointing|ckpt]]"),
        ("\\[[ckpt]]", "\\[[ckpt]]"),
        ("| a |\n|---|\n| [[ckpt]] |", "| a |\n|---|\n| [[Checkpointing\\|ckpt]] |"),
        ("[[ckpt ` ]] `[[ckpt]]`", "[[ckpt ` ]] `[[ckpt]]`"),
    ],
)
def test_only_links_readtrack_recognises_become_links_in_the_folder(text, out):
    def places(name):
        return KNOWN.get(name.casefold(), "")

    assert to_folder_links(text, places) == out
    assert from_folder_links(out, lambda file: TITLES.get(file, ""), places) == text


@pytest.mark.deep
def test_a_text_of_maximum_length_round_trips():
    text = "[[ckpt]]" + "x" * 99_000 + "`[[ckpt]]`" * 50
    out = to_folder_links(text, lambda name: KNOWN.get(name, ""))
    assert out.startswith("[[Checkpointing|ckpt]]")
    assert from_folder_links(out, lambda file: TITLES.get(file, ""), lambda name: KNOWN.get(name, "")) == text


@pytest.mark.deep
def test_texts_round_trip_exactly(database, ada, other, there):
    text = "[[Gemini]] | [[ckpt]]\n\n```\n[[ckpt]]\n---\n```\n\n---\n\n> quoted"
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="Checkpointing", aliases=["ckpt"]))
        gemini = make.paper(tx, "Gemini: Fast failure recovery")
        link_topic(tx, ada, gemini.id, "checkpointing")
        summarise(tx, ada, gemini.id, text.replace("\n", "\r\n"))
        summarise(tx, ada, make.paper(tx, "Other", identifier="").id, "", "One line alone")
    import_folder(other, there, folder_of(database, ada))
    assert summaries(other) == summaries(database)


def test_a_link_by_a_former_name_points_to_the_note(database, ada):
    with database.write() as tx:
        paper = make.paper(tx, "Naming things", identifier="arxiv:2401.00134")
        add_topic(tx, ada, TopicCreate(name="Caches"))
        link_topic(tx, ada, paper.id, "caches")
        summarise(tx, ada, make.paper(tx, "Reader").id, "See [[Naming things]].")
        slug = tx.scalar(sa.select(col(Topic.slug)))
        edit_topic(tx, ada, slug, TopicUpdate(name="Caches", markdown="See [[Naming things]]."), version=1)
        tx.get_one(Paper, paper.id).title = "Called otherwise"
        tx.get_one(Paper, paper.id).title_key = "called otherwise"
    files = folder_of(database, ada)
    assert "See [[Called otherwise|Naming things]]." in files["Reader"]
    assert "See [[Called otherwise|Naming things]]." in files["Caches"]


@pytest.mark.both_databases
def test_comparison_tables_round_trip_with_papers_and_symbols(database, ada, other, there):
    with database.write() as tx:
        topic = tx.get_one(Topic, add_topic(tx, ada, TopicCreate(name="Caches")).id)
        paper = make.paper(tx, "Gemini: Fast failure recovery")
        link_topic(tx, ada, paper.id, "caches")
        rows = [
            ComparisonRowFields(cells=["a | b", "◎ [[Caches]]"], paper=paper.id),
            ComparisonRowFields(cells=["**bold**", ""]),
        ]
        wanted = ComparisonFields(
            title="Which?", columns=["x", "y"], rows=rows, scale=[ScaleSign(sign="◎", meaning="best")]
        )
        make_comparison(tx, ada, topic, wanted)
    files = folder_of(database, ada)
    assert "| a \\| b | ◎ [[Caches]] | [[Gemini Fast failure recovery]] |" in files["Caches"]
    assert import_folder(other, there, files).tables == 1
    assert import_folder(other, there, files).tables == 0
    with other.read() as tx:
        table = tx.scalars(sa.select(Comparison)).one()
        assert (table.title, table.columns, table.scale) == ("Which?", ["x", "y"], [["◎", "best"]])
        kept = tx.scalars(sa.select(ComparisonRow).order_by(col(ComparisonRow.position))).all()
        assert [(row.cells, row.paper_id is None) for row in kept] == [
            (["a | b", "◎ [[Caches]]"], False),
            (["**bold**", ""], True),
        ]
    assert folder_of(other, there)["Caches"] == files["Caches"]


@pytest.mark.deep
def test_items_of_the_same_name_have_separate_notes(database, ada, other, there):
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="Gemini"))
        for title in ("Gemini", "gemini", "Gemini (3)", "README", "x" * 900, "x" * 901):
            link_topic(tx, ada, make.paper(tx, title).id, "gemini")
    files = folder_of(database, ada)
    assert len(files) == 8  # a topic, six papers and what the folder tells of itself
    assert len({name.casefold() for name in files}) == 8
    brought = import_folder(other, there, files)
    assert (brought.papers_added, brought.left_out) == (6, [])


def test_a_library_may_change_while_its_folder_is_written(database, ada, monkeypatch):
    monkeypatch.setattr(zip_file, "BATCH_SIZE", 1)
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="Caches"))
        papers = [make.paper(tx, f"Paper {number}").id for number in range(3)]
        link_topic(tx, ada, papers[0], "caches")
    with database.read() as tx:
        called = build_folder_names(tx, ada, "")
    pieces = pack_folder(database, ada, called)
    first = [next(pieces)]
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="Newer"))
        link_topic(tx, ada, papers[1], "newer")
        tx.get_one(Paper, papers[2]).deleted_at = tx.get_one(Paper, papers[2]).created_at
    files = unpack_folder(b"".join([*first, *pieces]))
    assert "[[Newer]]" not in files["Paper 1"]
    assert "Paper 2" not in files


def test_a_refused_item_is_reported_and_blocks_nothing_else(other, there):
    notes = zipped(
        Long=HEAD.format(kind="topic", title="x" * 400),
        Fine=HEAD.format(kind="topic", title="Fine") + '<!-- readtrack: {"part": "text"} -->\nSays.\n',
        Paper="---\nreadtrack: paper\nname: A paper\nidentifiers: ['arxiv:2401.00134']\n"
        f"topics: ['[[Long]]', '[[Fine]]']\ntitles: {{ja: {'長' * 600}}}\n---\n"
        '<!-- readtrack: {"part": "summary", "person": "Ada", "tldr": "Short"} -->\n> Short\n',
    )
    brought = import_folder(other, there, unpack_folder(notes))
    assert (brought.topics_added, brought.papers_added, brought.summaries) == (1, 1, 1)
    assert [sentence.partition(":")[0] for sentence in brought.left_out] == ["Long", "Paper"]


def test_an_item_that_may_not_be_restored_from_the_trash_is_reported_without_details(other, there):
    with other.write() as tx:
        paper = make.paper(tx, "Gone", identifier="arxiv:2401.00134")
        paper.deleted_at = paper.created_at
    note = "---\nreadtrack: paper\nname: Gone\nidentifiers: ['arxiv:2401.00134']\n---\n"
    brought = import_folder(other, CurrentUser(there.id, "Ada", "member"), unpack_folder(zipped(Gone=note)))
    assert brought.papers_added == 0
    with other.read() as tx:
        assert (tx.get_one(Paper, paper.id).deleted_at is not None) == bool(brought.left_out)


def test_one_exported_paper_that_is_two_here_stays_two(other, there):
    with other.write() as tx:
        one = make.paper(tx, "As a preprint", identifier="arxiv:2401.00134").id
        make.paper(tx, "As published", identifier="doi:10.1145/1")
    note = "---\nreadtrack: paper\nname: Both\nidentifiers: ['arxiv:2401.00134', 'doi:10.1145/1']\n---\n"
    note += '<!-- readtrack: {"part": "summary", "person": "Ada"} -->\n## Summary by Ada\n\nMine.\n'
    brought = import_folder(other, there, unpack_folder(zipped(Both=note)))
    assert brought.left_out == ["“Both” matches 2 papers. Its content was added to the first."]
    with other.read() as tx:
        assert tx.scalars(sa.select(col(Summary.paper_id))).all() == [one]
        assert tx.scalar(sa.select(sa.func.count()).select_from(Identifier)) == 2


def test_imports_on_behalf_of_others_are_in_the_audit_trail(other, there):
    note = HEAD.format(kind="paper", title="A paper")
    note += '<!-- readtrack: {"part": "summary", "person": "健太"} -->\n## Summary by 健太\n\n要約。\n'
    import_folder(other, there, unpack_folder(zipped(Paper=note)))
    with other.read() as tx:
        told = dict(
            tx.execute(sa.select(col(Event.verb), col(Event.data)).where(col(Event.person_id) == there.id)).all()
        )
    assert told["summary.brought"] == {"person": "健太"}
    assert told["folder.brought"] == {"papers": 1, "summaries": 1}


@pytest.mark.both_databases
def test_a_crash_midway_leaves_complete_batches_and_the_same_folder_completes_them(
    database, ada, other, there, monkeypatch
):
    with database.write() as tx:
        for number in range(5):
            summarise(
                tx, ada, make.paper(tx, f"Paper {number}", identifier=f"arxiv:2401.0013{number}").id, f"Of {number}"
            )
    files = folder_of(database, ada)
    monkeypatch.setattr("readtrack.ingest.markdown_folder.commands.BATCH_SIZE", 2)
    monkeypatch.setattr("readtrack.ingest.markdown_folder.commands.SECONDS_AT_ONCE", 60)
    with monkeypatch.context() as broken:
        broken.setattr(
            "readtrack.ingest.markdown_folder.commands.import_papers.content_steps", lambda _folder, _name: 1 / 0
        )
        with pytest.raises(ZeroDivisionError):
            import_folder(other, there, files)
    with other.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Paper)) == 4
    brought = import_folder(other, there, files)
    assert (brought.papers_known, brought.papers_added, brought.summaries) == (4, 1, 5)
    assert summaries(other) == summaries(database)


class TestHostile:
    def test_a_note_that_cannot_be_unpacked_is_reported(self):
        packet = io.BytesIO()
        with zipfile.ZipFile(packet, "w", zipfile.ZIP_DEFLATED) as folder:
            folder.writestr("a.md", "words and more words " * 200)
        spoilt = bytearray(packet.getvalue())
        spoilt[40:60] = b"\xff" * 20
        with pytest.raises(Exception, match="zip file can't be read"):
            unpack_folder(bytes(spoilt))

    def test_many_notes_in_a_small_zip_are_refused_before_all_are_unpacked(self):
        packet = io.BytesIO()
        with zipfile.ZipFile(packet, "w", zipfile.ZIP_DEFLATED) as folder:
            for number in range(60):
                folder.writestr(f"{number}.md", b"0" * 1_000_000)
        with pytest.raises(Exception, match="more than 50 MB"):
            unpack_folder(packet.getvalue(), max_bytes=zip_file.MAX_UPLOAD_BYTES)

    def test_two_files_of_the_same_name_are_two_notes(self):
        packet = io.BytesIO()
        with zipfile.ZipFile(packet, "w") as folder:
            folder.writestr("one/Same.md", "first")
            folder.writestr("two/Same.md", "second")
        assert sorted(unpack_folder(packet.getvalue()).values()) == ["first", "second"]

    def test_nested_zips_and_invalid_characters_do_no_harm(self):
        packet = io.BytesIO()
        with zipfile.ZipFile(packet, "w") as folder:
            folder.writestr("inner.zip", zipped(A="a"))
            folder.writestr("inner.md", zipped(A="a"))
            folder.writestr("b.md", b"\xff\xfe\x00---")
        assert len(unpack_folder(packet.getvalue())) == 2


def test_authors_whose_names_know_their_parts_come_back(database, other, ada, there):
    authors = ["Tao He", PersonName("Laurens van der Maaten", NameParts("Maaten", "Laurens", "van der"))]
    with database.write() as tx:
        make.paper(tx, "Visualizing Data", authors=authors)
    import_folder(other, there, folder_of(database, ada))
    with other.read() as tx:
        (paper,) = tx.scalars(sa.select(Paper)).all()
    assert paper.authors == authors
