"""Verbs of papers: one paper whatever its spelling, what is refused and why, corrections that are never lost."""

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.errors import Invalid, NotAllowed, NotFound, StaleVersion
from readtrack.infra.models import Event, Identifier, Job, Link, MetadataRequest, Paper
from readtrack.library.papers import commands, detail, lists
from readtrack.library.papers.commands import PaperCreate
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.topics.queries import find_paper_topics
from readtrack.reading.readings.queries import find_my_reading
from tests import make
from tests.sample_library import content, count_of

UNSAFE = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    " javascript:alert(1)",
    "\u00a0javascript:alert(1)",
    "\x01javascript:alert(1)",
    "javascript&colon;alert(1)",
    "&#106;avascript:alert(1)",
    "%6aavascript:alert(1)",
    "javascript://example.org/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD4=",
    "DATA:image/svg+xml,<svg onload=alert(1)>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "FILE://localhost/etc/passwd",
    "blob:https://example.org/1",
    "view-source:javascript:alert(1)",
    "jar:https://example.org!/x",
    "ftp://example.org/a.pdf",
    "http://user:secret@example.org/",
    "https://exa\x00mple.org/",
    "http://[::1/",
    "https:///etc/passwd",
]


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.fixture
def add(database, ada):
    def add(identifier=None, **said):
        with database.write() as tx:
            return commands.add_by_text(tx, ada, PaperCreate(identifier=identifier, **said))

    return add


def test_all_spellings_of_an_identifier_give_one_paper(database, add):
    spellings = [
        "2305.15778",
        "arXiv:2305.15778v2",
        "https://arxiv.org/abs/2305.15778",
        "http://www.arxiv.org/pdf/2305.15778v1.pdf",
        "https://arxiv.org/html/2305.15778",
        "https://doi.org/10.48550/arXiv.2305.15778",
        "https://huggingface.co/papers/2305.15778",
        "arxiv:2305.15778",
    ]
    answers = [add(spelling) for spelling in spellings]
    assert {paper_id for paper_id, _ in answers} == {answers[0][0]}
    assert [created for _, created in answers] == [True] + [False] * 7
    assert (count_of(database, Paper), count_of(database, Identifier), count_of(database, Job)) == (1, 1, 1)


def test_a_paper_with_a_queryable_source_waits_for_it_and_others_do_not(database, add):
    add("2305.15778")
    add("https://dl.acm.org/citation.cfm?id=3571946")
    with database.read() as tx:
        asked = tx.execute(
            sa.select(col(MetadataRequest.service), col(MetadataRequest.key), col(MetadataRequest.state))
        ).all()
    assert [tuple(row) for row in asked] == [("arxiv", "2305.15778", "waiting")]


def test_the_url_as_typed_is_stored_as_a_link(database, add):
    paper_id, _ = add("https://arxiv.org/pdf/2305.15778v2")
    with database.read() as tx:
        assert "https://arxiv.org/pdf/2305.15778v2" in {link.url for link in detail.list_links(tx, paper_id)}


def test_a_title_alone_is_one_paper_whatever_its_spacing(add, database):
    first, created = add(title="On  the Training of Models")
    assert created
    assert add(title="on the training of models") == (first, False)
    assert count_of(database, Identifier) == 0


def test_a_paper_of_that_title_with_an_identifier_is_a_different_one(add, database):
    with database.write() as tx:
        make.paper(tx, "Attention")
    assert add(title="Attention")[1]


def test_topics_and_status_are_added_with_the_paper(add, database, ada):
    paper_id, _ = add("2305.15778", topics=["Training", "New one"], status="to_read")
    with database.read() as tx:
        assert {name for _, name in find_paper_topics(tx, [paper_id])[paper_id]} == {"Training", "New one"}
        mine = find_my_reading(tx, ada, paper_id)
    assert mine
    assert mine.status == "to_read"


def test_a_non_web_url_is_refused_with_a_message_and_never_stored(add, database):
    before = content(database)
    for address in UNSAFE:
        with pytest.raises(Invalid) as refused:
            add(address)
        assert refused.value.errors[0].pointer == "/identifier", address
    assert content(database) == before


NOTHING_TO_READ = [
    ("https://localhost/paper", "inside a network"),
    ("http://169.254.169.254/latest", "inside a network"),
    ("https://wiki.corp/x", "inside a network"),
    ("https://github.com/", "front page"),
    ("https://accounts.google.com/signin", "account"),
    ("just some words", "Not an arXiv ID, DOI or link"),
    ("10.", "Not an arXiv ID, DOI or link"),
    ("2499.99999x", "Not an arXiv ID, DOI or link"),
    ("", "Enter an arXiv ID"),
]


def test_input_that_identifies_nothing_is_refused_with_the_reason(add):
    for address, said in NOTHING_TO_READ:
        with pytest.raises(Invalid, match=said):
            add(address)


