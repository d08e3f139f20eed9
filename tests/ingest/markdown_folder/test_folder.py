"""A library leaves as a folder and comes back as it was; a folder overwrites nothing, and no text of anybody else."""

import io
import zipfile
from typing import Any, cast

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.models import Event, Paper, Person, Summary
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.markdown_folder.commands import import_folder
from readtrack.ingest.markdown_folder.file_names import build_folder_names
from readtrack.ingest.markdown_folder.zip_file import pack_folder, unpack_folder
from readtrack.library.papers.commands import NewPaper, PaperFields, add_papers
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.papers.translated_titles import TranslatedTitleUpdate, set_translated_title
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.library.topics.commands import TopicCreate, add_topic, link_topic
from readtrack.library.topics.links import TopicLinkFields, add_link
from readtrack.metadata.types import Ref
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from tests import make
from tests.meanwhile import begun

pytestmark = pytest.mark.slow

ZIP = {"Content-Type": "application/zip"}
TEXT = "See [[ckpt]] and [[Gemini]]; `[[code]]` stays.\n\n## Problem\n\n$C = f \\cdot t$\n\n<!-- readtrack: {} -->"


@pytest.fixture
def full(database):
    """A library with something of everything; gives who keeps it."""
    with database.write() as tx:
        search.ensure(tx)
        ada = make.visitor(tx, "Ada", role="admin")
        ken = make.visitor(tx, "健太", role="member")
        recovery = add_topic(tx, ada, TopicCreate(name="Fault tolerance", aliases=["FT", "耐障害性"]))
        add_topic(
            tx,
            ada,
            TopicCreate(name="Checkpointing", aliases=["ckpt"], parent=recovery.slug, markdown="Of [[Gemini]].\n"),
        )
        add_link(tx, ada, "checkpointing", TopicLinkFields(url="https://example.org/tool", kind="tool", title="A tool"))
        gemini = added(
            tx,
            ada,
            "doi:10.1145/3600006.3613145",
            title="Gemini: Fast failure recovery",
            authors=["Z. Wang", "李雷"],
            year=2023,
            venue="SOSP'23",
            abstract="Checkpoints in memory.\n\nTwo paragraphs.",
        )
        unicron = added(tx, ada, "arxiv:2401.00134", title='Unicron: what? "Self-healing" / at <scale>')
        talk = added(tx, ada, "youtube:dQw4w9WgXcQ", title="万卡集群", kind="slides")
        talk.language = "zh"
        tx.flush()
        for paper in (gemini, unicron):
            link_topic(tx, ada, paper.id, "checkpointing")
        link_topic(tx, ada, talk.id, "fault-tolerance")
        add_relation(tx, ada, unicron.id, RelationCreate(to=gemini.id, kind="extends", note="the same cluster"))
        add_relation(tx, ada, talk.id, RelationCreate(to=unicron.id, kind="presents"))
        edit_summary(tx, ada, unicron.id, SummaryUpdate(markdown=TEXT, tldr="Heals --> itself"), version=None)
        edit_summary(
            tx,
            ken,
            gemini.id,
            SummaryUpdate(markdown='要約。[[Unicron: what? "Self-healing" / at <scale>]]'),
            version=None,
        )
        edit_summary(tx, ken, unicron.id, SummaryUpdate(markdown="xylophone", private=True), version=None)
        edit_summary(tx, ada, talk.id, SummaryUpdate(markdown="Blank lines at the end.\r\n\r\n"), version=None)
        set_translated_title(tx, ada, talk.id, "en", update=TranslatedTitleUpdate(title="Ten thousand cards"))
        set_translated_title(
            tx, ada, talk.id, "ja", update=TranslatedTitleUpdate(title="万枚のカード", machine="万枚のカード")
        )
        search.update_papers(tx, [gemini.id, unicron.id, talk.id])
    return ada


def added(tx, me, identifier, **said: Any):
    (paper_id,) = add_papers(tx, me, [NewPaper((Ref.parse(identifier),), cast("PaperFields", said))])
    return tx.get_one(Paper, paper_id)


def folder_of(database, me, q=""):
    with database.read() as tx:
        called = build_folder_names(tx, me, q)
    return b"".join(pack_folder(database, me, called))


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


def visitor(database, name, role="admin"):
    with database.write() as tx:
        return make.visitor(tx, name, role=role)


def told(database, me):
    """The folder that a library makes is all that the round trip must keep."""
    return unpack_folder(folder_of(database, me))


