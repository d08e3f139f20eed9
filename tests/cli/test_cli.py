"""The command line: previews that need nothing, verbs that say what happened, errors as one sentence on stderr."""

import json
import socket
from contextlib import contextmanager
from zipfile import ZipFile

import pytest
import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack import cli
from readtrack.cli.context import open_existing_library
from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.http.types import OFFLINE
from readtrack.infra.models import Event, Identifier, Identity, Job, MetadataRecord, Note, Paper, Person, Summary, Token
from readtrack.ingest.imports import commands, preview
from readtrack.ingest.imports.rules import RuleCreate, add_rule
from readtrack.library.enrichment.records import store_record
from readtrack.metadata.catalog.store import read_stored_work, serialize_facts
from readtrack.metadata.types import Metadata, Ref
from readtrack.team.accounts import commands as people
from tests import make
from tests.sample_library import NOTES, content, count_of

pytestmark = pytest.mark.slow

KEYS = [
    "file", "lines", "part", "kind", "identifiers", "mentions", "twin", "links", "title", "topics", "aliases", "venue",
    "year", "authors", "date", "read_on", "rating", "abstract", "status", "details", "text", "decision", "reason",
]  # fmt: skip


@pytest.fixture
def notes(tmp_path):
    (tmp_path / "notes.md").write_text(NOTES, encoding="utf-8")
    return str(tmp_path / "notes.md")


@pytest.fixture
def other_library(monkeypatch, sqlite_files):
    """Opens a block in which commands find another library, with Ada alone in it."""

    @contextmanager
    def moved():
        url = sqlite_files.copy()
        monkeypatch.setenv("READTRACK_DATABASE_URL", url)
        database = Database(url)
        with database.write() as tx:
            make.person(tx, "Ada", role="admin")
        yield database
        database.dispose()
        sqlite_files.drop(url)

    return moved


def stand_at(database, revision):
    with database.write() as tx:
        tx.execute(sa.text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})


def test_a_preview_needs_no_library_and_writes_nothing(run, notes, data, socket_disabled):
    code, out, err = run("import", "--preview", "--json", notes)
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert {tuple(entry) for entry in found} == {tuple(KEYS)}
    assert {entry["file"] for entry in found} == {notes}
    assert [entry["lines"] for entry in found] == sorted(entry["lines"] for entry in found)
    [paper] = [entry for entry in found if entry["identifiers"] == ["arxiv:2305.15778"]]
    assert (paper["kind"], paper["lines"], paper["part"], paper["decision"]) == ("paper", [3, 3], 1, "add")
    assert paper["topics"] == ["Checkpointing"]
    assert not data.exists()


def test_a_preview_of_a_long_file_reads_volumes_below_their_papers(run, tmp_path):
    path = tmp_path / "papers.bib"
    entries = (
        f"@inproceedings{{p{number}, title={{{number} Stories of Caches}}, crossref={{v}}}}" for number in range(3500)
    )
    path.write_text("\n".join(entries) + "\n@proceedings{v, title={VLDB}, year={2021}}\n")
    code, out, _ = run("import", "--preview", "--json", str(path))
    venues = {entry["venue"] for entry in json.loads(out) if entry["kind"] == "paper"}
    assert (code, venues) == (0, {"VLDB"})


def test_a_preview_marks_papers_already_in_the_library(run, notes, library):
    run("add", "2305.15778")
    before = content(library)
    [paper] = [
        e
        for e in json.loads(run("import", "--preview", "--json", notes)[1])
        if e["identifiers"] == ["arxiv:2305.15778"]
    ]
    assert (paper["decision"], paper["reason"]) == ("known", "in library")
    assert content(library) == before


def test_notes_are_read_from_standard_input(run):
    code, out, _ = run("import", "--preview", "--json", "-", stdin=NOTES.encode("utf-16"))
    assert (code, len(json.loads(out)) > 0) == (0, True)
    assert run("import", "--preview", "-", stdin=NOTES.encode())[1].startswith("-: 5 lines = ")


