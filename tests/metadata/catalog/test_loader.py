"""Dumps are loaded to their end, whatever stands in them; again, or after a kill, nothing is doubled or lost."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from readtrack.metadata.catalog import loader
from readtrack.metadata.catalog.dumps import dblp_xml, json_stream
from readtrack.metadata.catalog.store import Store
from readtrack.metadata.types import Ref
from tests.metadata.catalog.samples import HEAD, RECORD, Library, dblp, lines, paper, papers, record, work

pytestmark = pytest.mark.slow  # `make check` is to be quick

FIRST = Ref("arxiv", "2302.00001")


def works(library):
    return library.known.counts()[0]


def bad(library, name, content):
    loaded = library.load(name, content)
    return loaded.row.new, [line for line, _ in loaded.errors]


def test_unreadable_lines_are_counted_with_their_numbers(library):
    one, two = lines(papers(2)).splitlines(keepends=True)
    content = one + b"{no json\n\n" + two + b'["a list"]\n' + lines([paper(id="no id"), paper(title=None)])
    assert bad(library, "x.json", content) == (2, [2, 5, 6, 7])


def test_a_bad_line_is_reported_with_its_reason(library):
    told = library.load("x.json", lines(papers(1)) + b"{cut\n").errors
    assert told == [(2, "is not valid JSON or is truncated")]


def test_a_compressed_file_is_loaded_like_a_plain_one(library):
    assert library.load("x.json.gz", lines(papers(3))).row.new == 3


def test_the_last_line_needs_no_line_ending(library):
    assert library.load("x.json", lines(papers(3)).rstrip()).row.new == 3


def test_a_file_ending_mid_line_keeps_the_lines_before(library):
    assert bad(library, "x.json", lines(papers(3))[:-40]) == (2, [3])


def test_a_truncated_compressed_file_keeps_the_lines_before_and_remains_incomplete(library):
    packed = gzip.compress(lines(papers(3_000)))
    loaded = library.load("cut.json", packed[: len(packed) // 2])
    assert loaded.is_truncated
    assert 0 < loaded.row.new < 3_000
    assert not loaded.is_done


def test_a_line_longer_than_any_work_is_skipped(library, monkeypatch):
    monkeypatch.setattr(json_stream, "MAX_RECORD_BYTES", 4_000)
    content = b'{"id": "' + b"x" * 9_000 + b'"}\n' + lines(papers(2))
    assert bad(library, "x.json", lines(papers(1)) + content) == (2, [2])


def test_deep_nesting_is_a_bad_line(library):
    assert bad(library, "x.json", lines(papers(1)) + b"[" * 100_000 + b"\n") == (1, [2])


@pytest.mark.deep
@pytest.mark.parametrize("indent", [None, 1])
def test_works_in_one_list_are_loaded_one_by_one(library, indent):
    told = {"items": [work(DOI=f"10.1234/{n}") for n in range(700)]}
    assert library.load("x.json", json.dumps(told, indent=indent).encode()).row.new == 700


def test_a_truncated_list_keeps_the_works_before(library):
    told = json.dumps({"items": [work(DOI=f"10.1234/{n}") for n in range(10)]})
    assert bad(library, "x.json", told[:-30].encode()) == (9, [10])


def test_loading_an_empty_list_adds_nothing(library):
    with_items = json.dumps({"message": {"items": []}, "DOI": None}).encode()
    assert library.load("x.json", with_items).row.new == 0


def test_records_may_be_on_one_line_or_on_several(library):
    beside = record("journals/x/1", "One heron.") + record("journals/x/2", "Two herons.", kind="phdthesis")
    assert bad(library, "dblp.xml", dblp(RECORD, beside, "\n", record("journals/x/3", "Three herons."))) == (4, [])


def test_a_broken_record_affects_no_other_and_is_reported_by_line(library):
    unclosed = '\n<article mdate="x" key="journals/x/1"><title>Lost.</title>\n'
    wrong = "\n" + record("journals/x/2", "Wrong <b>tag.")
    told = dblp(RECORD, unclosed, record("journals/x/3", "Found."), wrong, record("journals/x/4", "Found too."))
    lines_of = told.decode().splitlines()
    numbers = [n for n, line in enumerate(lines_of, 1) if "Lost" in line or "Wrong" in line]
    assert bad(library, "dblp.xml", told) == (3, numbers)


def test_a_record_truncated_at_the_end_is_a_bad_one(library):
    assert bad(library, "dblp.xml", dblp(RECORD, record("journals/x/1", "Lost."))[:-40])[0] == 1


@pytest.mark.deep
@pytest.mark.parametrize("chunk", [64, 300, 1_000])
def test_records_are_found_across_chunk_boundaries(library, monkeypatch, chunk):
    monkeypatch.setattr(dblp_xml, "_CHUNK_BYTES", chunk)
    records = [record(f"journals/x/{n}", f"Heron number {n} of many.") + "\n" for n in range(60)]
    broken = '<article key="journals/x/999"><title>Lost.</title>\n'
    told = (HEAD + "".join(records) + broken + records[0] + "</dblp>").encode()
    assert bad(library, "dblp.xml", told) == (60, [64])


def test_the_same_file_is_not_read_again(library):
    library.load("x.json", lines(papers(5)))
    again = library.load("x.json", lines(papers(5)))
    assert (again.row.new, again.row.again, works(library)) == (5, 0, 5)


def test_a_newer_file_updates_its_works_without_duplicates(library):
    library.load("x.json", lines(papers(5)))
    newer = library.load("x.json", lines([*papers(5)[:4], paper(id="2302.00005", title="Renamed waders of the lake")]))
    assert (newer.row.new, newer.row.again, works(library)) == (0, 5, 5)
    assert library.known.look_up([Ref("arxiv", "2302.00005")])[Ref("arxiv", "2302.00005")].title.startswith("Renamed")
    assert [said.ref.key for said in library.known.find_title("Renamed waders of the lake")] == ["2302.00005"]
    assert "2302.00005" not in {said.ref.key for said in library.known.find_title("Waders of the kind number 5")}


def test_a_work_appearing_twice_in_a_file_is_stored_once(library):
    library.load("x.json", lines([paper(), paper(title="Herons, said again")]))
    assert works(library) == 1


def test_without_the_abstracts_option_none_are_stored(library):
    library.load("x.json", lines(papers(1)), abstracts=False)
    assert library.known.look_up([FIRST])[FIRST].abstract == ""
    library.load("x.json", lines(papers(1)))
    assert library.known.look_up([FIRST])[FIRST].abstract


def test_unmerged_index_entries_left_by_a_kill_are_merged_by_the_next_load(library):
    store = Store(library.path)
    for _ in loader.load_dump(store, library.write("x.json", lines(papers(5)))).steps():
        pass
    store.close()
    assert library.known.counts() == (5, False)
    assert library.known.look_up([FIRST]) == {}
    library.load("y.json", lines([paper()]))
    assert library.known.counts() == (6, True)
    assert FIRST in library.known.look_up([FIRST])


def test_index_entries_are_merged_in_batches_during_the_load(library, monkeypatch):
    monkeypatch.setattr("readtrack.metadata.catalog.store._MAX_UNSORTED_HINTS", 7)
    monkeypatch.setattr("readtrack.metadata.catalog.loader._AT_ONCE", 10)
    library.load("x.json", lines(papers(100)))
    asked = [Ref("arxiv", f"2302.{n:05}") for n in range(1, 101)]
    assert len(library.known.look_up(asked)) == 100


@pytest.mark.deep
@pytest.mark.slow
def test_a_killed_load_resumes_where_it_was(tmp_path):
    library = Library(tmp_path)
    many = 30_000
    dump = library.write("x.json", lines(papers(many)))
    _killed_after_some(library)
    before = library.known.files()[0]
    assert 0 < before.position < many
    store = Store(library.path)
    going_on = loader.load_dump(store, dump)
    assert going_on.row.position == before.position
    for _ in going_on.steps():
        pass
    store.settle()
    store.close()
    assert (going_on.row.new, going_on.row.again, works(library)) == (many, 0, many)
    assert Ref("arxiv", f"2302.{many:05}") in library.known.look_up([Ref("arxiv", f"2302.{many:05}")])
    library.known.close()


def _killed_after_some(library):
    """Starts the command in a process of its own, and kills it when something is committed."""
    (library.folder / "readtrack.sqlite3").touch()  # else the folder is taken for mistyped
    environment = {**os.environ, "READTRACK_DATA": str(library.folder)}
    command = [sys.executable, "-m", "readtrack", "catalogue", "load", str(library.folder / "x.json")]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (library.path.is_file() and any(row.position for row in library.known.files())):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
