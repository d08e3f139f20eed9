"""The preview of an import and the pages of notes: no word that a person typed is lost, no page grows without end."""

import pytest
from lxml import html

from readtrack import search
from readtrack.infra.models import Entry, Job, NoteRevision
from readtrack.ingest.imports import commands
from readtrack.ingest.imports.commands import prepare_notes, preview_notes
from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry
from readtrack.web.api.imports import imports
from tests import make
from tests.sample_library import carry_out, content, count_of, entries_of, noted
from tests.tables import cases

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

LONG = "x" * 150


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.fixture
def browser(me, sign_in):
    return sign_in(me)


def page(browser, address="/imports/1"):
    return html.fromstring(browser.get(address).text)


def typed(document):
    [form] = document.xpath("//form[@action='/imports/1']")
    return {name: "" if value == "on" else value.removeprefix("\n") for name, value in form.form_values()}


def arxiv(first, last):
    return "".join(f"https://arxiv.org/abs/2401.{n:05d}\n" for n in range(first, last + 1))


def test_a_note_with_a_very_long_heading_is_imported_as_previewed(browser, me, database):
    browser.post("/imports", data={"text": f"# {LONG}\n- https://arxiv.org/abs/2401.00001\n"})
    answer = browser.post("/imports/1", data=typed(page(browser)))
    assert (answer.status_code, count_of(database, Job)) == (303, 1)


@pytest.mark.deep
def test_invalid_input_is_shown_again_with_its_error(browser, database):
    browser.post("/imports", data={"text": arxiv(1, 3)})
    before = content(database)
    words = {"title-1": "A title of mine", "topics-2": LONG, "id-3": "no such thing", "do-1": "skip", "topics": "Ours"}
    answer = browser.post("/imports/1", data=typed(page(browser)) | words)
    shown = html.fromstring(answer.text)
    assert (answer.status_code, content(database)) == (422, before)
    assert {name: value for name, value in typed(shown).items() if name in words} == words
    assert shown.xpath("//*[@class='edit-entry']//textarea/@name") == ["topics-1", "topics-2", "topics-3"]
    assert "at most 120 characters" in shown.xpath("string(//*[@id='topics-2-error'])")


def test_an_unknown_identifier_is_reported_at_its_field(browser, database):
    browser.post("/imports", data={"text": arxiv(1, 3)})
    before = content(database)
    answer = browser.post("/imports/1", data=typed(page(browser)) | {"id-3": "no such thing", "do-1": "skip"})
    shown = html.fromstring(answer.text)
    assert (answer.status_code, content(database)) == (422, before)
    assert "isn't an arXiv ID, DOI or URL" in shown.xpath("string(//*[@id='id-3-error'])")
    assert typed(shown)["do-1"] == "skip"


@pytest.mark.deep
def test_an_invalid_common_topic_is_reported_in_the_form(browser, database):
    browser.post("/imports", data={"text": arxiv(1, 3)})
    answer = browser.post("/imports/1", data=typed(page(browser)) | {"topics": LONG})
    assert (answer.status_code, count_of(database, Job)) == (422, 0)
    assert html.fromstring(answer.text).xpath("//*[@id='topics-error']")


def test_facets_keep_the_decisions_and_link_to_the_others(browser, database):
    browser.post("/imports", data={"text": arxiv(1, 3)})
    facets = page(browser).xpath("//nav/button[@name='then']/@value")
    assert "show:skip" in facets
    answer = browser.post("/imports/1", data=typed(page(browser)) | {"do-2": "skip", "then": "show:skip"})
    assert answer.headers["location"] == "/imports/1?show=skip"
    left_out = page(browser, answer.headers["location"])
    assert left_out.xpath("//li[@data-row]/@id") == ["entry-2"]


@pytest.mark.deep
def test_a_long_preview_links_back(browser):
    browser.post("/imports", data={"text": arxiv(1, 450)})
    third = page(browser, "/imports/1?after=200")
    assert "after:100" in third.xpath("//button[@name='then']/@value")
    second = browser.post("/imports/1", data=typed(third) | {"then": "after:100"}).headers["location"]
    assert page(browser, second).xpath("//li[@data-row]/@id")[0] == "entry-101"
    assert "after:0" in page(browser, second).xpath("//button[@name='then']/@value")