def test_importing_twice_changes_nothing(run, notes, library):
    code, _, err = run("import", notes)
    assert (code, "new" in err) == (0, True)
    papers = count_of(library, Paper)
    assert papers == 2
    before = content(library)
    assert "already imported" in run("import", notes)[2]
    assert content(library) == before


def test_papers_are_added_exported_and_refreshed(run, library, tmp_path):
    code, out, _ = run("add", "2305.15778", "https://arxiv.org/abs/2305.15778v2")
    assert (code, [line.split("\t")[1] for line in out.splitlines()]) == (0, ["added", "already in library"])
    assert "eprint = {2305.15778}" in run("export", "bibtex")[1]
    assert run("export", "json", "-o", tmp_path / "out.json")[1] == ""
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["papers"][0]["identifiers"] == [
        "arxiv:2305.15778"
    ]
    assert "Papers queued for refresh: 1." in run("refresh")[2]
    assert "Papers to compare: 1." in run("find-duplicates")[2]
    code, out, _ = run("jobs")
    assert "papers.refresh\tqueued" in out
    assert run("jobs", "--failed")[1] == ""
    assert run("jobs", "--retry", "1")[0] == 0


def test_an_operator_pauses_a_source_and_sends_its_requests_after_all(run, library):
    run("add", "2305.15778")
    assert run("jobs")[1].splitlines()[0].split("\t")[:4] == ["source", "arxiv", "offline", "1 waiting"]
    assert run("jobs", "--pause", "arxiv")[1].startswith("source\tarxiv\tpaused\t1 waiting\tPaused by an admin.")
    assert run("jobs", "--try-now", "arxiv") == (1, "", "arXiv is paused. Resume it first.\n")
    assert run("jobs", "--resume", "arxiv")[1].startswith("source\tarxiv\toffline")
    assert "papers.cancel\tqueued" in run("jobs", "--cancel", "arxiv")[1]
    assert "papers.restore\tqueued" in run("jobs", "--restore", "arxiv")[1]
    assert run("jobs", "--pause", "nobody") == (1, "", "Source nobody not found.\n")


def test_people_and_tokens_are_managed(run, library):
    code, out, err = run("person", "add", "Aki", "--role", "editor")
    assert (code, "/invitations/accept/" in out, "Added Aki as editor." in err) == (0, True, True)
    assert run("person", "add", "Ken", "--password-stdin", stdin=b"correct horse battery\n")[1] == ""
    listed = run("person", "list")[1]
    assert [line.split("\t")[1] for line in listed.splitlines()] == ["Ada", "Aki", "Ken"]
    code, secret, _ = run("token", "create", "aki", "--scope", "read", "--days", "9")
    assert (code, len(secret.split())) == (0, 1)
    with library.read() as tx:
        token = tx.scalars(sa.select(Token).order_by(col(Token.id))).one()
        assert (token.scopes, secret.strip() in token.secret_hash) == (["read"], False)
        token_id = token.id
    assert secret.strip() not in run("token", "list")[1]
    assert run("token", "revoke", token_id)[0] == 0
    assert run("person", "role", "Aki", "viewer")[0] == 0
    assert run("person", "disable", "Aki")[0] == 0
    assert "disabled" in run("person", "list")[1]
    assert run("person", "enable", "Aki")[0] == 0
    assert run("person", "erase", "Aki", "--yes")[0] == 1  # who may come in is not erased
    assert run("person", "disable", "Aki")[0] == 0
    assert "by Former member" in run("person", "erase", "Aki", "--yes")[2]
    assert "Aki" not in run("person", "list")[1]


def test_the_acting_person_must_be_named_when_there_are_several(run, library, notes):
    with library.write() as tx:
        make.person(tx, "Bob")
        make.person(tx, "Eve", disabled_at=make.person(tx, "Old", role="viewer").created_at)
    before = content(library)
    personal = ("export", "json", "--query", "status:read")
    for words in (("add", "2305.15778"), ("import", notes), personal, ("refresh",)):
        code, out, err = run(*words)
        assert (code, out, "Ada" in err, "Bob" in err, "Eve" in err) == (1, "", True, True, False), words
    assert content(library) == before
    assert run("add", "2305.15778", "--as", "bob")[0] == 0
    assert run("add", "2305.15778", "--as", "Eve")[0] == 1


