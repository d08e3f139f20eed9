"""The columns of a CSV file: chosen in the preview or by REST, remembered for the same header, and forgotten."""

import pytest
import sqlalchemy as sa
from lxml import html

from readtrack import bootstrap
from readtrack.infra.config import Settings
from readtrack.infra.errors import Conflict, NotAllowed
from readtrack.infra.jobs import queue
from readtrack.infra.models import ImportRule, Job
from readtrack.ingest.imports import commands, rules
from readtrack.ingest.imports.store import change_columns
from readtrack.web.dependencies import import_body
from tests import make
from tests.sample_library import carry_out, count_of, entries_of
from tests.tables import cases

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

ROWS = "Attention Is All You Need;great;2017\nUnicron: Economizing Self-Healing Training;so so;2024\n"
CSV = f"Name of it;<script>alert(1)</script>;Year\n{ROWS}"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.fixture
def browser(me, sign_in):
    return sign_in(me)


@pytest.fixture
def small_texts(monkeypatch):
    """Texts of more than 10,000 bytes are read by a job: the same with less work."""
    monkeypatch.setattr(import_body, "SMALL_BYTES", 10_000)


def column_form(browser, address="/imports/1"):
    [form] = html.fromstring(browser.get(address).text).xpath("//details[contains(@class, 'columns')]//form")
    return form


def submit(browser, address="/imports/1", *, header=True, **fields):
    form = column_form(browser, address)
    values = {**dict(form.form_values()), **fields}
    return browser.post(form.action, data=values if header else {**values, "header": ""})


def texts(database, import_id=1):
    return [(entry.title, entry.text) for entry in entries_of(database, import_id) if entry.kind == "paper"]


def create(browser, text, **more):
    return browser.post("/api/v1/imports", json={"text": text, "title": "papers.csv", **more})


def run_jobs(database, tmp_path):
    egress = bootstrap.open_egress(Settings(data=tmp_path, offline=True), database)
    while queue.run_due_job(database, egress):
        pass


