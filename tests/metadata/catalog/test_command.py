"""`readtrack catalogue`: says what it did, and what to do; one bad file does not keep the others out."""

import gzip
import os

import pytest

from readtrack import cli
from readtrack.metadata.catalog import FILE
from tests.metadata.catalog.samples import RECORD, dblp, lines, papers

pytestmark = pytest.mark.slow  # `make check` is to be quick


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs `readtrack catalogue …` in a folder; (exit code, standard output, standard error)."""
    for name in [name for name in os.environ if name.startswith("READTRACK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("READTRACK_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "readtrack.sqlite3").touch()  # a library, into which nobody looks

    def run(*words, of="catalogue"):
        monkeypatch.setattr("sys.argv", ["readtrack", *([of] if of else []), *words])
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code or 0
        else:
            code = 0
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_without_a_catalog_status_explains_how_to_create_one(run, tmp_path):
    code, out, _ = run("status")
    assert code == 0
    assert f"No catalog at {tmp_path / 'data' / FILE}." in out
    assert not (tmp_path / "data" / FILE).exists()


def test_a_catalog_is_not_created_without_a_library(run, tmp_path, monkeypatch):
    (tmp_path / "arxiv.json").write_bytes(lines(papers(2)))
    monkeypatch.setenv("READTRACK_DATA", str(tmp_path / "mistyped"))
    code, out, err = run("load", "arxiv.json")
    assert (code, out) == (1, "")
    assert "No library at" in err
    assert not (tmp_path / "mistyped").exists()


def test_files_are_loaded_and_status_counts_them(run, tmp_path):
    (tmp_path / "arxiv.json").write_bytes(lines(papers(1200)) + b"cut\n")
    (tmp_path / "dblp.xml").write_bytes(dblp(RECORD))
    code, out, err = run("load", "arxiv.json", "dblp.xml")
    assert (code, out) == (0, "")
    assert err.splitlines() == [
        "arxiv.json: arXiv metadata snapshot; 1,200 new works, 0 already known, 1 unreadable.",
        "  line 1,201 is not valid JSON or is truncated",
        "dblp.xml: DBLP XML; 1 new works, 0 already known.",
    ]
    _, told, _ = run("status")
    assert f"{FILE}: 1,201 works, " in told
    assert "arxiv.json: 1,200 new works, 0 already known, 1 unreadable; loaded on 20" in told


def test_a_loaded_file_is_not_loaded_again(run, tmp_path):
    (tmp_path / "arxiv.json").write_bytes(lines(papers(2)))
    run("load", "arxiv.json")
    code, _, err = run("load", "arxiv.json")
    assert code == 0
    assert err.startswith("arxiv.json: already loaded on 20")


def test_an_invalid_or_missing_file_is_reported_and_the_others_are_loaded(run, tmp_path):
    (tmp_path / "notes.txt").write_text("some notes\n")
    (tmp_path / "arxiv.json").write_bytes(lines(papers(2)))
    code, _, err = run("load", "notes.txt", "gone.json", "arxiv.json")
    assert code == 1
    assert "notes.txt is not a supported dump" in err
    assert "gone.json: No such file or directory." in err
    assert "2 new works" in err


def test_a_truncated_file_is_reported_and_remains_incomplete(run, tmp_path):
    whole = tmp_path / "whole.json.gz"

    whole.write_bytes(gzip.compress(lines(papers(3000)))[:-5000])
    code, _, err = run("load", "whole.json.gz")
    assert code == 0
    assert "The file is truncated or damaged there." in err
    assert "incomplete (started on" in run("status")[1]


def test_with_many_bad_lines_the_first_are_listed_and_the_rest_counted(run, tmp_path):
    (tmp_path / "arxiv.json").write_bytes(lines(papers(1)) + b"cut\n" * 50)
    _, _, err = run("load", "arxiv.json")
    assert "  line 6 is" in err
    assert "  line 7 is" not in err
    assert "and 45 more unreadable lines" in err


def test_check_reports_an_unreadable_catalog(run, tmp_path):
    assert run("migrate", of="")[0] == 0
    assert "No problems found." in run("check", of="")[1]
    path = tmp_path / "data" / FILE
    path.write_bytes(b"no database at all" * 500)
    code, out, err = run("check", of="")
    assert (code, "Problems found: 1." in out) == (1, True)
    assert f"{path} is damaged or unreadable." in err