def test_an_export_has_what_the_team_can_see_and_own_readings_only_of_a_named_person(run, library):
    with library.write() as tx:
        ada, bob = make.visitor(tx, "Bo"), make.visitor(tx, "Bob")
        paper = make.paper(tx, "Attention")
        for person in (ada, bob):
            make.reading(tx, person.id, paper.id, "read", private=person is bob)
            make.summary(tx, person.id, paper.id, markdown=f"By {person.name}", private=person is bob)
    exported = {
        name: json.loads(run("export", "json", *words)[1])["papers"]
        for name, words in (("nobody", ()), ("Bo", ("--as", "Bo")), ("Bob", ("--as", "Bob")))
    }
    assert {name: (paper["reading"] or {}).get("private") for name, [paper] in exported.items()} == {
        "nobody": None,
        "Bo": False,
        "Bob": True,
    }
    for [paper] in exported.values():
        assert [summary["markdown"] for summary in paper["summaries"]] == ["By Bo"]
    for query, count in (("by:Bo status:read", 1), ("by:Bob status:read", 0), ("is:library", 1)):
        found = json.loads(run("export", "json", "--query", query)[1])["papers"]
        assert len(found) == count, query
    for query in ("status:read", "is:mine", "-is:private", "by:@me status:read", "assignee:@me", "unread-by:@me"):
        assert "Choose a member with --as NAME" in run("export", "json", "--query", query)[2], query
    assert "Without --as, only what the whole team can see" in run("export", "--help")[1]


def test_check_counts_failed_jobs(run, library, monkeypatch):
    with library.write() as tx:
        for kind, problem in (("papers.refresh", OFFLINE), ("graph.map", "It broke.")):
            tx.add(Job(kind=kind, payload={}, state="failed", error=problem, run_at=now(), ended_at=now()))
    code, out, err = run("check")
    assert (code, "1 job has failed. List them with `readtrack jobs --failed`" in err) == (1, True)
    assert "Problems found: 1." in out
    monkeypatch.delenv("READTRACK_OFFLINE")
    assert "2 jobs have failed." in run("check")[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("import", "nowhere.txt"), "nowhere.txt: No such file or directory."),
        (("import", "--preview", "nowhere.txt"), "nowhere.txt: No such file or directory."),
        (("add", "javascript:alert(1)"), "not on the web"),
        (("add", "x" * 5000), "4000 characters"),
        (("export", "docx"), "Unknown format: docx. Use bibtex, csl-json, csv, json, markdown, ris."),
        (("export", "json", "--query", "stauts:read"), "Unknown filter `stauts:`"),
        (("export", "json", "-o", "/nowhere/x.json"), "No such file or directory"),
        (("person", "add", "Ada"), "already taken"),
        (("person", "add", "Aki", "--role", "king"), "admin"),
        (("person", "disable", "Nobody"), "Member Nobody not found."),
        (("token", "create", "Nobody"), "Nobody"),
        (("token", "revoke", "99"), "Token 99 not found."),
        (("jobs", "--retry", "99"), "Job 99 not found."),
    ],
)
def test_an_error_is_one_line_on_stderr(run, library, words, said):
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert said in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


def test_a_wrong_setting_is_one_line_on_stderr(run, monkeypatch):
    monkeypatch.setenv("READTRACK_BASE_URL", "nonsense")
    code, out, err = run("jobs")
    assert (code, out, err.startswith("READTRACK_BASE_URL")) == (78, "", True)


@pytest.mark.parametrize("words", [("check",), ("jobs",), ("person", "add", "Aki"), ("person", "list"), ("migrate",)])
def test_a_file_that_is_not_a_database_is_reported(run, data, words):
    data.mkdir(mode=0o700)
    (data / "readtrack.sqlite3").write_bytes(b"This is not a database, it is a text." * 100)
    (data / "readtrack.sqlite3").chmod(0o600)
    code, _, err = run(*words)
    expected_code = 2 if words == ("check",) else 1
    assert (code, "Traceback" in err, len(err.strip().splitlines())) == (expected_code, False, 1)


