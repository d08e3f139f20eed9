"""Imports at both doors: from a paste to its papers, with every line accounted for and nothing done unasked."""

import pytest
from lxml import html

from readtrack.infra.models import Entry, Job, NoteRevision, Paper
from tests import make
from tests.sample_library import NOTES, carry_out, content, count_of, entries_of, noted
from tests.tables import cases

pytestmark = pytest.mark.slow  # many requests to a whole application

SHAPE = {
    "n", "lines", "part", "kind", "identifiers", "links", "title", "topics", "venue", "year", "authors", "date",
    "read_on", "rating", "abstract", "status", "details", "text", "twin", "apart", "aliases", "alias_taken", "rules",
    "decision", "reason", "changed", "made", "paper",
}  # fmt: skip
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}


@pytest.fixture
def people(database):
    with database.write() as tx:
        return {role: make.visitor(tx, role.title(), role=role) for role in ("viewer", "member", "editor")}


@pytest.fixture
def mem(people, sign_in):
    return sign_in(people["member"])


@pytest.fixture
def previewed(mem):
    mem.post("/api/v1/imports", json={"text": NOTES})


def entries(browser, import_id=1):
    return browser.get(f"/api/v1/imports/{import_id}/entries").json()["items"]


def form_of(document, action):
    [form] = document.xpath(f"//form[@action='{action}']")
    return {name: "" if value == "on" else value for name, value in form.form_values()}


