"""Verbs of summaries: each version is kept, old windows overwrite nothing, private ones stay private."""

import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from sqlmodel import col, select

from readtrack.infra.errors import NotFound, StaleVersion
from readtrack.infra.models import Event, Notification, SummaryVersion
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.lists import PaperFilter, list_papers
from readtrack.library.topics.delete import delete_topic
from readtrack.reading.summaries import queries
from readtrack.reading.summaries.commands import SummaryConflict, SummaryUpdate, delete_summary, edit_summary
from tests import make
from tests.depth import examples
from tests.meanwhile import begun

pytestmark = pytest.mark.slow  # `make check` is to be quick


def save(tx, me, paper, text, *, version=None, **fields):
    return edit_summary(tx, me, paper.id, SummaryUpdate(markdown=text, **fields), version=version)


def texts(tx, me, paper):
    mine = queries.get_my_summary(tx, me, paper.id)
    return [version.markdown for version in queries.list_versions(tx, me, mine.id, PageRequest(limit=200)).items]


@pytest.fixture
def paper(database):
    with database.write() as tx:
        return make.paper(tx)


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


def test_every_saved_version_is_kept(database, me, paper):
    with database.write() as tx:
        save(tx, me, paper, "one")
        save(tx, me, paper, "two", version=1, tldr="short")
        save(tx, me, paper, "one", version=2)
        assert texts(tx, me, paper) == ["one", "two", "one"]
        assert queries.get_my_summary(tx, me, paper.id).version == 3


def test_saving_an_identical_text_creates_no_version(database, me, paper):
    with database.write() as tx:
        save(tx, me, paper, "one")
        assert save(tx, me, paper, " one\r\n", version=1).version == 1
        assert texts(tx, me, paper) == ["one"]


@pytest.mark.parametrize("version", [None, 1, 7])
def test_a_stale_window_overwrites_nothing_and_gets_the_newer_text(database, me, paper, version):
    with database.write() as tx:
        save(tx, me, paper, "one")
        save(tx, me, paper, "two", version=1, tldr="short", private=True)
        with pytest.raises(StaleVersion, match="You saved a newer version") as stale:
            save(tx, me, paper, "mine", version=version)
        newer = newer_of(stale.value)
        assert (newer.version, newer.base_version, newer.markdown, newer.tldr) == (2, version, "two", "short")
        assert (newer.private, newer.deleted) == (True, False)
        assert texts(tx, me, paper) == ["two", "one"]


def test_an_unknown_base_version_is_refused(database, me, paper):
    with database.write() as tx, pytest.raises(StaleVersion) as stale:
        save(tx, me, paper, "one", version=3)
    assert newer_of(stale.value).deleted


def test_editing_a_summary_deleted_meanwhile_loses_nothing(database, me, paper):
    with database.write() as tx:
        save(tx, me, paper, "one")
        delete_summary(tx, me, paper.id)
        assert queries.find_my_summary(tx, me, paper.id) is None
        with pytest.raises(StaleVersion, match="You deleted this summary") as stale:
            save(tx, me, paper, "two", version=1)
        assert (newer_of(stale.value).deleted, newer_of(stale.value).markdown) == (True, "one")
        save(tx, me, paper, "two")
        assert texts(tx, me, paper) == ["two", "one"]


def test_deleting_takes_a_version_or_any(database, me, paper):
    with database.write() as tx:
        with pytest.raises(NotFound, match="You haven't summarized this paper"):
            delete_summary(tx, me, paper.id)
        save(tx, me, paper, "one")
        save(tx, me, paper, "two", version=1)
        with pytest.raises(StaleVersion):
            delete_summary(tx, me, paper.id, version=1)
        delete_summary(tx, me, paper.id, version=2)
        with pytest.raises(NotFound):
            delete_summary(tx, me, paper.id)