def test_a_preview_next_to_a_file_that_is_not_a_database_is_reported(run, notes, data):
    data.mkdir()
    (data / "readtrack.sqlite3").write_bytes(b"This is not a database, it is a text." * 100)
    code, out, err = run("import", "--preview", "--json", notes)
    assert (code, out, "isn't a readtrack database" in err, len(err.strip().splitlines())) == (1, "", True, 1)


def test_check_lists_the_settings_with_their_values_and_reports_success(run, library, data, monkeypatch):
    monkeypatch.setenv("READTRACK_SECRET_KEY", "not to be shown " * 3)
    monkeypatch.setenv("READTRACK_CONTACT", "ada@example.org")
    code, out, _ = run("check")
    assert code == 0
    assert f"READTRACK_DATA = {data}: folder" in out
    assert f"READTRACK_DATABASE_URL = sqlite:///{data / 'readtrack.sqlite3'}: " in out
    assert "READTRACK_BASE_URL = (not set): " in out
    assert "READTRACK_OFFLINE = 1: " in out
    assert "READTRACK_CONTACT = ada@example.org: " in out
    assert "READTRACK_SECRET_KEY = (set, not shown): " in out
    assert "not to be shown" not in out
    assert out.endswith("No problems found.\n")


def test_check_never_shows_the_database_password(run, monkeypatch):
    monkeypatch.setenv("READTRACK_SECRET_KEY", "x" * 40)
    monkeypatch.setenv("READTRACK_DATABASE_URL", "postgresql+psycopg://ada:hidden-word@127.0.0.1:9/library")
    code, out, err = run("check")
    assert (code, "hidden-word" in out + err) == (2, False)
    assert "postgresql+psycopg://ada:…@127.0.0.1:9/library" in out
    assert err == "The database isn't responding. Try again.\n"


def test_check_does_not_create_a_library(run, data):
    code, _, err = run("check")
    assert (code, "No library at" in err, data.exists()) == (2, True, False)


@pytest.mark.parametrize(
    "words",
    [
        ("jobs",),
        ("jobs", "--retry", "1"),
        ("add", "2305.15778"),
        ("export", "json"),
        ("refresh",),
        ("refresh", "--stored"),
        ("find-duplicates",),
        ("worker",),
        ("folder", "out", "out.zip"),
        ("person", "list"),
        ("person", "link", "Ada"),
        ("token", "list"),
        ("token", "revoke", "1"),
    ],
)
def test_a_command_does_not_create_a_library(run, data, words):
    code, out, err = run(*words)
    assert (code, out, data.exists()) == (1, "", False)
    assert err == (
        f"No library at sqlite:///{data / 'readtrack.sqlite3'}. Check READTRACK_DATA, or create a library with "
        "`readtrack serve`.\n"
    )


def test_notes_are_not_imported_without_a_library(run, data, notes):
    code, _, err = run("import", notes)
    assert (code, "No library at" in err, data.exists()) == (1, True, False)


@pytest.mark.parametrize(
    "words", [("jobs",), ("worker",), ("add", "2305.15778"), ("person", "add", "Aki"), ("person", "list")]
)
def test_a_command_does_not_migrate_an_older_schema(run, library, words):
    """An older readtrack may serve them."""
    stand_at(library, "0001")
    code, out, err = run(*words)
    assert (code, out, "has schema 0001; this version needs" in err, "readtrack migrate" in err) == (1, "", True, True)
    with library.read() as tx:
        assert tx.scalar(sa.text("SELECT version_num FROM alembic_version")) == "0001"


@pytest.mark.parametrize("words", [("jobs",), ("serve", "--port", "0")])
def test_a_command_refuses_the_schema_of_a_newer_readtrack(run, library, words):
    stand_at(library, "9999")
    code, out, err = run(*words)
    assert (code, out, "created by a newer version" in err) == (78, "", True), "starting it again would not help"


def test_a_file_without_tables_is_not_a_library(run, data):
    data.mkdir()
    (data / "readtrack.sqlite3").touch()
    assert "No library at" in run("jobs")[2]
    assert run("person", "add", "Ada")[0] == 0, "but the first person makes one of it"