def test_only_entries_that_create_something_count_as_new(browser):
    remark = "We talked about this for a while, and then about the weather.\n"
    browser.post("/imports", data={"text": f"{arxiv(1, 2)}\n{remark}"})
    facets = {" ".join(button.text_content().split()) for button in page(browser).xpath("//nav/button[@name='then']")}
    assert {"All 3", "New 2", "Notes only 1"} <= facets
    assert page(browser, "/imports/1?show=new").xpath("//li[@data-row]/@id") == ["entry-1", "entry-2"]
    assert browser.get("/api/v1/imports/1").json()["decisions"] == {"add": 2, "kept": 1}


def test_a_person_who_cannot_decide_sees_the_preview_without_a_form(browser, sign_in, database):
    browser.post("/imports", data={"text": arxiv(1, 3)})
    with database.write() as tx:
        others = [make.visitor(tx, role, role=role) for role in ("viewer", "member")]
    for other in others:
        shown = page(sign_in(other))
        assert shown.xpath("//nav[@aria-label='Decision']/a/@href")[1] == "/imports/1?show=new"
        assert not shown.xpath("//main//form[@method='post'] | //main//*[@name='do-1' or @name='then']")


@pytest.mark.deep
@pytest.mark.parametrize("count", [3, 60])
def test_deciding_takes_as_many_statements_for_many_entries_as_for_few(browser, statements, count):
    browser.post("/imports", data={"text": arxiv(1, count)})
    fields = typed(page(browser)) | {f"do-{n}": "skip" for n in range(1, count + 1)} | {"then": "show:"}
    with statements() as seen:
        assert browser.post("/imports/1", data=fields).status_code == 303
    assert len([statement for statement in seen if "entry" in statement.lower()]) <= 4


def test_the_response_to_a_correction_reads_one_entry(browser, statements, database):
    browser.post("/imports", data={"text": arxiv(1, 30)})
    with statements() as seen:
        assert browser.patch("/api/v1/imports/1/entries/2", json={"decision": "skip"}).json()["n"] == 2
    assert [s for s in seen if "FROM entry" in s and "position >" in s] == []


def test_a_long_import_responds_once_others_may_write_again(browser, database, monkeypatch):
    held = []
    inside = imports.import_json

    def watched(tx, import_id):
        held.append(type(tx).__name__)
        return inside(tx, import_id)

    monkeypatch.setattr("readtrack.web.api.imports.imports.import_json", watched)
    assert browser.post("/api/v1/imports", json={"text": arxiv(1, 3)}).status_code == 201
    assert held == ["Read"]


def test_pages_of_a_note_with_one_very_long_line_stay_small(browser, me, database):
    line = " ".join(f"https://example.org/{n}" for n in range(500)) + " and " + "words " * 80_000
    import_id = noted(database, me, line, "notes.md")
    for address in (f"/imports/{import_id}", "/notes/1"):
        assert len(browser.get(address).text) < 400_000
    carry_out(database, me, noted(database, me, "b" * 100_000, "other.md"))
    assert len(browser.get("/imports/2").text) < 50_000


@pytest.mark.deep
def test_a_long_note_is_read_in_pages(browser, me, database):
    noted(database, me, "".join(f"line {n}\n" for n in range(1, 4502)), "notes.md")
    first, last = page(browser, "/notes/1"), page(browser, "/notes/1?line=4100")
    assert first.xpath("//ol[@class='note']/li/@id")[-1] == "L2000"
    assert last.xpath("//ol[@class='note']/li/@id") == [f"L{n}" for n in range(4001, 4502)]
    assert first.xpath("//a[@rel='next']/@href") == ["/notes/1?line=2001"]
    assert (last.xpath("//a[@rel='next']"), last.xpath("//a[@rel='prev']/@href")) == ([], ["/notes/1?line=2001"])
    assert len(browser.get("/api/v1/notes/1").json()["lines"]) == 4501