def test_only_members_can_add_and_only_editors_delete_and_restore(database, add):
    paper_id, _ = add("2305.15778")
    with database.write() as tx:
        viewer, member = make.visitor(tx, role="viewer"), make.visitor(tx, role="member")
    verbs = [
        (viewer, lambda tx, me: commands.add_by_text(tx, me, PaperCreate(title="x"))),
        (viewer, lambda tx, me: edit_paper(tx, me, paper_id, PaperUpdate(title="x"), version=1)),
        (viewer, lambda tx, me: commands.refresh_paper(tx, me, paper_id)),
        (member, lambda tx, me: commands.delete_paper(tx, me, paper_id)),
        (member, lambda tx, me: commands.restore_paper(tx, me, paper_id)),
    ]
    before = content(database)
    for me, verb in verbs:
        with pytest.raises(NotAllowed), database.write() as tx:
            verb(tx, me)
    assert content(database) == before


def test_a_deleted_paper_is_gone_everywhere_and_can_be_restored_for_thirty_days(database):
    with database.write() as tx:
        editor = make.visitor(tx, role="editor")
        paper_id = make.paper(tx, "Attention").id or 0
        late = make.paper(tx, deleted_at=now() - timedelta(days=30, minutes=1)).id or 0
        commands.delete_paper(tx, editor, paper_id)
    with database.read() as tx:
        assert lists.count_papers(tx, editor, lists.PaperFilter()) == 0
        with pytest.raises(NotFound):
            detail.get_paper(tx, editor, paper_id)
    with database.write() as tx:
        commands.restore_paper(tx, editor, paper_id)
    with database.read() as tx:
        assert detail.get_paper(tx, editor, paper_id).row.title == "Attention"
    for gone in (late, 4711):
        with pytest.raises(NotFound), database.write() as tx:
            commands.restore_paper(tx, editor, gone)


def test_a_correction_is_stored_with_author_and_time_and_is_searchable(database, ada):
    with database.write() as tx:
        paper_id = make.paper(tx, "Atention", authors=["A"], year=2020).id or 0
        edit = PaperUpdate(title="Attention", authors=["A", "B"], year=2020)
        edit_paper(tx, ada, paper_id, edit, version=1)
    with database.read() as tx:
        paper = tx.get_one(Paper, paper_id)
        assert (paper.title, paper.authors, paper.version, paper.updated_by) == ("Attention", ["A", "B"], 2, ada.id)
        assert {name: lock["by"] for name, lock in paper.field_locks.items()} == {"title": ada.id, "authors": ada.id}
        assert lists.count_papers(tx, ada, lists.PaperFilter("attention")) == 1
        edited = sa.select(col(Event.data)).where(col(Event.verb) == "paper.edited")
        assert tx.scalar(edited) == {"fields": ["authors", "title"]}


def test_null_clears_nullable_fields_and_nothing_else(database, ada):
    with database.write() as tx:
        paper = make.paper(tx, "Attention", authors=["A"], year=2020, venue="V", abstract="A", language="en")
        emptied = PaperUpdate(authors=None, year=None, venue=None, abstract=None, language=None)
        edit_paper(tx, ada, paper.id or 0, emptied, version=1)
    assert (paper.authors, paper.year, paper.venue, paper.abstract, paper.language) == ([], None, "", "", "")
    for name in ("title", "kind", "triage"):
        with pytest.raises(Invalid) as refused, database.write() as tx:
            edit_paper(tx, ada, paper.id or 0, PaperUpdate.model_validate({name: None}), version=2)
        assert refused.value.errors[0].pointer == f"/{name}"


def test_a_stale_version_overwrites_nothing(database, ada):
    with database.write() as tx:
        paper_id = make.paper(tx, "Attention").id or 0
        edit_paper(tx, ada, paper_id, PaperUpdate(title="Newer"), version=1)
    with pytest.raises(StaleVersion) as stale, database.write() as tx:
        edit_paper(tx, ada, paper_id, PaperUpdate(title="Mine"), version=1)
    assert stale.value.current == {"version": 2, "title": "Newer"}


def test_refreshing_requires_a_source_that_can_be_queried(database, ada):
    with database.write() as tx:
        known = make.paper(tx, identifier="arxiv:2305.15778").id or 0
        other = make.paper(tx, identifier="acm:people/1").id or 0
        first = commands.refresh_paper(tx, ada, known)
        assert commands.refresh_paper(tx, ada, known) == first
        assert commands.refresh_paper(tx, ada, other) is None
    assert count_of(database, Job) == 1


def test_an_unsafe_link_is_never_stored_and_one_url_is_one_link(database):
    from readtrack.metadata.types import WebLink  # noqa: PLC0415

    links = tuple(WebLink(url, "landing") for url in (*UNSAFE, "https://example.org/a", "https://example.org/a"))
    with database.write() as tx:
        commands.add_links(tx, make.paper(tx).id or 0, links)
    with database.read() as tx:
        assert list(tx.scalars(sa.select(col(Link.url)))) == ["https://example.org/a"]


@pytest.mark.both_databases
def test_a_paper_is_not_deleted_while_somebody_writes_about_it(database):
    with database.write() as tx:
        editor, paper_id = make.visitor(tx, role="editor"), make.paper(tx).id
    gone = threading.Event()

    def delete():
        with database.write() as tx:
            commands.delete_paper(tx, editor, paper_id)
        gone.set()

    deleting = threading.Thread(target=delete)
    with database.write() as tx:
        permissions.lock_present_paper(tx, paper_id)  # as whatever is written on a paper begins
        deleting.start()
        assert not gone.wait(0.5)
    deleting.join()
    with database.read() as tx, pytest.raises(NotFound):
        permissions.require_present(tx, paper_id)