def test_check_does_not_migrate_an_older_schema(run, library):
    stand_at(library, "0001")
    code, _, err = run("check")
    assert (code, "The database schema is 0001" in err, "readtrack migrate" in err) == (2, True, True)
    with library.read() as tx:
        assert tx.scalar(sa.text("SELECT version_num FROM alembic_version")) == "0001"


def test_check_says_that_a_library_is_of_a_newer_version(run, library):
    stand_at(library, "9999")
    code, _, err = run("check")
    assert (code, "newer version of readtrack" in err) == (2, True)


def test_check_of_an_empty_file_reports_that_there_are_no_tables(run, data):
    data.mkdir()
    (data / "readtrack.sqlite3").touch()
    code, _, err = run("check")
    assert (code, "The database has no readtrack tables" in err) == (2, True)


@pytest.mark.parametrize(
    ("url", "said", "exit_code"),
    [
        ("mysql://ada@127.0.0.1/library", "READTRACK_DATABASE_URL must be like", 78),
        ("nonsense", "READTRACK_DATABASE_URL must be like", 78),
        ("postgresql+psycopg://ada:hidden-word@127.0.0.1:9/library", "isn't responding", 1),
        ("sqlite:////nowhere/library.sqlite3", "can't be opened", 1),
    ],
)
def test_an_unusable_database_is_one_line_on_stderr(run, monkeypatch, url, said, exit_code):
    monkeypatch.setenv("READTRACK_SECRET_KEY", "x" * 40)
    monkeypatch.setenv("READTRACK_DATABASE_URL", url)
    code, out, err = run("migrate")
    expected = (exit_code, "", True, False, 1)
    assert (code, out, said in err, "hidden-word" in err, len(err.strip().splitlines())) == expected


@pytest.mark.parametrize("words", [("serve", "--port", "0"), ("worker",)])
@pytest.mark.parametrize(
    ("setting", "value", "exit_code"),
    [("LOG_FORMAT", "xml", 78), ("NO_SUCH", "1", 78), ("CONTACT_FILE", "/nowhere/contact", 1)],
)
def test_a_service_is_started_again_unless_a_setting_is_wrong(run, data, monkeypatch, words, setting, value, exit_code):
    monkeypatch.setenv(f"READTRACK_{setting}", value)
    code, out, err = run(*words)
    assert (code, out, setting in err, data.exists()) == (exit_code, "", True, False)


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_an_invalid_port_is_refused_before_anything_is_opened(run, data, port):
    code, _, err = run("serve", "--port", port)
    assert (code, f"Invalid --port {port}." in err, data.exists()) == (78, True, False)


def test_serving_with_zero_processes_is_refused(run, data):
    code, _, err = run("serve", "--workers", "0")
    assert (code, "Use 1 or more" in err, data.exists()) == (78, True, False)


def test_the_result_of_an_import_is_printed_like_a_preview(run, notes, library):
    previewed = json.loads(run("import", "--preview", "--json", notes)[1])
    imported = json.loads(run("import", "--json", notes)[1])
    assert [list(entry) for entry in imported] == [[*KEYS, "paper"]] * len(previewed)
    papers = [entry["paper"] for entry in imported if entry["identifiers"]]
    assert (len(papers), all(papers)) == (2, True)
    for entry in imported:
        del entry["paper"]
    assert imported == previewed


def test_lines_that_need_a_decision_are_not_lost_in_a_script(run, library, tmp_path):
    notes = tmp_path / "notes.md"
    title = "Checkpoints of Very Large Training Jobs"
    notes.write_text(
        f"- [{title}](https://arxiv.org/abs/2401.00001)\n- [{title}](https://doi.org/10.1145/3627703.3650085)\n"
    )
    code, _, err = run("import", notes)
    assert (code, count_of(library, Identifier)) == (1, 1)
    assert "1 line needs a decision: /imports/1?show=open" in err
    assert "--undecided add, skip or wait" in err
    assert run("import", notes, "--undecided", "wait")[0] == 0
    assert run("import", notes, "--undecided", "later")[0] == 1
    code, _, err = run("import", notes, "--undecided", "add")
    assert (code, count_of(library, Identifier), count_of(library, Paper)) == (0, 2, 1)
    assert "decision" not in err