def test_columns_are_chosen_in_the_preview_and_remembered_until_they_are_forgotten(browser, database):
    browser.post("/imports", data={"text": CSV, "title": "papers.csv"})
    page = html.fromstring(browser.get("/imports/1").text)
    chosen = page.xpath("//details[contains(@class, 'columns')]//select/option[@selected]/@value")
    assert chosen == ["title", "", "year"]
    assert HOSTILE in page.xpath("//label[@for='column-2']/text()")
    assert texts(database)[0] == ("Attention Is All You Need", "")

    answer = submit(browser, **{"column-2": "notes"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/imports/1")
    assert texts(database)[0] == ("Attention Is All You Need", "great")
    assert "Files with the same columns are read this way." in browser.get("/imports/1").text

    browser.post("/imports", data={"text": CSV.replace("great", "dull"), "title": "more.csv"})
    assert texts(database, 2)[0] == ("Attention Is All You Need", "dull")
    assert "Columns, read as chosen before" in browser.get("/imports/2").text
    assert HOSTILE not in browser.get("/imports/rules").text.replace("&lt;script&gt;", "")

    browser.post("/imports/2/columns/forget")
    assert texts(database, 2)[0] == ("Attention Is All You Need", "")
    assert count_of(database, ImportRule) == 0
    [undo] = html.fromstring(browser.get("/imports/2").text).xpath(
        "//form[contains(@action, '/trash/others/')]/@action"
    )
    browser.post(undo)
    assert count_of(database, ImportRule) == 1
    assert create(browser, f"{CSV}\nAnother Paper of Ours;fine;2020\n").json()["columns"][HOSTILE] == "notes"


def test_a_choice_that_is_no_change_is_not_remembered(browser, database):
    create(browser, CSV)
    submit(browser)
    assert count_of(database, ImportRule) == 0


def test_a_choice_without_anything_that_names_papers_is_shown_again_with_the_reason(browser, database):
    create(browser, CSV)
    answer = submit(browser, **{"column-1": ""})
    assert answer.status_code == 422
    assert "Choose the column with the title" in answer.text
    assert len(texts(database)) == 2


def test_the_first_line_can_be_a_row(browser, database):
    create(browser, f"First Paper of All;good;now\n{ROWS}")
    submit(browser, header=False, **{"column-1": "title"})
    assert texts(database)[0][0] == "First Paper of All"
    page = column_form(browser).text_content()
    assert "Column 1" in page
    assert "Only columns with names are remembered" in page
    assert count_of(database, ImportRule) == 0  # numbered columns say nothing about other files


def test_a_table_that_was_read_as_text_becomes_one(browser, database):
    create(browser, "Foo;Bar\nAttention Is All You Need;good\nUnicron: Self-Healing Training;so so\n")
    assert "read as text so far" in browser.get("/imports/1").text
    submit(browser, **{"column-1": "title", "column-2": "notes"})
    assert texts(database) == [("Attention Is All You Need", "good"), ("Unicron: Self-Healing Training", "so so")]


def test_an_import_takes_columns_and_returns_those_it_used(browser, database):
    answer = create(browser, CSV, columns={"name of it": "notes", HOSTILE: "title"})
    assert answer.json()["columns"] == {"Name of it": "notes", HOSTILE: "title", "Year": "year"}
    assert texts(database)[0] == ("great", "Attention Is All You Need")
    again = create(browser, CSV, columns={"name of it": "notes", HOSTILE: "title"})
    assert (again.status_code, again.json()["id"]) == (200, 1)
    changed = browser.put("/api/v1/imports/1/columns", json={"columns": {"Name of it": "title", HOSTILE: ""}})
    assert changed.json()["columns"] == {"Name of it": "title", HOSTILE: "", "Year": "year"}
    [rule] = browser.get("/api/v1/imports/rules").json()["items"]
    assert (rule["pattern"], rule["columns"]) == ("header", changed.json()["columns"])
    assert create(browser, "- just a note").json()["columns"] is None


def test_a_form_takes_columns_as_json(browser):
    file = {"file": ("papers.csv", f"\ufeff{CSV}".encode(), "text/csv")}
    answer = browser.post("/api/v1/imports", files=file, data={"columns": f'{{"{HOSTILE}": "rating"}}'})
    assert answer.json()["columns"][HOSTILE] == "rating"
    wrong = browser.post("/api/v1/imports", files=file, data={"columns": "{"})
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "/columns")


@cases(
    ("columns", "pointer", "words"),
    [
        ({"Mood": "title"}, "/columns/Mood", "There is no column “Mood”. The columns are: Name of it, "),
        ({"Year": "mood"}, "/columns/Year", "can’t be read as “mood”. Use one of title, reference, authors"),
        ({"Name of it": ""}, "/columns", "Choose the column with the title"),
        ({" ": "title"}, "/columns/ ", "The name of a column is missing. The columns are: Name of it, "),
        ({"a/b~": "title"}, "/columns/a~1b~0", "There is no column “a/b~”"),
        ({"Year": "x" * 101}, "/columns/Year", "100"),
        ({str(number): "" for number in range(201)}, "/columns", "200"),
        ("title", "/columns", "JSON object"),
    ],
)
def test_a_wrong_column_is_a_problem_with_a_sentence(browser, database, columns, pointer, words):
    answer = create(browser, CSV, columns=columns)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    [error] = answer.json()["errors"]
    assert (error["pointer"], words in error["detail"]) == (pointer, True)
    assert count_of(database, ImportRule) == 0


def test_notes_without_columns_take_none(browser):
    answer = create(browser, "- just a note", columns={"Title": "title"})
    assert (answer.status_code, "no CSV or TSV" in answer.json()["detail"]) == (422, True)


def test_a_committed_import_keeps_its_columns(browser, database, me):
    create(browser, CSV, columns={HOSTILE: "notes"})
    carry_out(database, me, 1)
    assert create(browser, CSV, columns={HOSTILE: "notes"}).status_code == 200
    assert create(browser, CSV, columns={HOSTILE: "tags"}).status_code == 409
    with pytest.raises(Conflict):
        change_columns(database, me, 1, {HOSTILE: "tags"})


def test_only_those_who_decide_on_an_import_change_its_columns(browser, database, sign_in):
    create(browser, CSV)
    with database.write() as tx:
        other, viewer = make.visitor(tx, "Bo", role="member"), make.visitor(tx, "Vi", role="viewer")
    for person in (other, viewer):
        with pytest.raises(NotAllowed):
            change_columns(database, person, 1, {HOSTILE: "notes"})
        assert sign_in(person).post("/imports/1/columns", data={"column-1": "title"}).status_code == 403
        assert sign_in(person).post("/imports/1/columns/forget").status_code == 403
        assert 'name="column-1"' not in sign_in(person).get("/imports/1").text


@pytest.mark.usefixtures("small_texts")
def test_a_long_file_is_read_again_by_a_job(browser, database, me, tmp_path):
    rows = "".join(f"A Paper about Number {number};remark {number};2020\n" for number in range(300))
    assert create(browser, CSV + rows).json()["state"] == "parsing"
    run_jobs(database, tmp_path)
    before = len(entries_of(database, 1))
    change_columns(database, me, 1, {"Name of it": "title", HOSTILE: "notes"})
    run_jobs(database, tmp_path)
    entries = entries_of(database, 1)
    assert (len(entries), entries[-1].text) == (before, "remark 299")
    assert browser.get("/api/v1/imports/1").json()["state"] == "preview"


def test_other_columns_stay_as_they_are_in_the_import_whatever_a_rule_says(browser, database):
    create(browser, CSV, columns={"Name of it": "title", HOSTILE: "notes"})
    create(browser, f"{CSV}One More Paper;fine;2020\n", columns={HOSTILE: "tags", "Year": ""})
    changed = browser.put("/api/v1/imports/1/columns", json={"columns": {"Year": "date"}})
    assert changed.json()["columns"] == {"Name of it": "title", HOSTILE: "notes", "Year": "date"}
    browser.post("/imports/2/columns/forget")
    submit(browser, **{"column-3": "year"})
    assert browser.get("/api/v1/imports/1").json()["columns"] == {
        "Name of it": "title",
        HOSTILE: "notes",
        "Year": "year",
    }


def test_the_same_text_with_the_same_columns_changes_nothing_though_a_rule_says_otherwise(browser, database, me):
    create(browser, CSV, columns={HOSTILE: "notes"})
    create(browser, f"{CSV}One More Paper;fine;2020\n", columns={HOSTILE: "title", "Name of it": ""})
    for _step in ("preview", "committed"):
        again = create(browser, CSV, columns={HOSTILE: "notes"})
        assert (again.status_code, again.json()["columns"]["Name of it"]) == (200, "title")
        if again.json()["state"] == "preview":
            carry_out(database, me, 1)
    [rule] = browser.get("/api/v1/imports/rules").json()["items"]
    assert rule["columns"][HOSTILE] == "title"


def test_a_form_must_have_all_columns(browser, database):
    create(browser, CSV, columns={HOSTILE: "notes"})
    for fields in ({}, {"column-1": "title"}, {f"column-{number}": "title" for number in range(1, 5)}):
        answer = browser.post("/imports/1/columns", data={"header": "on", **fields})
        assert (answer.status_code, "Choose what each of the 3 columns is." in answer.text) == (422, True)
    assert texts(database)[0] == ("Attention Is All You Need", "great")


def test_a_long_name_is_that_of_its_column(browser):
    name = "What we thought about it in the reading group, " * 4
    table = f"Title;{name};{name}\n{ROWS}"
    columns = create(browser, table, columns={name: "notes"}).json()["columns"]
    assert list(columns.values()) == ["title", "notes", "year"]
    changed = browser.put("/api/v1/imports/1/columns", json={"columns": {list(columns)[2]: "tags"}})
    assert list(changed.json()["columns"].values()) == ["title", "notes", "tags"]


def test_columns_are_used_but_not_remembered_when_there_is_no_room_for_a_rule(browser, database, monkeypatch):
    monkeypatch.setattr(rules, "MAX_RULES", 0)
    assert create(browser, CSV, columns={HOSTILE: "notes"}).json()["columns"][HOSTILE] == "notes"
    assert browser.put("/api/v1/imports/1/columns", json={"columns": {HOSTILE: "tags"}}).status_code == 200
    assert count_of(database, ImportRule) == 0


def test_the_page_says_whether_columns_are_remembered(browser, monkeypatch):
    create(browser, CSV)
    assert "Remembered for files with the same columns." in browser.get("/imports/1").text
    monkeypatch.setattr(rules, "MAX_RULES", 0)
    submit(browser, **{"column-2": "notes"})
    words = column_form(browser).text_content()
    assert "Not remembered for other files. The team has reached the limit of 0 import rules." in words
    assert "Remembered for" not in words


def test_undoing_a_removal_keeps_a_newer_choice_of_the_same_columns(browser, database):
    create(browser, CSV, columns={HOSTILE: "notes"})
    browser.post("/imports/1/columns/forget")
    [undo] = html.fromstring(browser.get("/imports/1").text).xpath(
        "//form[contains(@action, '/trash/others/')]/@action"
    )
    browser.put("/api/v1/imports/1/columns", json={"columns": {HOSTILE: "tags"}})
    answer = browser.post(undo, follow_redirects=True)
    assert "The newer choice stays." in answer.text
    assert browser.get("/api/v1/imports/rules").json()["items"][0]["columns"][HOSTILE] == "tags"


def test_no_columns_are_no_change(browser):
    create(browser, CSV)
    answer = browser.put("/api/v1/imports/1/columns", json={"columns": {}})
    assert answer.json()["errors"] == [{"pointer": "/columns", "code": "too-short", "detail": "Must not be empty."}]


@pytest.mark.usefixtures("small_texts")
def test_columns_of_a_file_that_is_too_long_as_text_are_not_forgotten(browser, database, tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "MAX_NOTE_CHARS", 10_000)
    rows = "".join(f"A Paper about Number {number};remark {number}\n" for number in range(300))
    assert create(browser, f"Foo;Bar\n{rows}", columns={"Foo": "title"}).json()["state"] == "parsing"
    run_jobs(database, tmp_path)
    answer = browser.post("/imports/1/columns/forget")
    assert (answer.status_code, "too long to be read without chosen columns" in answer.text) == (413, True)
    assert count_of(database, ImportRule) == 1
    assert browser.get("/api/v1/imports/1").json()["state"] == "preview"


@pytest.mark.usefixtures("small_texts")
def test_a_file_that_could_not_be_read_may_have_other_columns(browser, database, tmp_path):
    rows = "".join(f"A Paper about Number {number};remark {number}\n" for number in range(300))
    create(browser, f"Title;Bar\n{rows}")
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed"))
    assert browser.get("/api/v1/imports/1").json()["state"] == "failed"
    assert browser.put("/api/v1/imports/1/columns", json={"columns": {"Bar": "notes"}}).status_code == 200
    run_jobs(database, tmp_path)
    assert browser.get("/api/v1/imports/1").json()["state"] == "preview"
    assert texts(database)[0] == ("A Paper about Number 0", "remark 0")


@pytest.mark.usefixtures("small_texts")
def test_a_file_that_could_not_be_read_is_read_again_by_the_same_columns(browser, database, tmp_path):
    rows = "".join(f"A Paper about Number {number};remark {number}\n" for number in range(300))
    create(browser, f"Title;Bar\n{rows}", columns={"Bar": "notes"})
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed"))
    assert submit(browser).status_code == 303
    run_jobs(database, tmp_path)
    assert texts(database)[0] == ("A Paper about Number 0", "remark 0")


@pytest.mark.usefixtures("small_texts")
def test_the_page_of_a_file_that_could_not_be_read_has_the_form_of_columns(browser, database, tmp_path):
    rows = "".join(f"A Paper about Number {number};remark {number}\n" for number in range(300))
    create(browser, f"Title;Bar\n{rows}")
    assert "column-1" not in browser.get("/imports/1").text
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed"))
    assert "undoes your changes" not in browser.get("/imports/1").text
    refused = submit(browser, **{"column-1": ""})
    assert (refused.status_code, "Choose the column with the title" in refused.text) == (422, True)
    assert "Processing stopped" in refused.text
    submit(browser, **{"column-2": "notes"})
    run_jobs(database, tmp_path)
    assert texts(database)[0] == ("A Paper about Number 0", "remark 0")


@pytest.mark.usefixtures("small_texts")
def test_a_text_that_could_not_be_read_has_no_form_of_columns(browser, database):
    create(browser, "Some thoughts about nothing in particular.\n" * 300)
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed"))
    page = browser.get("/imports/1").text
    assert ("Processing stopped" in page, "column-1" in page) == (True, False)
