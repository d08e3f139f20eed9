"""A folder that asks for too much keeps nobody else from writing, and each refused note is named with the reason."""

import pkgutil
import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa
import yaml  # type: ignore[import-untyped]
from sqlmodel import col

from readtrack import search
from readtrack.infra.action_quotas import QUOTAS, Quota
from readtrack.infra.db.fair_lock import FairLock
from readtrack.infra.errors import Invalid
from readtrack.infra.models import Paper, PaperTopic, Person, Topic
from readtrack.ingest.markdown_folder import commands, yaml_fields
from readtrack.ingest.markdown_folder.commands import import_folder
from readtrack.ingest.markdown_folder.note_format import parse_note
from tests import make

pytestmark = pytest.mark.slow

GOOD = "---\nreadtrack: paper\nname: Good\n---\n"
CONNECTIONS = '<!-- readtrack: {"part": "connections"} -->\n'
SUMMARY = '<!-- readtrack: {"part": "summary", "person": "Ada"} -->\nWords.\n'
TABLE = '<!-- readtrack: {"part": "table", "title": "T"} -->\n| a |\n| --- |\n| b |\n'


@pytest.fixture
def ada(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, "Ada", role="admin")


def paper(name, fields="", body=""):
    return f"---\nreadtrack: paper\nname: {name}\n{fields}---\n{body}"


def topic(name, fields="", body=""):
    return f"---\nreadtrack: topic\nname: {name}\n{fields}---\n{body}"


def many(pattern, count, between="\n"):
    return between.join(pattern.format(number) for number in range(count))


def count(database, table):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table))


OVERSIZED = [
    (paper("P", f"tags: [{many('t{}', 6000, ',')}]\n"), "“topics” has 6,000 items. The limit is 200."),
    (paper("P", f"topics: [{many('t{}', 201, ',')}]\n"), "“topics” has 201 items."),
    (paper("P", body=SUMMARY * 3000), "“summaries” has 3,000 items."),
    (paper("P", body=CONNECTIONS + many("- cites arxiv:2401.{:05}", 20_000)), "“relations” has 20,000 items."),
    (paper("P", f"identifiers: [{many('arxiv:2401.{:05}', 201, ',')}]\n"), "“identifiers” has 201 items."),
    (paper("P", f"links: [{many('pdf https://example.org/{}', 201, ',')}]\n"), "“links” has 201 items."),
    (
        paper("P", body='<!-- readtrack: {"part": "abstract"} -->\n' + "a" * 100_001),
        "The abstract is longer than 100,000 characters.",
    ),
    (topic("T", f"aliases: [{many('a{}', 201, ',')}]\n"), "“aliases” has 201 items."),
    (topic("T", body=TABLE * 201), "“tables” has 201 items."),
    (paper("P", "x: " + "[" * 1000 + "]" * 1000 + "\n"), "front matter is too long or too deeply nested"),
    (paper("P", f"x: [{'a,' * 30_000}]\n"), "front matter is too long or too deeply nested"),
    (paper("P", f"venue: {'v' * 200_000}\n"), "front matter is too long or too deeply nested"),
]


def test_an_oversized_note_is_reported_and_the_rest_of_the_folder_continues(database, ada):
    notes = {f"Too much {number:02}": note for number, (note, _) in enumerate(OVERSIZED)}
    brought = import_folder(database, ada, {**notes, "Good": GOOD})
    assert brought.new == {"papers": 1}
    for name, (_, said), sentence in zip(notes, OVERSIZED, sorted(brought.left_out), strict=True):
        assert sentence.startswith(f"“{name}” skipped: ")
        assert said in sentence


def test_a_table_with_too_many_rows_is_skipped_and_its_topic_created(database, ada):
    brought = import_folder(database, ada, {"T": topic("T", body=TABLE + "| b |\n" * 20_000)})
    assert (brought.new, len(brought.left_out)) == ({"topics": 1}, 1)


@pytest.mark.parametrize("head", ["x: " + "[" * 90_000, "x:\n " + "- " * 90_000, "x: [" + "&a b," * 30_000 + "]"])
def test_no_more_front_matter_is_parsed_than_the_limit(head, monkeypatch):
    parse, seen = yaml.parse, []

    def counted(text, Loader):  # noqa: N803 - as yaml calls it
        for part in parse(text, Loader=Loader):
            seen.append(part)
            yield part

    monkeypatch.setattr(yaml, "parse", counted)
    with pytest.raises(Invalid):
        parse_note(f"---\nreadtrack: paper\n{head}\n---\n")
    assert len(seen) <= yaml_fields.MAX_FIELDS + 2


def test_papers_naming_the_topic_of_a_refused_note_do_not_create_it(database, ada):
    files = {"Big": topic("Big", body=TABLE * 201), "Good": paper("Good", "topics: ['[[Big]]']\n")}
    assert import_folder(database, ada, files).new == {"papers": 1}
    assert count(database, Topic) == 0


def test_with_very_many_skipped_the_last_sentence_counts_the_rest(database, ada):
    left_out = import_folder(database, ada, {f"n{number}": "no note" for number in range(250)}).left_out
    assert (len(left_out), left_out[-1]) == (101, "150 more skipped.")


