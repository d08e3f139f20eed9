"""Papers leave as files by every door: whole however many they are, in little memory, and without what is private."""

import csv
import io
import json

import pytest

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.models import Paper, Relation
from readtrack.infra.text.csv import MARK
from readtrack.workspace.export import stream
from readtrack.workspace.export.formats import all_exports
from tests import make

pytestmark = pytest.mark.slow  # requests to a whole application
SUFFIXES = {".bib": "bibtex", ".ris": "ris", ".md": "markdown"}


@pytest.fixture
def people(database):
    with database.write() as tx:
        search.ensure(tx)
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Bo")]


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people[0])


def fill(database, count):
    with database.write() as tx:
        return [make.paper(tx, f"Paper {number}").id for number in range(count)]


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(all_exports()))
def test_a_file_written_in_batches_equals_one_written_at_once(database, people, ada, monkeypatch, name):
    ids = fill(database, 7)
    with database.read() as tx:
        whole = stream.export_text(tx, people[0], name, ids)
    monkeypatch.setattr(stream, "BATCH_SIZE", 2)
    monkeypatch.setattr(stream, "CHUNK_CHARS", 10)
    answer = ada.get("/api/v1/export", params={"format": name})
    assert answer.status_code == 200
    assert answer.content.decode() == whole
    kind = all_exports()[name]
    assert answer.headers["content-type"] == kind.media_type
    assert answer.headers["content-disposition"] == f'attachment; filename="readtrack{kind.suffix}"'


def test_memory_holds_at_most_one_batch_and_no_transaction_stays_open_between(
    database, people, monkeypatch, statements
):
    ids = fill(database, 6)
    monkeypatch.setattr(stream, "BATCH_SIZE", 2)
    monkeypatch.setattr(stream, "CHUNK_CHARS", 1)
    pieces = stream.stream_export(database, people[0], "csv", ids)
    with statements() as first:
        begun = [next(pieces) for _ in range(3)]
    assert sum("FROM paper" in statement and "abstract" in statement for statement in first) == 1
    with database.write() as tx:  # while the file is being sent
        make.paper(tx, "New")
    rest = "".join([*begun, *pieces])
    assert [row["id"] for row in rows(rest)] == [str(number) for number in ids]


def rows(text):
    return list(csv.DictReader(io.StringIO(text.removeprefix(MARK), newline="")))


def test_a_paper_deleted_meanwhile_is_omitted(database, people, monkeypatch):
    ids = fill(database, 4)
    monkeypatch.setattr(stream, "BATCH_SIZE", 2)
    pieces = stream.stream_export(database, people[0], "json", ids)
    with database.write() as tx:
        tx.get_one(Paper, ids[3]).merged_into = ids[0]
    assert [paper["id"] for paper in json.loads("".join(pieces))["papers"]] == ids[:3]


@pytest.mark.deep
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_one_paper_is_exported_by_its_file_extension(database, ada, suffix):
    [paper_id] = fill(database, 1)
    answer = ada.get(f"/api/v1/papers/{paper_id}{suffix}")
    assert answer.status_code == 200
    assert "Paper 0" in answer.text
    assert answer.headers["content-type"] == all_exports()[SUFFIXES[suffix]].media_type
    assert ada.get(f"/api/v1/papers/{paper_id + 1}{suffix}").status_code == 404


@pytest.mark.parametrize(
    ("asked", "status"),
    [({"format": "pdf"}, 422), ({}, 422), ({"format": "csv", "q": "(a"}, 400), ({"format": "../../x"}, 422)],
)
def test_an_impossible_export_is_reported_before_anything_is_sent(ada, asked, status):
    answer = ada.get("/api/v1/export", params=asked)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


@pytest.mark.parametrize("name", sorted(all_exports()))
def test_a14_private_data_does_not_change_other_peoples_exports(database, people, ada, name):
    [paper_id] = fill(database, 1)
    before = ada.get("/api/v1/export", params={"format": name}).content
    with database.write() as tx:
        make.reading(tx, people[1].id, paper_id, "read", private=True)
        make.summary(tx, people[1].id, paper_id, "Secret.", private=True)
        make.summary(tx, people[0].id, paper_id, "My draft.", private=True)  # stays here too: files travel
    assert ada.get("/api/v1/export", params={"format": name}).content == before


def test_what_was_deleted_merged_or_hidden_is_left_out(database, people, ada):
    first, second, third = fill(database, 3)
    with database.write() as tx:
        make.added(tx, Relation(from_id=first, to_id=second, kind="cites", note="Not any more."))
        make.added(tx, Relation(from_id=first, to_id=third, kind="cites", note="Nor this."))
        make.comment(tx, people[0].id, "Taken back.", paper_id=first, deleted_at=now())
        make.comment(tx, people[1].id, "Rude.", paper_id=first, hidden_at=now())
        make.comment(tx, people[0].id, "My own.", paper_id=first, hidden_at=now())
        make.summary(tx, people[0].id, first, "Given up.", deleted_at=now())
        tx.get_one(Paper, second).deleted_at = now()
        tx.get_one(Paper, third).merged_into = first
    [paper] = ada.get("/api/v1/export", params={"format": "json"}).json()["papers"]
    assert (paper["relations"], paper["comments"], paper["summaries"]) == ([], [], [])


def test_a45_a_hostile_title_is_plain_text_in_every_format(database, ada):
    with database.write() as tx:
        make.paper(tx, '=cmd|"/C calc"!A0', authors=["@SUM(A1)"], venue="+1", abstract="-1\r\nER  - ")
    [row] = rows(ada.get("/api/v1/export", params={"format": "csv"}).content.decode())
    assert {row[column][0] for column in ("title", "authors", "venue", "abstract")} == {"'"}
    assert ada.get("/api/v1/export", params={"format": "ris"}).text.count("\r\nER  - \r\n") == 1
