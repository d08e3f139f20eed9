"""Comparisons in a browser and as JSON: the table with its signs said in words, the grid, conflicts, files."""

import pytest
from lxml import html

from readtrack.library.comparisons import commands
from readtrack.library.comparisons.commands import ComparisonFields
from readtrack.library.comparisons.parse_table import MAX_COLUMNS
from readtrack.web.pages import comparison_form
from tests import make

pytestmark = pytest.mark.slow  # many requests to a whole application; `make check` is to be quick

TABLE = {
    "title": "Run <times>",
    "columns": ["Of", "Speed"],
    "rows": [{"cells": ["Ours", "△ slow"]}, {"cells": ["Theirs", "◎"]}, {"cells": ["=1+1", "✕"]}],
    "scale": [{"sign": "◎", "meaning": "fast"}, {"sign": "△"}, {"sign": "✕"}],
}


@pytest.fixture
def people(database):
    with database.write() as tx:
        make.topic(tx, "Clusters")
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Guest", role="viewer")]


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people[0])


@pytest.fixture
def number(database, people):
    with database.write() as tx:
        return commands.add_comparison(tx, people[0], "clusters", ComparisonFields.model_validate(TABLE)).id


def page(answer, status=200):
    assert answer.status_code == status, answer.text
    return html.fromstring(answer.text)


def words(element):
    return " ".join(element.text_content().split())


def values(document, **changes):
    [form] = document.xpath("//form[@class='grid-form']")
    said = {field.get("name"): field.value for field in form.xpath(".//input[@name]|.//textarea[@name]")}
    return {**said, **changes}


def cells(document):
    rows = document.xpath("//table[contains(@class, 'comparison')]/tbody/tr")
    return [[words(cell) for cell in row.xpath("th|td")] for row in rows]


def test_symbols_are_labelled_with_words_and_explained_below(ada, number):
    for address in (f"/comparisons/{number}", "/topics/clusters"):
        document = page(ada.get(address))
        assert cells(document) == [["Ours", "△limited slow"], ["Theirs", "◎fast"], ["=1+1", "✕no"]]
        assert document.xpath("//td//span[@aria-hidden='true']/text()") == ["△", "◎", "✕"]
        assert words(document.xpath("//p[@class='legend']")[0]) == "◎ fast△ limited✕ no"


def test_a_link_sorts_a_column_by_its_scale(ada, number):
    document = page(ada.get(f"/comparisons/{number}"))
    [link] = [a for a in document.xpath("//th[@scope='col']/a") if words(a) == "Speed"]
    best = page(ada.get(link.get("href")))
    assert [row[1] for row in cells(best)] == ["◎fast", "△limited slow", "✕no"]
    [sorted_by] = best.xpath("//th[@aria-sort='ascending']")
    worst = page(ada.get(sorted_by.xpath("a")[0].get("href")))
    assert [row[1] for row in cells(worst)] == ["✕no", "△limited slow", "◎fast"]