@pytest.mark.parametrize(
    ("verb", "files", "made"),
    [
        ("topic.added", {"P": paper("P", "tags: [a, b, c]\n")}, Topic),
        ("topic.added", {name: topic(name) for name in "abc"}, Topic),
        ("paper.added", {name: paper(name) for name in "abc"}, Paper),
    ],
)
def test_a_folder_adds_up_to_the_quota_and_says_so_and_the_operator_may_exceed_it(
    database, ada, monkeypatch, verb, files, made
):
    monkeypatch.setitem(QUOTAS, verb, Quota(2, timedelta(hours=1)))
    brought = import_folder(database, ada, files)
    assert count(database, made) == 2
    assert [sentence for sentence in brought.left_out if "Limit reached (2 in 60 minutes)" in sentence]
    assert import_folder(database, ada, files, limited=False).left_out == []
    assert count(database, made) == 3


def test_an_admin_adds_no_more_new_people_by_folder_than_the_quota(database, ada, monkeypatch):
    monkeypatch.setitem(QUOTAS, "person.added", Quota(2, timedelta(hours=1)))
    marks = many('<!-- readtrack: {{"part": "summary", "person": "P{}"}} -->\nWords.', 4)
    assert import_folder(database, ada, {"P": paper("P", body=marks)}).summaries == 2
    assert count(database, Person) == 3


@pytest.mark.deep
def test_a_note_of_many_steps_takes_several_transactions_and_repeating_changes_nothing(database, ada, monkeypatch):
    monkeypatch.setattr(commands, "BATCH_SIZE", 10)
    files = {"P": paper("P", f"tags: [{many('t{}', 30, ',')}]\n")}
    commits: list[sa.Connection] = []
    sa.event.listen(database.engines[0], "commit", commits.append)
    import_folder(database, ada, files)
    assert len(commits) >= 3
    assert (count(database, Topic), count(database, PaperTopic)) == (30, 30)
    assert import_folder(database, ada, files).new == {}


@pytest.mark.both_databases
@pytest.mark.parametrize("problem", [SystemExit(3), RecursionError(), sa.exc.InvalidRequestError(), None])
@pytest.mark.parametrize(
    "at",
    [
        "readtrack.ingest.markdown_folder.commands.parse_note",
        "readtrack.ingest.markdown_folder.import_papers.link_topic",
    ],
)
def test_a_failing_note_is_reported_and_the_rest_of_the_folder_continues(database, ada, monkeypatch, at, problem):
    def breaking(*given):
        whose = given[0] if at.endswith("parse_note") else given[-2]
        if whose == files["P1"] or whose == 1:
            raise problem or sa.exc.IntegrityError("INSERT", {}, Exception("the same again and again"))
        return works(*given)

    files = {f"P{number}": paper(f"P{number}", "tags: [t]\n") for number in (1, 2)}
    works = pkgutil.resolve_name(at.replace(".parse_note", ":parse_note").replace(".link_", ":link_"))
    monkeypatch.setattr(at, breaking)
    brought = import_folder(database, ada, files)
    assert brought.left_out == ["P1: Internal error. See the server log."]
    assert count(database, PaperTopic) == 1
    monkeypatch.undo()
    assert import_folder(database, ada, files).left_out == []
    assert (count(database, Paper), count(database, PaperTopic)) == (2, 2)


def test_an_import_stopped_within_a_note_is_completed_by_the_same_folder(database, ada, monkeypatch):
    monkeypatch.setattr(commands, "BATCH_SIZE", 10)
    files = {"P": paper("P", f"tags: [{many('t{}', 30, ',')}]\n")}
    filed: list[str] = []

    def stop(_connection, _cursor, statement, *_rest):
        filed.extend([statement] if statement.startswith("INSERT INTO paper_topic") else [])
        if len(filed) == 25:
            raise KeyboardInterrupt

    sa.event.listen(database.engines[0], "before_cursor_execute", stop)
    with pytest.raises(KeyboardInterrupt):
        import_folder(database, ada, files)
    sa.event.remove(database.engines[0], "before_cursor_execute", stop)
    assert 0 < count(database, PaperTopic) < 30
    import_folder(database, ada, files)
    assert (count(database, Paper), count(database, PaperTopic)) == (1, 30)


@pytest.mark.deep
def test_other_writers_get_the_lock_during_a_folder_import(database, ada, monkeypatch):
    monkeypatch.setattr(commands, "BATCH_SIZE", 2)
    begun, order = threading.Event(), []

    def write():
        begun.wait()
        with database.write() as tx:
            tx.execute(sa.select(col(Person.id)))
            order.append("another")

    other = threading.Thread(target=write)
    other.start()
    sa.event.listen(database.engines[0], "commit", lambda _connection: begun.set())
    import_folder(database, ada, {f"p{number}": paper(f"P{number}") for number in range(30)})
    order.append("folder")
    other.join()
    assert order == ["another", "folder"]


def test_a_lock_is_handed_to_the_next_waiter_before_its_releaser_can_retake_it():
    turn, order = FairLock(), []
    turn.acquire()

    def wait(name):
        turn.acquire()
        order.append(name)
        turn.release()

    threads = []
    for number in range(3):
        threads.append(threading.Thread(target=wait, args=(number,)))
        threads[-1].start()
        while turn.queue_length <= number:
            threads[-1].join(0.001)
    turn.release()
    assert turn.acquire()
    order.append("again")
    turn.release()
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, "again"]


def test_a_waiter_that_times_out_leaves_the_lock_queue():
    turn = FairLock()
    turn.acquire()
    assert not turn.acquire(blocking=False)
    assert not turn.acquire(timeout=0.001)
    assert turn.queue_length == 0
    turn.release()
    assert turn.acquire(blocking=False)