def test_notes_from_standard_input_are_not_a_revision_of_other_notes(run, library):
    for text in (b"2305.15778\n", b"2401.00001\n"):
        assert run("import", "-", stdin=text)[0] == 0
    assert count_of(library, Note) == 2


@pytest.mark.deep
def test_several_files_are_imported_each_with_its_own_report(run, library, notes, tmp_path):
    other = tmp_path / "other.md"
    other.write_text("- 2401.00001\n\n- 2305.15778\n", encoding="utf-8")
    code, out, err = run("import", notes, other)
    assert (code, out, count_of(library, Paper), count_of(library, Note)) == (0, "", 3, 2)
    assert "5 lines = " in err
    assert "3 lines = blank 1 + paper 2" in err
    assert "papers: 1 new, 1 in library" in err


def test_a_preview_applies_the_teams_rules(run, library, tmp_path):
    with library.write() as tx:
        me = make.visitor(tx, "Mei")
        add_rule(tx, me, RuleCreate(pattern="host", value="example.org", says="kind", name="course"))
    (tmp_path / "a.md").write_text("- [On the Training](https://example.org/x)\n", encoding="utf-8")
    [entry] = json.loads(run("import", "--preview", "--json", tmp_path / "a.md")[1])
    assert (entry["kind"], entry["reason"]) == ("course", "By the rule “example.org: course”.")


def test_a_file_that_is_not_text_is_refused_with_a_message(run, library, tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7 ...")
    code, _, err = run("import", tmp_path / "a.pdf")
    assert (code, "is a PDF. Upload notes" in err, count_of(library, Note)) == (1, True, 0)


def test_one_title_cannot_name_two_notes(run, library, notes, tmp_path):
    (tmp_path / "other.md").write_text("2401.00001", encoding="utf-8")
    code, _, err = run("import", "--title", "Mine", notes, tmp_path / "other.md")
    assert (code, "works with one file only" in err, count_of(library, Note)) == (1, True, 0)


@pytest.mark.deep
def test_the_first_person_created_on_the_command_line_is_an_admin(run, data):
    assert run("person", "add", "Ken", "--role", "viewer")[0] == 1
    code, _, err = run("person", "add", "Ada")
    assert (code, "Added Ada as admin." in err) == (0, True)
    assert "Added Ken as member." in run("person", "add", "Ken")[2]


def test_a_link_is_a_path_while_no_base_url_is_set(run, library, monkeypatch):
    _, out, err = run("person", "add", "Aki")
    assert (out.startswith("/invitations/accept/"), "readtrack serve" in err) == (True, True)
    monkeypatch.setenv("READTRACK_BASE_URL", "https://reading.example.org/")
    assert run("person", "add", "Mei")[1].startswith("https://reading.example.org/invitations/accept/")


def test_a_person_who_forgot_their_password_gets_a_link(run, library):
    code, out, err = run("person", "link", "ada")
    assert (code, "Password link for Ada." in err) == (0, True)
    with library.write() as tx:
        people.reset_password(tx, out.strip().removeprefix("/invitations/accept/"), password_hash="new")
    with library.read() as tx:
        assert tx.scalars(sa.select(col(Person.password_hash))).all() == ["new"]
    assert "Member Eve not found." in run("person", "link", "Eve")[2]


def test_papers_and_topics_move_to_another_library_in_a_folder(run, library, other_library, tmp_path):
    with library.write() as tx:
        make.filed(tx, make.paper(tx, "Just-in-time Checkpointing"), make.topic(tx, "Checkpointing"))
        make.paper(tx, "Unicron")
    assert run("folder", "out", tmp_path / "all.zip", "--query", "topic:checkpointing")[0] == 0
    with other_library() as other:
        for _ in range(2):
            assert run("folder", "in", tmp_path / "all.zip")[0] == 0
        with other.read() as tx:
            assert tx.scalars(sa.select(col(Paper.title))).all() == ["Just-in-time Checkpointing"]


def test_a_text_that_a_folder_may_not_bring_is_named(run, library, tmp_path):
    note = "---\nreadtrack: paper\nname: Unicron\nidentifiers: ['arxiv:2401.00134']\n---\n"
    note += '<!-- readtrack: {"part": "summary", "person": "Ken"} -->\nGood.\n'
    with library.write() as tx:
        make.person(tx, "Ken")
    with ZipFile(tmp_path / "notes.zip", "w") as packet:
        packet.writestr("Unicron.md", note)
    code, out, _ = run("folder", "in", tmp_path / "notes.zip", "--as", "Ada")
    assert (code, "Ken" in out, count_of(library, Paper), count_of(library, Summary)) == (0, True, 1, 0)


def test_the_operator_removes_a_lost_second_factor(run, library):
    with library.write() as tx:
        make.person(tx, "Aki", totp_salt="00ff")
    for _ in range(2):  # the second time there is nothing to remove
        assert run("person", "reset-second-factor", "Aki")[0] == 0
        with library.read() as tx:
            assert {*tx.scalars(sa.select(col(Person.totp_salt)))} == {""}
            assert tx.scalars(sa.select(col(Event.verb))).all() == ["person.second-factor-reset"]


def test_the_operator_links_a_person_to_a_name_in_the_proxys_header(run, library, monkeypatch):
    assert run("person", "known-as", "Ada", "ada@example.org")[0] == 78
    assert count_of(library, Identity) == 0, "no header is believed yet"
    monkeypatch.setenv("READTRACK_AUTH_HEADER", "Remote-User")
    monkeypatch.setenv("READTRACK_TRUSTED_PROXIES", "10.0.0.1")
    assert run("person", "known-as", "Ada", "ada@example.org")[0] == 0
    with library.read() as tx:
        assert tx.scalars(sa.select(col(Identity.subject))).all() == ["ada@example.org"]


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 1), (b"\n", 1), (b"", 1)])
def test_a_person_is_erased_only_after_a_yes(run, library, answer, code):
    with library.write() as tx:
        make.person(tx, "Zed", disabled_at=now())
    assert run("person", "erase", "Zed", stdin=answer)[0] == code
    assert ("Zed" in run("person", "list")[1]) == bool(code)