def test_pasted_notes_are_previewed_decided_and_imported(mem, people, database):
    answer = mem.post("/imports", data={"text": NOTES, "title": "Reading list"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/imports/1")
    assert (count_of(database, Paper), count_of(database, Job)) == (0, 0)
    preview = html.fromstring(mem.get("/imports/1").text)
    assert "6 lines" in preview.xpath("string(//main)") or "5 lines" in preview.xpath("string(//main)")
    answer = mem.post(
        "/imports/1", data=form_of(preview, "/imports/1") | {"topics": "Reading group", "status": "to_read"}
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/imports/1")
    assert (count_of(database, Paper), count_of(database, Job)) == (0, 1)
    assert "Importing" in html.fromstring(mem.get("/imports/1").text).xpath("string(//h1)")
    carry_out(database, people["member"], 1)
    done = html.fromstring(mem.get("/imports/1").text)
    assert "Reading list imported" in done.xpath("string(//h1)")
    papers = mem.get("/api/v1/papers?include=topics,reading").json()["items"]
    assert {identifier for paper in papers for identifier in paper["identifiers"]} >= {
        "arxiv:2305.15778",
        "usenix:osdi23/ren",
    }
    assert all("Reading group" in {topic["name"] for topic in paper["topics"]} for paper in papers)
    assert {paper["reading"]["status"] for paper in papers} == {"to_read"}


def test_viewing_a_preview_and_importing_it_unchanged_makes_no_corrections(mem, database):
    noted_text = "# Data, model and pipeline parallelism\n- https://arxiv.org/abs/2305.15778 A title, with a comma\n"
    mem.post("/imports", data={"text": noted_text})
    before = [(entry.decision, entry.title, entry.topics, entry.identifiers) for entry in entries_of(database, 1)]
    mem.post("/imports/1", data=form_of(html.fromstring(mem.get("/imports/1").text), "/imports/1"))
    after = entries_of(database, 1)
    assert [(entry.decision, entry.title, entry.topics, entry.identifiers) for entry in after] == before
    assert {entry.proposed is None for entry in after} == {True}


@pytest.mark.parametrize("send", ["json", "plain", "markdown", "file", "form"])
def test_notes_are_accepted_in_any_request_form(mem, send):
    address = "/api/v1/imports"
    answer = {
        "json": lambda: mem.post(address, json={"text": NOTES, "title": "List"}),
        "plain": lambda: mem.post(f"{address}?title=List", content=NOTES.encode(), headers=PLAIN),
        "markdown": lambda: mem.post(f"{address}?title=List", content=NOTES, headers={"Content-Type": "text/markdown"}),
        "file": lambda: mem.post(address, files={"file": ("C:\\notes\\List", NOTES.encode("utf-16"))}),
        "form": lambda: mem.post(address, data={"text": NOTES, "title": "List"}),
    }[send]()
    body = answer.json()
    assert (answer.status_code, answer.headers["location"], body["title"]) == (201, "/api/v1/imports/1", "List")
    assert sum(body["lines"].values()) == body["line_count"] == len(NOTES.splitlines())
    assert {frozenset(entry) for entry in body["entries"]} == {frozenset(SHAPE)}
    assert ["arxiv:2305.15778"] in [entry["identifiers"] for entry in body["entries"]]


@pytest.mark.deep
def test_the_same_text_is_the_same_import(mem, people, database):
    first = mem.post("/api/v1/imports", json={"text": NOTES})
    again = mem.post("/api/v1/imports", json={"text": NOTES, "title": "Other name"})
    assert (again.status_code, again.json()) == (200, first.json())
    carry_out(database, people["member"], 1)
    before = content(database)
    assert mem.post("/imports", data={"text": NOTES}).headers["location"] == "/imports/1"
    assert [mem.post("/api/v1/imports/1/commit", json={}).json()["job"] for _ in range(2)] == [1, 1]
    assert content(database) == before


def test_a_later_revision_proposes_only_new_entries(mem, people, database):
    carry_out(database, people["member"], noted(database, people["member"], NOTES, "List"))
    body = mem.post(
        "/api/v1/imports", json={"text": NOTES + "https://arxiv.org/abs/2401.00001\n", "title": " LIST "}
    ).json()
    assert (body["note"], body["revision"]) == (1, 2)
    assert [entry["identifiers"] for entry in body["entries"] if entry["decision"] in {"add", "review"}] == [
        ["arxiv:2401.00001"]
    ]


def test_a_corrected_line_keeps_the_parsers_result(mem, database):
    mem.post("/api/v1/imports", json={"text": "https://arxiv.org/abs/2305.15778 Wrong title\n"})
    [entry] = [entry for entry in entries(mem) if entry["kind"] == "paper"]
    address = f"/api/v1/imports/1/entries/{entry['n']}"
    said = {"identifier": "https://arxiv.org/pdf/2401.00001v2", "title": "Right title", "topics": ["A, b", "C"]}
    done = mem.patch(address, json=said).json()
    assert (done["identifiers"], done["title"], done["topics"]) == (["arxiv:2401.00001"], "Right title", ["A, b", "C"])
    assert mem.patch(address, json={"decision": "skip"}).json()["decision"] == "skip"
    assert entries_of(database, 1)[entry["n"] - 1].proposed["identifiers"] == ["arxiv:2305.15778"]


@cases(
    ("body", "pointer"),
    [
        ({"identifier": "no such thing"}, "/identifier"),
        ({"identifier": "javascript:alert(1)"}, "/identifier"),
        ({"decision": "perhaps"}, "/decision"),
        ({"topics": [""]}, "/topics/0"),
        ({"kind": "book"}, "/kind"),
        ({"year": 2500}, "/year"),
        ({"status": "perhaps"}, "/status"),
        ({"twin": "same"}, "/twin"),
        ({"alias": "take"}, "/alias"),
        ({"decision": "skip", "keep_rule": True, "verb": "x"}, "/verb"),
    ],
)
def test_an_invalid_correction_is_rejected_with_a_pointer(mem, previewed, database, body, pointer):
    before = content(database)
    answer = mem.patch("/api/v1/imports/1/entries/1", json=body)
    assert (answer.status_code, [error["pointer"] for error in answer.json()["errors"]]) == (422, [pointer])
    assert content(database) == before


def test_an_unknown_identifier_in_the_form_is_reported_with_its_entry(mem, database):
    mem.post("/api/v1/imports", json={"text": NOTES})
    before = content(database)
    answer = mem.post("/imports/1", data={"id-1": "no such thing", "do-3": "skip"})
    assert answer.status_code == 422
    assert "no such thing" in answer.text
    assert content(database) == before


@pytest.mark.deep
def test_show_more_keeps_the_decisions(mem, database):
    lines = "".join(f"https://arxiv.org/abs/2401.{n:05d}\n" for n in range(1, 251))
    mem.post("/imports", data={"text": lines})
    first = html.fromstring(mem.get("/imports/1").text)
    fields = form_of(first, "/imports/1") | {"do-7": "skip", "then": "after:200"}
    answer = mem.post("/imports/1", data=fields)
    assert answer.headers["location"] == "/imports/1?after=200"
    rest = form_of(html.fromstring(mem.get(answer.headers["location"]).text), "/imports/1")
    assert {name for name in rest if name.startswith("do-")} == {f"do-{n}" for n in range(201, 251)}
    assert [entry["n"] for entry in entries(mem) if entry["decision"] == "skip"] == [7]


def test_only_an_editor_can_decide_on_another_persons_import(mem, people, sign_in, database):
    with database.write() as tx:
        other = make.visitor(tx, "Other")
    mem.post("/api/v1/imports", json={"text": NOTES})
    refused = sign_in(other)
    before = content(database)
    for answer in (
        refused.patch("/api/v1/imports/1/entries/1", json={"decision": "skip"}),
        refused.post("/api/v1/imports/1/commit", json={}),
        refused.post("/imports/1", data={"do-1": "skip"}),
    ):
        assert answer.status_code == 403
    assert refused.get("/imports/1").status_code == 200
    assert content(database) == before
    assert sign_in(people["editor"]).post("/api/v1/imports/1/commit", json={}).status_code == 202


def test_a_viewer_cannot_import_but_can_read_everything(people, mem, sign_in, database):
    mem.post("/api/v1/imports", json={"text": NOTES})
    viewer = sign_in(people["viewer"])
    assert viewer.get("/imports/new").status_code == 403
    assert viewer.post("/imports", data={"text": "x"}).status_code == 403
    assert viewer.post("/api/v1/imports", json={"text": "x"}).status_code == 403
    assert viewer.post("/imports/1", data={"do-1": "skip"}).status_code == 403
    assert [viewer.get(page).status_code for page in ("/imports", "/imports/1", "/notes", "/notes/1")] == [200] * 4
    assert count_of(database, NoteRevision) == 1


def test_nothing_can_be_changed_after_the_commit(mem, people, database):
    carry_out(database, people["member"], noted(database, people["member"], NOTES))
    answer = mem.patch("/api/v1/imports/1/entries/1", json={"decision": "skip"})
    assert answer.status_code == 409
    assert "Already imported" in answer.json()["detail"]


@cases("text", ["", " \n\t ", "\ufeff"])
def test_empty_notes_are_refused(mem, database, text):
    assert mem.post("/api/v1/imports", json={"text": text}).status_code == 422
    page = html.fromstring(mem.post("/imports", data={"text": text, "title": "kept"}).text)
    assert page.xpath("//input[@name='title']/@value") == ["kept"]
    assert count_of(database, NoteRevision) == 0


def test_characters_no_database_can_store_are_replaced(mem):
    body = mem.post("/api/v1/imports", json={"text": "A\x00B https://arxiv.org/abs/2305.15778\n"})
    assert body.status_code == 201
    assert "\x00" not in mem.get("/api/v1/notes/1").json()["text"]


@pytest.mark.deep
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_note_shows_the_outcome_of_each_line_whatever_the_line_ending(mem, people, database, end):
    import_id = noted(database, people["member"], NOTES.replace("\n", end), "List")
    carry_out(database, people["member"], import_id)
    note = mem.get("/api/v1/notes/1").json()
    assert [(line["line"], line["text"]) for line in note["lines"]] == list(enumerate(NOTES.splitlines(), 1))
    kinds = [line["kind"] for line in note["lines"]]
    assert (kinds[0], kinds[1], kinds[2]) == ("topic", "blank", "paper")
    assert note["lines"][2]["papers"] == [1]
    page = html.fromstring(mem.get("/notes/1").text)
    assert page.xpath("//ol[@class='note']/li/@id") == [f"L{n}" for n in range(1, len(kinds) + 1)]
    assert page.xpath("//li[@id='L3']//a/@href") == ["#L3", "/papers/1"]
    assert [line["lines"] for line in entries(mem, import_id)][:2] == [[1, 1], [2, 2]]


def test_a_note_with_unusual_line_breaks_has_the_lines_the_parser_counted(mem):
    body = mem.post("/api/v1/imports", json={"text": "one\x0btwo\u2028three\x85four\nfive\n"}).json()
    assert body["line_count"] == sum(body["lines"].values()) == 2
    assert [line["line"] for line in mem.get("/api/v1/notes/1").json()["lines"]] == [1, 2]


def test_entries_of_every_line_appear_once(mem, database):
    mem.post("/api/v1/imports", json={"text": NOTES})
    assert [entry["n"] for entry in entries(mem)] == list(range(1, count_of(database, Entry) + 1))