@pytest.mark.deep
def test_open_questions_are_on_the_notes_page_and_unresolved_references_in_their_list(browser, me, database):
    import_id = noted(
        database, me, "# Recovery\n\nWhy is recovery so slow?\n\n- a paper on failing disks\n", "notes.md"
    )
    [entry] = [entry for entry in entries_of(database, import_id) if entry.first_line == 5]
    with database.write() as tx:
        correct_entry(
            tx, me, import_id, entry.position, edit=EntryUpdate(kind="lead", title="a paper on failing disks")
        )
    carry_out(database, me, import_id)
    links = {a.text_content(): a.get("href") for a in page(browser, "/notes").xpath("//ol[@class='lines']//a")}
    assert links["Why is recovery so slow?"] == "/notes/1?revision=1&line=3#L3"
    inbox = page(browser, "/unresolved")
    [lead] = inbox.xpath("//li[contains(@class, 'lead')]")
    assert lead.xpath("div/a/text()") == ["a paper on failing disks"]
    assert lead.xpath(".//p/span/a/@href") == ["/notes/1?revision=1&line=5#L5", "/topics/recovery"]


def test_lines_of_notes_are_found_through_the_api(browser, me, database):
    noted(database, me, "# 学習\n\n機械学習の話をした。\n", "notes.md")
    found = browser.get("/api/v1/notes", params={"q": "機械学習"}).json()["items"]
    assert [(item["note"], item["line"], item["text"]) for item in found] == [(1, 3, "機械学習の話をした。")]
    assert browser.get("/api/v1/notes?query=x").status_code in {400, 422}


@pytest.mark.deep
@pytest.mark.parametrize("how", [{}, {"content": b""}, {"json": {}}], ids=["nothing", "empty", "{}"])
def test_an_import_is_committed_with_an_empty_body(browser, how):
    browser.post("/api/v1/imports", json={"text": arxiv(1, 1)})
    answer = browser.post("/api/v1/imports/1/commit", **how)
    assert (answer.status_code, answer.json()["import"]) == (202, 1)


@pytest.mark.deep
def test_the_entries_shown_are_all_entries(browser, database):
    browser.post("/imports", data={"text": arxiv(1, 450)})
    shown = [
        row
        for after in (0, 100, 200, 300, 400)
        for row in page(browser, f"/imports/1?after={after}").xpath("//li[@data-row]")
    ]
    assert len(shown) == count_of(database, Entry) == len(entries_of(database, 1)) == 450


@cases("thing", ["https://a.org/1 ", "2401.00001 ", "x\n", "10.1145/1 "])
def test_notes_that_would_take_minutes_to_parse_are_refused_at_once(browser, database, monkeypatch, thing):
    monkeypatch.setattr(commands, "MAX_LINES", 1_000)
    monkeypatch.setattr(commands, "MAX_ADDRESSES", 1_000)
    answer = browser.post("/api/v1/imports", json={"text": thing * 1_001})
    assert (answer.status_code, count_of(database, NoteRevision)) == (413, 0)
    assert "more than 1,000" in answer.json()["detail"]
    assert browser.post("/imports", data={"text": thing * 1_001}).status_code == 413


def test_long_notes_are_parsed_before_taking_the_write_lock(database, me, monkeypatch):
    """Parsed, fingerprinted and cut into tokens before the transaction, which only writes."""
    from readtrack.search import documents  # noqa: PLC0415 - the module itself, to look into it

    parsed = prepare_notes(arxiv(1, 3), "notes.md")
    monkeypatch.setattr(documents, "index_text", None)
    with database.write() as tx:
        preview_notes(tx, me, parsed)
    monkeypatch.undo()
    with database.read() as tx:
        assert search.check(tx) == []


def test_a_double_click_on_import_leads_to_one_import(browser, database):
    browser.post("/imports", data={"text": arxiv(1, 3)})
    fields = typed(page(browser)) | {"do-2": "skip", "title-1": "Mine"}
    answers = [browser.post("/imports/1", data=fields) for _ in range(2)]
    assert [(answer.status_code, answer.headers["location"]) for answer in answers] == [(303, "/imports/1")] * 2
    assert count_of(database, Job) == 1
    assert browser.post("/imports/1", data=fields | {"do-1": "skip"}).status_code == 409
    assert browser.post("/imports/1", data=fields | {"topics": LONG}).status_code == 409


def test_a_stale_page_reverts_no_decision(browser, me, database):
    browser.post("/imports", data={"text": arxiv(1, 3)})
    fields = typed(page(browser))
    with database.write() as tx:
        correct_entry(tx, me, 1, 2, edit=EntryUpdate(decision="skip"))
    assert browser.post("/imports/1", data=fields | {"do-3": "skip", "then": "show:"}).status_code == 303
    assert [entry.decision for entry in entries_of(database, 1)] == ["add", "skip", "skip"]