def test_the_grid_keeps_the_input_while_it_grows_and_shrinks(ada, number, database):
    here = f"/comparisons/{number}/edit"
    typed = values(page(ada.get(here)), r0c1="◎ better")
    for act, wide, high in (
        ("row", 2, 4),
        ("column", 3, 4),
        ("drop-row-1", 3, 3),
        ("drop-column-2", 2, 3),
        ("up-1", 2, 3),
    ):
        typed = values(page(ada.post(here, data={**typed, "do": act})))
        assert (int(typed["columns"]), int(typed["rows"])) == (wide, high), act
    assert [typed["r0c0"], typed["r1c0"], typed["r1c1"]] == ["=1+1", "Ours", "◎ better"]
    answer = ada.post(here, data={**typed, "do": "save"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/comparisons/{number}")
    assert cells(page(ada.get(f"/comparisons/{number}"))) == [["=1+1", "✕no"], ["Ours", "◎fast better"]]


def test_untouched_columns_are_omitted(ada):
    here = "/topics/clusters/comparisons"
    typed = values(page(ada.get(f"{here}/new")), title="Of two", c0="Of", r0c0="Ours", r0c2="○")
    answer = ada.post(here, data={**typed, "do": "save"})
    document = page(ada.get(answer.headers["location"]))
    assert cells(document) == [["Ours", "○"]]
    assert "Column 2" in words(document.xpath("//thead")[0])


def test_a_table_is_pasted_into_a_new_grid_with_its_symbols_and_papers(ada, database):
    with database.write() as tx:
        paper = make.paper(tx, "On gangs", identifier="arxiv:2305.15778")
    here = "/topics/clusters/comparisons"
    typed = values(page(ada.get(f"{here}/new")), title="Pasted")
    text = "| Of | Cost |\n|---|---|\n| arXiv:2305.15778 | ○ |\n| plain | ✕ |\n"
    typed = values(page(ada.post(here, data={**typed, "pasted": text, "do": "paste"})))
    assert (typed["title"], typed["r0c0"], typed["r0p"]) == ("Pasted", "arXiv:2305.15778", f"/papers/{paper.id}")
    assert (typed["s0"], typed["s1"]) == ("○", "✕")
    answer = ada.post(here, data={**typed, "do": "save"})
    document = page(ada.get(answer.headers["location"]))
    assert document.xpath("//a[@class='evidence']/@href") == [f"/papers/{paper.id}"]
    assert ada.post(here, data={**typed, "do": "save"}).headers["location"] == answer.headers["location"]


def test_invalid_input_is_reported_and_kept(ada, number):
    here = f"/comparisons/{number}/edit"
    typed = values(page(ada.get(here)))
    document = page(ada.post(here, data={**typed, "title": "", "r1p": "no such thing"}), 422)
    assert "No paper matches “" in words(document)
    assert values(document)["r1p"] == "no such thing"
    assert "This field is required" in words(page(ada.post(here, data={**typed, "title": ""}), 422))
    refused = page(ada.post(here, data={**typed, "pasted": "a line", "do": "paste"}), 422)
    assert "Paste a table with a header row" in words(refused)
    assert values(refused)["pasted"].strip() == "a line"


def test_two_editors_lose_nothing(ada, number):
    here = f"/comparisons/{number}/edit"
    typed = values(page(ada.get(here)))
    ada.post(here, data={**typed, "r0c0": "Theirs, newer"})
    document = page(ada.post(here, data={**typed, "r0c0": "Mine"}), 409)
    assert values(document)["r0c0"] == "Mine"
    assert "| Theirs, newer | △ slow |" in document.xpath("//pre")[0].text_content()
    assert ada.post(here, data=values(document)).status_code == 303
    assert cells(page(ada.get(f"/comparisons/{number}")))[0][0] == "Mine"


def test_a_conflict_shows_the_papers_and_symbols_of_the_newer_table_too(ada, number, database):
    with database.write() as tx:
        paper = make.paper(tx)
    here = f"/comparisons/{number}/edit"
    typed = values(page(ada.get(here)))
    ada.post(here, data={**typed, "r0p": f"/papers/{paper.id}", "m1": "a little slow"})
    theirs = page(ada.post(here, data={**typed, "r0c0": "Mine"}), 409).xpath("//pre")[0].text_content()
    assert f"| Ours | △ slow | /papers/{paper.id} |" in theirs
    assert "△ a little slow" in theirs


def test_editing_a_table_deleted_meanwhile_keeps_the_cells(ada, number):
    here = f"/comparisons/{number}/edit"
    typed = values(page(ada.get(here)))
    ada.post(f"/comparisons/{number}/delete")
    [text] = page(ada.post(here, data={**typed, "r0c0": "Mine | ours"}), 404).xpath("//main//textarea[@readonly]")
    assert "| Mine \\| ours | △ slow |" in text.value
    assert "◎ fast" in text.value


@pytest.mark.deep
def test_a_topic_shows_the_beginning_of_a_long_table(ada, number):
    here = f"/comparisons/{number}/edit"
    typed = values(page(ada.get(here)))
    rows = {f"r{row}c{at}": f"{row} {at}" for row in range(30) for at in range(2)}
    assert ada.post(here, data={**typed, **rows, "rows": "30"}).status_code == 303
    topic = page(ada.get("/topics/clusters"))
    assert len(cells(topic)) == 20
    assert f"/comparisons/{number}" in topic.xpath("//a[.='Show all']/@href")
    assert len(cells(page(ada.get(f"/comparisons/{number}")))) == 30


def test_a_deleted_table_is_restored_from_the_trash(ada, number):
    answer = ada.post(f"/comparisons/{number}/delete")
    assert answer.headers["location"] == "/topics/clusters"
    document = page(ada.get("/trash"))
    assert "Comparison table" in words(document)
    [restore] = {*document.xpath("//form[contains(@action, '/restore')]/@action")}
    assert ada.get(ada.post(restore).headers["location"]).status_code == 200


def test_exported_files_are_harmless(ada, number):
    spreadsheet = ada.get(f"/comparisons/{number}.csv")
    assert '"\'=1+1"' in spreadsheet.text
    assert ada.get(f"/api/v1/comparisons/{number}.csv").content == spreadsheet.content
    assert (
        ada.get(f"/comparisons/{number}.md").text
        == "| Of | Speed |\n| --- | --- |\n| Ours | △ slow |\n| Theirs | ◎ |\n| =1+1 | ✕ |\n"
    )


def test_a_table_from_notes_is_saved_by_form_and_by_json(ada, database):
    with database.write() as tx:
        entries = [make.entry(tx, "| Of | x |\n|---|---|\n| a | ○ |\n", kind="table", title="Of | x").id for _ in "ab"]
    answer = ada.post(f"/notes/entries/{entries[0]}/table", data={"topic": "New one"})
    assert cells(page(ada.get(answer.headers["location"]))) == [["a", "○good"]]
    made = ada.post(f"/api/v1/entries/{entries[1]}/table", json={"topic": "clusters"})
    assert (made.status_code, made.json()["topic"]) == (201, "clusters")


def test_the_api_creates_reads_updates_and_deletes(ada, people, sign_in):
    made = ada.post("/api/v1/topics/clusters/comparisons", json=TABLE)
    assert made.status_code == 201
    address = made.headers["location"]
    assert made.json()["scale"] == [
        {"sign": "◎", "meaning": "fast"},
        {"sign": "△", "meaning": ""},
        {"sign": "✕", "meaning": ""},
    ]
    assert ada.patch(address, json={"title": "Other"}).status_code == 428
    changed = ada.patch(address, json={"title": "Other"}, headers={"If-Match": made.headers["etag"]})
    assert (changed.json()["title"], changed.json()["rows"]) == ("Other", made.json()["rows"])
    assert ada.patch(address, json={"title": "Late"}, headers={"If-Match": made.headers["etag"]}).status_code == 412
    assert [one["title"] for one in ada.get("/api/v1/topics/clusters/comparisons").json()["items"]] == ["Other"]
    guest = sign_in(people[1])
    assert guest.get(address).status_code == 200
    assert guest.delete(address).status_code == 403
    assert ada.delete(address).status_code == 204
    assert ada.get(address).status_code == 404


def test_a_viewer_sees_no_edit_controls(people, sign_in, number):
    guest = sign_in(people[1])
    for address in (f"/comparisons/{number}", "/topics/clusters"):
        document = page(guest.get(address))
        assert cells(document)
        assert not document.xpath("//main//a[contains(@href, '/edit') or contains(@href, '/new')]")


def test_a_form_button_is_identified_by_its_name():
    assert comparison_form.is_grid_button("drop-row-3")
    assert not comparison_form.is_grid_button("save")
    assert not comparison_form.is_grid_button("")


def test_signs_are_added_and_moved_and_the_first_stays_first(ada, number):
    here = f"/comparisons/{number}/edit"
    typed = values(page(ada.get(here)))
    for act, signs in (("sign-up-1", ["△", "◎", "✕"]), ("sign-up-0", ["△", "◎", "✕"]), ("up-0", ["△", "◎", "✕"])):
        typed = values(page(ada.post(here, data={**typed, "do": act})))
        assert [typed["s0"], typed["s1"], typed["s2"]] == signs, act
    assert values(page(ada.post(here, data={**typed, "do": "sign"})))["s3"] == ""


def test_a_table_keeps_one_column_and_has_no_more_than_allowed(ada):
    here = "/topics/clusters/comparisons"
    typed = values(page(ada.get(f"{here}/new")))
    for _ in range(int(typed["columns"])):
        typed = values(page(ada.post(here, data={**typed, "do": "drop-column-0"})))
    assert typed["columns"] == "1"
    typed = {**typed, "columns": str(MAX_COLUMNS)}
    typed = values(page(ada.post(here, data={**typed, "do": "column"})))
    assert int(typed["columns"]) == MAX_COLUMNS
    assert ada.post(here, data={**typed, "title": "", "do": "save"}).status_code == 422


def test_a_pasted_table_that_is_too_large_is_refused(ada):
    here = "/topics/clusters/comparisons"
    typed = values(page(ada.get(f"{here}/new")))
    wide = "\t".join(str(number) for number in range(MAX_COLUMNS + 5))
    answer = ada.post(here, data={**typed, "pasted": f"{wide}\n{wide}\n", "do": "paste"})
    assert values(page(answer, 422))["columns"] == typed["columns"]