def test_two_windows_creating_at_once_save_one_and_report_a_conflict_to_the_other(database, me, paper):
    start, ends = threading.Barrier(2), []

    def begin(text):
        start.wait()
        try:
            with database.write() as tx:
                save(tx, me, paper, text)
            ends.append("saved")
        except StaleVersion as stale:
            ends.append(newer_of(stale).markdown)

    threads = [threading.Thread(target=begin, args=(text,)) for text in ("left", "right")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as tx:
        [kept] = texts(tx, me, paper)
    assert sorted(ends) == sorted(["saved", kept])


STEPS = st.lists(st.tuples(st.sampled_from(["open", "save", "delete"]), st.sampled_from([0, 1, 2])), max_size=30)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_windows_lose_no_text_in_any_order_of_opening_saving_and_deleting(database, me, steps):
    """Each text that a window saves is in the history, or the window was told and shown the newer one."""
    opened: dict[int, int | None] = {0: None, 1: None, 2: None}
    accepted: list[str] = []
    with database.write() as tx:
        paper = make.paper(tx)
        for number, (step, window) in enumerate(steps):
            now = queries.find_my_summary(tx, me, paper.id)
            if step == "open":
                opened[window] = now.version if now else None
            elif step == "delete" and now:
                delete_summary(tx, me, paper.id)
            elif step == "save":
                accepted += attempt(tx, me, paper, f"text {number} of {window}", window=window, opened=opened, now=now)
        kept = tx.scalars(select(SummaryVersion.markdown).order_by(col(SummaryVersion.id))).all()
        assert list(kept) == accepted
        tx.rollback()


def attempt(tx, me, paper, text, *, window, opened, now):
    """Saves from a window; the texts that were accepted."""
    if opened[window] == (now.version if now else None):
        opened[window] = save(tx, me, paper, text, version=opened[window]).version
        return [text]
    with pytest.raises(StaleVersion) as stale:
        save(tx, me, paper, text, version=opened[window])
    newer = newer_of(stale.value)
    assert newer.deleted if now is None else newer.markdown == now.markdown
    return []


def newer_of(stale: StaleVersion) -> SummaryConflict:
    assert isinstance(stale.current, SummaryConflict)
    return stale.current


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"markdown": " \n "},
        {"markdown": "é" * 50_001},
        {"tldr": "x" * 201},
        {"markdown": "x", "person_id": 1},
        {"markdown": "x", "version": 9},
        {"markdown": "x", "private": "perhaps"},
    ],
)
def test_an_invalid_summary_is_refused(fields):
    with pytest.raises(ValidationError):
        SummaryUpdate(**fields)


def test_a_text_is_the_same_through_form_and_json_and_storable():
    edit = SummaryUpdate(markdown="a\r\nb\rc\0", tldr=" one\n line ")
    assert (edit.markdown, edit.tldr) == ("a\nb\nc\ufffd", "one line")


def test_a_private_summary_is_visible_to_its_author_only(database, me, paper):
    with database.write() as tx:
        other = make.visitor(tx, "Bob", role="admin")
        mine = save(tx, me, paper, "secret words", tldr="hidden", private=True)
        assert [row.markdown for row in queries.list_summaries(tx, me, paper.id)] == ["secret words"]
        assert queries.count_summaries(tx, me, [paper.id]) == {paper.id: 1}
        assert queries.list_summaries(tx, other, paper.id) == []
        assert queries.count_summaries(tx, other, [paper.id]) == {}
        assert queries.find_my_summary(tx, other, paper.id) is None
        for ask in (
            lambda: queries.get_summary(tx, other, mine.id),
            lambda: queries.list_versions(tx, other, mine.id, PageRequest()),
            lambda: queries.get_summary_version(tx, other, mine.id, 1),
        ):
            with pytest.raises(NotFound):
                ask()
        for q, who, hits in (
            ("secret", me, 1),
            ("secret", other, 0),
            ("summary:hidden", other, 0),
            ("has:summary", other, 0),
        ):
            assert len(list_papers(tx, who, PaperFilter(q), PageRequest()).items) == hits, q
        assert all(tx.scalars(select(Event.private)))