def test_the_report_of_an_import_counts_how_often_a_rule_was_used(run, library, tmp_path):
    with library.write() as tx:
        add_rule(
            tx, make.visitor(tx, "Mei"), RuleCreate(pattern="host", value="example.org", says="kind", name="course")
        )
    (tmp_path / "a.md").write_text("- [One](https://example.org/1)\n- [Two](https://example.org/2)\n", encoding="utf-8")
    code, _, err = run("import", tmp_path / "a.md", "--as", "Ada")
    assert (code, "example.org: course”: 2" in err) == (0, True)


def test_stored_answers_are_read_again_for_the_papers_of_a_query(run, library):
    with library.write() as tx:
        papers = [make.paper(tx), make.paper(tx)]
        said = Metadata(Ref("arxiv", "2301.00017"), "catalogue", "preprint", title="Herons")
        for paper in papers:
            store_record(tx, paper.id, read_stored_work("", serialize_facts(said)))
        make.filed(tx, papers[1], make.topic(tx, "Birds"))
        tx.execute(sa.update(MetadataRecord).values(title="Read wrongly", raw=serialize_facts(said)))
    assert run("refresh", "--stored", "--query", "topic:birds")[0] == 0
    with library.read() as tx:
        assert [*tx.scalars(sa.select(col(MetadataRecord.title)).order_by("id"))] == ["Read wrongly", "Herons"]


def test_a_port_in_use_is_reported_before_anything_is_opened(run, data):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, out, err = run("serve", "--port", taken.getsockname()[1])
    assert (code, out, len(err.splitlines()), data.exists()) == (1, "", 1, False)


def test_an_unknown_host_to_listen_on_is_reported(run, data):
    code, _, err = run("serve", "--host", "no host", "--port", "0")
    assert (code, "Can't listen on no host" in err, "Unknown error" in err, data.exists()) == (1, True, False, False)


def test_other_machines_are_served_only_with_a_base_url(run, data):
    code, out, err = run("serve", "--host", "0.0.0.0", "--port", "0")
    assert (code, out, "READTRACK_BASE_URL" in err, data.exists()) == (78, "", True, False)