@pytest.mark.deep
def test_a_library_survives_export_and_import_unchanged(database, full, other):
    me = visitor(other, "Ada")
    brought = import_folder(other, me, unpack_folder(folder_of(database, full)))
    assert (brought.papers_added, brought.topics_added, brought.relations, brought.summaries) == (3, 2, 2, 3)
    assert brought.left_out == []
    assert told(other, me) == told(database, full)


@pytest.mark.deep
def test_importing_a_folder_again_changes_nothing(database, full, other):
    me = visitor(other, "Ada")
    files = unpack_folder(folder_of(database, full))
    import_folder(other, me, files)
    with other.read() as tx:
        before = tx.scalar(sa.select(sa.func.count()).select_from(Event))
    again = import_folder(other, me, files)
    with other.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Event)) == before
    assert (again.papers_added, again.papers_known, again.topics_added, again.relations, again.summaries) == (
        0,
        3,
        0,
        0,
        0,
    )


@pytest.mark.deep
def test_importing_a_folder_where_it_came_from_reports_nothing_new(database, full):
    member = visitor(database, "健太 again", role="member")
    for me in (full, member):
        brought = import_folder(database, me, unpack_folder(folder_of(database, me)))
        assert (brought.new, brought.left_out) == ({}, [])


@pytest.mark.parametrize("text", ["xylophone", "Guessed."])
@pytest.mark.parametrize("gone", [False, True])
def test_the_report_of_skipped_items_does_not_reveal_a_private_summary(database, full, text, gone):
    with database.write() as tx:
        ken = tx.scalars(sa.select(Person).where(col(Person.name) == "健太")).one()
        ken.disabled_at = ken.created_at if gone else None
    note = "---\nreadtrack: paper\nname: Unicron\nidentifiers: ['arxiv:2401.00134']\n---\n"
    note += f'<!-- readtrack: {{"part": "summary", "person": "健太"}} -->\n{text}\n'
    (said,) = import_folder(database, full, {"Unicron": note}).left_out
    assert said == "Unicron: The summary by 健太 was kept as a comment."


def test_private_content_is_never_exported(database, full):
    assert "xylophone" not in "".join(unpack_folder(folder_of(database, full)).values())


def test_links_of_a_private_summary_change_none_of_a_shared_one(database, full):
    """Each leads to the paper that had the title when its text was saved."""
    link = "See [[Kettle]]."
    with database.write() as tx:
        ken = make.visitor(tx, "Ken", role="member")
        first, second, tea = (added(tx, full, f"arxiv:2401.0000{n}", title=f"Paper {n}") for n in (1, 2, 3))
        for paper, me, private in ((first, full, False), (second, ken, True)):
            edit_paper(tx, full, paper.id, PaperUpdate(title="Kettle"), version=paper.version)
            edit_summary(tx, me, tea.id, SummaryUpdate(markdown=link, private=private), version=None)
            edit_paper(tx, full, paper.id, PaperUpdate(title=f"The kettle of {me.name}"), version=paper.version)
    assert "See [[The kettle of Ada|Kettle]]." in unpack_folder(folder_of(database, full))["Paper 3"]


def test_only_an_admin_imports_other_peoples_texts_and_never_as_an_existing_member(database, full, other):
    files = unpack_folder(folder_of(database, full))
    member = visitor(other, "Ada", role="member")
    assert import_folder(other, member, files).summaries == 2
    with other.write() as tx:
        make.person(tx, "健太", role="member")
    brought = import_folder(other, CurrentUser(member.id, "Root", "admin"), files)
    assert any("by 健太 was kept as a comment" in sentence for sentence in brought.left_out)
    with other.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Summary)) == 2


def test_absent_authors_are_named_next_to_their_texts_and_cannot_sign_in(database, full, other):
    import_folder(other, visitor(other, "Ada"), unpack_folder(folder_of(database, full)))
    with other.read() as tx:
        person = tx.scalar(sa.select(Person).where(col(Person.name) == "健太"))
        assert person.disabled_at is not None
        assert person.password_hash == ""


def test_existing_content_is_never_overwritten(database, full, other):
    me = visitor(other, "Ada")
    with other.write() as tx:
        add_topic(tx, me, TopicCreate(name="checkpointing", markdown="Ours."))
        add_topic(tx, me, TopicCreate(name="FT"))
        paper = make.paper(tx, "Called otherwise here", identifier="arxiv:2401.00134")
        edit_summary(tx, me, paper.id, SummaryUpdate(markdown="Mine."), version=None)
    brought = import_folder(other, me, unpack_folder(folder_of(database, full)))
    assert sorted(brought.left_out) == [
        "Kept the existing text of the topic “checkpointing”.",
        "Unicron what Self-healing at scale: Kept the existing summary by Ada.",
        "“FT” is already a name of the topic “FT”.",
    ]
    files = told(other, me)
    assert "Ours." in files["checkpointing"]
    assert "Mine." in files["Called otherwise here"]