def test_versions_saved_while_private_stay_private_when_it_is_shared_later(database, me, paper):
    with database.write() as tx:
        other = make.visitor(tx, "Bob")
        mine = save(tx, me, paper, "draft", private=True)
        save(tx, me, paper, "final", version=1)
        assert [version.number for version in queries.list_versions(tx, me, mine.id, PageRequest()).items] == [2, 1]
        [shown] = queries.list_versions(tx, other, mine.id, PageRequest()).items
        assert (shown.number, shown.markdown) == (1, "final")
        with pytest.raises(NotFound, match="Version 2 not found"):
            queries.get_summary_version(tx, other, mine.id, 2)


def test_a_summary_that_becomes_private_leaves_no_trace_for_others(database, me, paper):
    with database.write() as tx:
        other = make.visitor(tx, "Bob")
        mine = save(tx, me, paper, "said too early")
        assert tx.scalars(select(Event.private)).all() == [False]
        save(tx, me, paper, "said too early", version=1, private=True)
        assert tx.scalars(select(Event.private)).all() == [True, True]
        with pytest.raises(NotFound):
            queries.get_summary_version(tx, other, mine.id, 1)


def test_summaries_are_deleted_and_restored_with_their_paper(database, me):
    with database.write() as tx:
        gone = make.paper(tx)
        mine = save(tx, me, gone, "text")
        gone.deleted_at = gone.created_at
        tx.flush()
        for ask in (
            lambda: queries.list_summaries(tx, me, gone.id),
            lambda: queries.find_my_summary(tx, me, gone.id),
            lambda: queries.get_summary(tx, me, mine.id),
            lambda: save(tx, me, gone, "new", version=1),
            lambda: delete_summary(tx, me, gone.id),
        ):
            with pytest.raises(NotFound):
                ask()
        gone.deleted_at = None
        tx.flush()
        assert texts(tx, me, gone) == ["text"]


def test_versions_are_paged_each_once(database, me, paper):
    with database.write() as tx:
        mine = save(tx, me, paper, "text 0")
        for number in range(1, 7):
            save(tx, me, paper, f"text {number}", version=number)
        numbers, after = [], None
        while True:
            page = queries.list_versions(tx, me, mine.id, PageRequest(limit=3, after=after))
            numbers += [version.number for version in page.items]
            after = page.next
            if after is None:
                break
    assert numbers == [7, 6, 5, 4, 3, 2, 1]


def test_summaries_of_a_paper_are_listed_oldest_first_with_their_authors(database, me, paper, statements):
    with database.write() as tx:
        save(tx, make.visitor(tx, "Bob"), paper, "b")
        save(tx, me, paper, "a")
    with database.read() as tx, statements() as seen:
        rows = queries.list_summaries(tx, me, paper.id)
    assert [(row.person, row.markdown) for row in rows] == [("Bob", "b"), ("Ada", "a")]
    assert len(seen) == 2


def told(tx):
    rows = select(Notification.person_id, Notification.summary_id, Notification.kind).order_by(
        col(Notification.person_id)
    )
    return [tuple(row) for row in tx.execute(rows)]


def test_mentions_in_a_shared_summary_notify_once_and_in_a_private_one_never(database, me, paper):
    with database.write() as tx:
        bo, chika = make.visitor(tx, "Bo Lee"), make.visitor(tx, "Chika")
        mine = save(tx, me, paper, '@"Bo Lee" @Ada', private=True)
        save(tx, me, paper, "@Bo Lee, still mine", version=1, private=True)
        assert told(tx) == []
        save(tx, me, paper, "@Bo Lee, look", version=2)
        save(tx, me, paper, "@Bo Lee and @Chika, look", version=3)
        assert told(tx) == [(bo.id, mine.id, "mention"), (chika.id, mine.id, "mention")]


def test_a_text_referencing_a_topic_is_saved_while_the_topic_is_deleted(database, me, paper):
    with database.write() as tx:
        editor = make.visitor(tx, role="editor")
        make.topic(tx, "Recovery")

    def write():
        with database.write() as tx:
            return save(tx, me, paper, "A kind of [[Recovery]].").version

    with database.write() as tx:
        delete_topic(tx, editor, "recovery")
        writing = begun(database, write)
    assert writing.result() == 1