@pytest.mark.deep
def test_every_command_has_help_with_an_example(run):
    import typer.main  # noqa: PLC0415

    from tests.test_docs import commands_of  # noqa: PLC0415

    for command in commands_of(typer.main.get_command(cli.app)):
        code, out, _ = run(*command.split()[1:], "--help")
        assert (code, "Example: readtrack" in out) == (0, True), command


def test_columns_are_named_on_the_command_line_and_remembered(run, library, tmp_path):
    table = tmp_path / "papers.csv"
    table.write_text("Name of it;Mood\nAttention Is All You Need;great\nUnicron: Self-Healing Training;so so\n")
    column = ("--column", "Name of it=title", "--column", "Mood=notes")
    code, out, err = run("import", "--preview", "--json", *column, table)
    assert (code, err) == (0, f"{table}: columns: Name of it = title, Mood = notes\n")
    assert [(e["title"], e["text"]) for e in json.loads(out)][1] == ("Attention Is All You Need", "great")
    code, _, err = run("import", *column, table)
    assert (code, "  columns: Name of it = title, Mood = notes\n" in err) == (0, True)
    assert count_of(library, Paper) == 2
    more = tmp_path / "more.csv"
    more.write_text("Name of it;Mood\nJust-in-Time Checkpointing;fine\nElastic Scheduling of Many Jobs;dull\n")
    assert "columns: Name of it = title, Mood = notes" in run("import", more)[2]
    assert count_of(library, Paper) == 4
    code, _, err = run("import", *column, table)
    assert (code, "(already imported)" in err) == (0, True)
    code, _, err = run("import", "--column", "Mood=tags", table)
    assert (code, "This file is already imported. Leave out --column." in err) == (1, True)


def test_faults_are_logged_to_stderr_without_local_variables(library, capsys):
    with open_existing_library():
        password = "swordfish"
        try:
            json.loads(password)
        except ValueError:
            structlog.get_logger().exception("step failed")
    out, err = capsys.readouterr()
    assert (out, "step failed" in err, "JSONDecodeError: Expecting value" in err, password in err) == (
        "",
        True,
        True,
        False,
    )


def test_a_preview_of_a_file_that_is_stored_has_the_columns_chosen_for_it(run, library, tmp_path, monkeypatch):
    for module in (commands, preview):
        monkeypatch.setattr(module, "SMALL_BYTES", 5_000)
    rows = "Attention Is All You Need;great\nUnicron: Self-Healing Training;so so\n"
    table, other, long_table = (tmp_path / name for name in ("papers.csv", "other.csv", "long.csv"))
    table.write_text(f"Name of it;Mood\n{rows}")
    other.write_text(f"Name of it;Mood\n{rows}Just-in-Time Checkpointing;fine\n")
    long_rows = "".join(f"A Paper about Number {number};remark {number}\n" for number in range(200))
    long_table.write_text(f"Name of it;Mood\n{long_rows}")
    for file, field in ((table, "notes"), (long_table, "notes"), (other, "tags")):
        run("import", "--column", "Name of it=title", "--column", f"Mood={field}", file)
    for file in (table, long_table):
        assert "columns: Name of it = title, Mood = notes\n" in run("import", "--preview", file)[2]
    assert (
        "Name of it = notes, Mood = title"
        in run("import", "--preview", "--column", "Mood=title", "--column", "Name of it=notes", table)[2]
    )


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("Mood=title", "There is no column “Mood”."),
        ("Title=mood", "can’t be read as “mood”."),
        ("Title", "--column is NAME=FIELD"),
    ],
)
@pytest.mark.parametrize("preview", [(), ("--preview",)])
def test_a_wrong_column_is_a_wrong_option(run, library, tmp_path, column, words, preview):
    table = tmp_path / "papers.csv"
    table.write_text("Title,Year\nAttention Is All You Need,2017\n")
    code, _, err = run("import", *preview, "--column", column, table)
    assert (code, " ".join(words.split()) in " ".join(err.replace("│", " ").split())) == (2, True)
    assert count_of(library, Note) == 0