def test_only_papers_of_the_search_are_exported_with_their_topics_and_ancestors(database, full):
    files = unpack_folder(folder_of(database, full, "id:10.1145/3600006.3613145"))
    assert set(files) == {"README", "Fault tolerance", "Checkpointing", "Gemini Fast failure recovery"}


@pytest.mark.deep
def test_links_point_to_the_exported_files(database, full):
    files = unpack_folder(folder_of(database, full))
    note = files["Unicron what Self-healing at scale"]
    assert "See [[Checkpointing|ckpt]] and [[Gemini Fast failure recovery|Gemini]]; `[[code]]` stays." in note
    assert "- extends [[Gemini Fast failure recovery]]: the same cluster" in note
    for name in ("Checkpointing", "Gemini Fast failure recovery"):
        assert name in files


def test_names_in_a_zip_cannot_escape_the_folder(other):
    packet = io.BytesIO()
    with zipfile.ZipFile(packet, "w") as folder:
        folder.writestr("../../etc/Topic.md", "---\nreadtrack: topic\nname: Mine\n---\n")
        folder.writestr("/absolute.md", "# Not ours")
        folder.writestr("picture.png", b"\x89PNG")
    brought = import_folder(other, visitor(other, "Ada"), unpack_folder(packet.getvalue()))
    assert brought.topics_added == 1
    assert brought.left_out == ["“absolute” wasn't exported from readtrack. Import it as notes."]


def test_a_zip_bomb_is_refused_before_unpacking(client, database, full, sign_in):
    packet = io.BytesIO()
    with zipfile.ZipFile(packet, "w", zipfile.ZIP_DEFLATED) as folder:
        folder.writestr("bomb.md", b"0" * 20_000_000)
    answer = sign_in(full).post("/api/v1/imports/markdown", content=packet.getvalue(), headers=ZIP)
    assert answer.status_code == 413
    assert "“bomb.md” is too large" in answer.json()["detail"]


@pytest.mark.deep
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 nothing", b"not a zip"])
def test_a_file_that_is_not_a_zip_is_reported(full, sign_in, data):
    answer = sign_in(full).post("/api/v1/imports/markdown", content=data, headers=ZIP)
    assert (answer.status_code, answer.json()["detail"][:27]) == (422, "This zip file can't be read")


def test_both_the_page_and_the_api_export_and_import(database, full, sign_in):
    browser = sign_in(full)
    sent = browser.get("/api/v1/export/markdown.zip")
    assert (sent.status_code, sent.headers["content-type"]) == (200, "application/zip")
    assert sent.content == folder_of(database, full)
    topic = browser.get("/api/v1/topics/checkpointing/export/markdown.zip")
    assert "万卡集群" not in unpack_folder(topic.content)
    posted = browser.post("/imports/markdown", files={"file": ("readtrack.zip", sent.content, "application/zip")})
    assert "New papers: 0 (3 already in library)." in posted.text
    answer = browser.post("/api/v1/imports/markdown", content=sent.content, headers=ZIP)
    assert answer.json()["papers_known"] == 3
    assert "Choose a zip file" in browser.post("/imports/markdown", data={}).text


def test_a_viewer_can_export_a_folder_but_not_import_one(database, full, sign_in):
    viewer = sign_in(visitor(database, "Vera", role="viewer"))
    sent = viewer.get("/api/v1/export/markdown.zip")
    assert sent.status_code == 200
    answer = viewer.post("/api/v1/imports/markdown", content=sent.content, headers=ZIP)
    assert answer.status_code == 403


def test_papers_added_concurrently_are_found_without_blocking(database):
    heads = [f"readtrack: paper\nname: Of {number}\nidentifiers: ['arxiv:2401.0000{number}']" for number in range(3)]
    files = {f"note {number}": f"---\n{head}\n---\n" for number, head in enumerate(heads)}
    with database.write() as tx:
        search.ensure(tx)
        ada = make.visitor(tx, "Ada", role="member")
    with database.write() as tx:
        added(tx, ada, "arxiv:2401.00000", title="Of 0")
        bringing = begun(database, lambda: import_folder(database, ada, files))
    brought = bringing.result()
    assert (brought.papers_added, brought.papers_known, brought.left_out) == (2, 1, [])
