"""Checking an import: narrowed down, corrected one by one or all at once; rules, reports, revisions, files."""

import pytest
import sqlalchemy as sa
from lxml import html

from readtrack import bootstrap
from readtrack.infra.config import Settings
from readtrack.infra.jobs import queue
from readtrack.infra.models import ImportRule, Job, Note, NoteRevision, Paper
from readtrack.infra.text.person_names import NameParts, name_parts
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from tests import make
from tests.sample_library import carry_out, content, count_of, entries_of, noted
from tests.tables import cases

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

NOTES = """# Checkpointing

- [Just-in-Time Checkpointing](https://arxiv.org/abs/2401.00001)
- [An Article About It](https://zenn.dev/user/articles/abc) worth it
- [Another One](https://zenn.dev/user/articles/def)

# Storage

- [x] [Saving State](https://arxiv.org/abs/2401.00002)
- Why is it so slow?
http://localhost:8888/tree
"""
FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.fixture
def browser(me, sign_in):
    return sign_in(me)


@pytest.fixture
def preview(browser):
    browser.post("/imports", data={"text": NOTES, "title": "notes.md"})
    return browser


def page(browser, address="/imports/1"):
    return html.fromstring(browser.get(address).text)


def titles(document):
    return [" ".join(title.text_content().split()) for title in document.xpath("//li[@data-row]//*[@class='title']")]


def press(browser, then, address="/imports/1", **fields):
    """Submits the form of that page with this button, and follows."""
    [form] = page(browser, address).xpath("//form[@id='preview']")
    typed = {name: value.removeprefix("\n") for name, value in form.form_values() if value != "on"}
    return browser.post("/imports/1", data={**typed, "then": then, **fields})


def position(database, words):
    [entry] = [entry for entry in entries_of(database, 1) if words in (entry.title or entry.raw)]
    return entry.position


def entry(database, words):
    return next(entry for entry in entries_of(database, 1) if words in (entry.title or entry.raw))


def test_entries_are_filtered_by_kind_decision_and_words(preview):
    assert titles(page(preview, "/imports/1?kind=article")) == ["An Article About It", "Another One"]
    assert titles(page(preview, "/imports/1?show=skip")) == ["http://localhost:8888/tree"]
    assert titles(page(preview, "/imports/1?kind=article&q=another")) == ["Another One"]
    assert "No entries" in preview.get("/imports/1?q=zyzzyva").text


def test_each_filter_shows_its_number_of_entries(preview):
    document = page(preview, "/imports/1?kind=article")
    numbers = {
        button.get("value"): button.xpath("string(span)") for button in document.xpath("//nav/button[@name='then']")
    }
    assert (numbers["show:"], numbers["show:new"], numbers["kind:article"]) == ("2", "2", "2")
    assert numbers["kind:paper"] == "2"


def test_a_search_keeps_the_decisions_of_the_page_and_starts_at_the_first_entry(preview, database):
    n = position(database, "An Article")
    answer = press(preview, "find", q="another", at="3", **{f"do-{n}": "skip"})
    assert answer.headers["location"] == "/imports/1?q=another"
    assert entry(database, "An Article").decision == "skip"


def test_all_shown_entries_are_skipped_at_once_and_no_others(preview, database):
    press(preview, "all:skip", "/imports/1?kind=article")
    left_out = {each.title for each in entries_of(database, 1) if each.decision == "skip" and each.title}
    assert left_out - {"http://localhost:8888/tree"} == {"An Article About It", "Another One"}
    press(preview, "all:add", "/imports/1?kind=article")
    assert entry(database, "Another One").decision == "add"


def test_known_papers_stay_so_whatever_is_decided_for_all(browser, me, database):
    carry_out(database, me, noted(database, me, NOTES, "notes.md"))
    browser.post("/imports", data={"text": f"{NOTES}- https://arxiv.org/abs/2401.00009\n", "title": "notes.md"})
    for then in ("all:skip", "all:add"):
        browser.post("/imports/2", data={"then": then})
    assert titles(page(browser, "/imports/2?show=new")) == ["arxiv:2401.00009"]


def test_my_reading_status_in_the_notes_is_shown_plainly(preview):
    [row] = page(preview).xpath("//li[@data-row][.//*[contains(@class, 'mine')]]")
    assert "Saving State" in row.text_content()
    assert "Your status: read" in " ".join(row.text_content().split())


def test_the_source_lines_are_shown_in_context(preview):
    [row] = page(preview).xpath("//li[@data-row][.//*[@class='title'][contains(., 'An Article')]]")
    lines = [line.xpath("string(*[@class='at'])") for line in row.xpath(".//ol/li")]
    assert lines == ["2", "3", "4", "5", "6"]
    assert row.xpath("string(.//ol/li[@data-here]/*[@class='text'])").startswith("- [An Article About It](https://zenn")
    assert row.xpath(".//details//a/@href") == ["/notes/1?revision=1&line=4#L4"]


def test_an_entry_is_edited_in_place_and_the_correction_saved(preview, database):
    n = position(database, "An Article")
    opened = page(preview, press(preview, f"edit:{n}").headers["location"].partition("#")[0])
    assert len(opened.xpath("//*[@class='edit-entry']")) == 1
    words = {f"title-{n}": "Its Real Title", f"kind-{n}": "video", f"topics-{n}": "Talks\nStorage", f"year-{n}": "2021"}
    answer = press(preview, f"row:{n}", f"/imports/1?edit={n}", **words)
    assert answer.headers["location"] == f"/imports/1#entry-{n}"
    changed = entry(database, "Its Real Title")
    assert (changed.paper_kind, changed.topics, changed.year) == ("video", ["Talks", "Storage"], 2021)
    press(preview, f"reset:{n}")
    assert entry(database, "An Article").topics == ["Checkpointing"]


def test_an_open_page_gets_only_the_changed_entry_and_the_counts(preview, database):
    n = position(database, "An Article")
    fields = {f"do-{n}": "skip", "then": f"row:{n}", "show": "new"}
    answer = preview.post("/imports/1", data=fields, headers=FRAGMENT)
    document = html.fragment_fromstring(answer.text, create_parent="div")
    assert answer.status_code == 200
    assert document.xpath("li/@id") == [f"entry-{n}"]
    assert document.xpath("*[@hx-swap-oob]/@id") == ["narrow", "totals"]
    assert not document.xpath("//header | //main")


def test_an_impossible_split_or_merge_is_reported_and_nothing_is_saved(preview, database):
    n = position(database, "An Article")
    before = content(database)
    answer = press(preview, f"split:{n}", **{f"do-{n}": "skip"})
    assert (answer.status_code, content(database)) == (422, before)
    assert html.fromstring(answer.text).xpath("//*[@role='alert']//a/@href") == [f"#entry-{n}"]


def test_entries_are_merged_with_the_next_and_split_again(preview, database):
    n, shown = position(database, "An Article"), len(titles(page(preview)))
    assert press(preview, f"join:{n}").headers["location"] == f"/imports/1#entry-{n}"
    assert len(titles(page(preview))) == shown - 1
    press(preview, f"reset:{n}")
    assert len(titles(page(preview))) == shown


def test_a_twin_is_shown_with_its_options_and_the_decision_is_saved(browser, database):
    title = "Saving the State of Many Workers at Once"
    browser.post(
        "/imports", data={"text": f"- {title} https://arxiv.org/abs/2401.00001\n- {title} doi:10.1145/3600006\n"}
    )
    [second] = [each for each in entries_of(database, 1) if each.twin]
    [doubt] = page(browser).xpath("//*[@class='doubt']")
    assert "arxiv:2401.00001" in doubt.text_content()
    press(browser, f"twin:{second.position}:apart")
    assert next(each for each in entries_of(database, 1) if each.twin).apart


def test_a_correction_is_saved_as_a_rule_and_applies_to_the_rest_of_the_notes(preview, database):
    n = position(database, "An Article")
    press(preview, f"row:{n}", f"/imports/1?edit={n}", **{f"kind-{n}": "page", f"rule-{n}": "1"})
    assert entry(database, "Another One").paper_kind == "page"
    document = page(preview, "/imports/rules")
    assert document.xpath("//tbody//th/text()") == ["zenn.dev: page"]
    [address] = document.xpath("//tbody//form/@action")
    assert preview.post(address).status_code == 303
    assert count_of(database, ImportRule) == 0


def test_a_correction_that_makes_no_rule_says_so_next_to_the_option(preview, database):
    n = position(database, "An Article")
    answer = press(preview, f"row:{n}", f"/imports/1?edit={n}", **{f"title-{n}": "Other", f"rule-{n}": "1"})
    shown = html.fromstring(answer.text)
    assert answer.status_code == 422
    assert "can't be saved as a rule" in shown.xpath(f"string(//p[@id='rule-{n}'])")
    assert shown.xpath(f"//input[@name='title-{n}']/@value") == ["Other"]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"pattern": "host", "value": "zenn.dev/*/scraps", "word": "article"}, "zenn.dev/*/scraps: article"),
        ({"pattern": "host", "value": "x.com", "word": "skip"}, "x.com: skipped"),
        ({"pattern": "heading", "value": "Infos", "name": ""}, "Infos: no topic"),
        ({"pattern": "heading", "value": "Infos", "name": "Background"}, "Infos: topic Background"),
    ],
)
def test_a_rule_is_created_by_hand(browser, fields, sentence):
    assert browser.post("/imports/rules", data=fields).status_code == 303
    assert page(browser, "/imports/rules").xpath("//tbody//th/text()") == [sentence]


def test_an_invalid_rule_is_reported_at_its_field_with_the_input_kept(browser):
    answer = browser.post("/imports/rules", data={"pattern": "host", "value": "", "word": "article"})
    assert answer.status_code == 422
    assert html.fromstring(answer.text).xpath("//p[@id='site-error']")


def test_the_report_adds_up_to_all_lines(preview):
    document = page(preview, "/imports/1/report")
    for table in document.xpath("//table"):
        numbers = [int(cell.text_content().replace(",", "")) for cell in table.xpath("tbody//td")]
        assert sum(numbers) == int(table.xpath("string(tfoot//td)").replace(",", ""))
    assert document.xpath("string(//table[1]//tfoot//td)") == str(len(NOTES.splitlines()))
    assert preview.get(document.xpath("//a[.='JSON']/@href")[0]).json()["line_count"] == len(NOTES.splitlines())


MANY_SERVICES = """- https://arxiv.org/abs/2401.00001
- https://doi.org/10.1145/3600006.3613165
- https://www.usenix.org/conference/osdi24/presentation/zhong-yinmin
- https://openreview.net/forum?id=abcdefghij
- https://github.com/example/project
- https://example.com/an-article
"""


def test_offline_the_result_of_an_import_and_a_paper_say_so_once(browser, me, database, tmp_path):
    carry_out(database, me, noted(database, me, MANY_SERVICES, "notes.md"))
    waiting = " ".join(page(browser).xpath("//main//text()"))
    assert waiting.count("Fetching metadata from") == 1
    assert "Metadata is fetched in the background." in waiting
    offline = bootstrap.open_egress(Settings(data=tmp_path, offline=True), database)
    while queue.run_due_job(database, offline):
        pass
    document = page(browser)
    shown = " ".join(document.xpath("//main//text()"))
    assert shown.count("readtrack is offline") == 1
    assert "Metadata is fetched in the background." not in shown
    assert "0 of 6 papers with metadata" in shown
    [progress] = document.xpath("//*[@id='progress']")
    assert not progress.get("hx-trigger")
    for address in document.xpath("//ol[@class='lines']//a/@href"):
        assert " ".join(page(browser, address).xpath("//main//text()")).count("readtrack is offline") == 1
    assert "readtrack is offline" not in " ".join(page(browser, "/papers").xpath("//main//text()"))


@pytest.mark.parametrize(
    ("line", "links"),
    [("References\n- Describes the training of a model with 530B parameters.", 1), ("arxiv:2403.14097", 0)],
)
def test_the_result_leads_to_the_references_that_were_not_resolved(browser, me, database, line, links):
    carry_out(database, me, noted(database, me, line, "notes.md"))
    assert len(page(browser).xpath("//main//a[@href='/unresolved']")) == links


@pytest.mark.deep
def test_a_note_links_from_each_line_to_its_result(browser, me, database):
    carry_out(database, me, noted(database, me, NOTES, "notes.md"))
    document = page(browser, "/notes/1")
    fate = {line.get("id"): line.xpath(".//*[@class='fate']//a/@href") for line in document.xpath("//ol/li")}
    assert fate["L1"] == ["/topics/checkpointing"]
    assert fate["L3"][0].startswith("/papers/")
    assert fate["L10"][0].startswith("/questions/")


def test_a_later_revision_shows_its_changes_and_proposes_only_new_entries(browser, me, database):
    carry_out(database, me, noted(database, me, NOTES, "notes.md"))
    lines = NOTES.splitlines()
    later = "\n".join([*lines[6:], "", *lines[:6], "- [Quite New](https://arxiv.org/abs/2401.00009)"])
    browser.post("/imports", data={"text": later, "title": "notes.md"})
    document = page(browser, "/imports/2")
    assert "1 added" in document.xpath("string(//p[@class='lede'])")
    assert titles(page(browser, "/imports/2?show=new")) == ["Quite New"]
    assert document.xpath("//p[@class='lede']/a/@href") == ["/notes/1?revision=2&compare=1"]
    compared = page(browser, "/notes/1?revision=2&compare=1")
    added = compared.xpath("//li[@data-change='added']/*[@class='text']")
    assert "Quite New" in "".join(line.text_content() for line in added)
    assert compared.xpath("//li[@data-change='moved']")


def test_comparing_with_a_missing_revision_fails(preview):
    assert preview.get("/notes/1?compare=7").status_code == 404
    assert preview.get("/notes/7?compare=1").status_code == 404


@cases(
    ("name", "data", "words"),
    [
        ("paper.pdf", b"%PDF-1.7 ...", "is a PDF. Upload notes"),
        ("notes.zip", b"PK\x03\x04....", "is an archive. Unpack it"),
        ("shot.png", b"\x89PNG\r\n\x1a\n", "is an image. Type or paste its text."),
        ("a.bin", bytes(range(8)) + b"\0\0\0\0" * 200, "isn't text"),
        ("long.md", b"- words\n" * 650_000, "can have up to 5,000,000 characters"),
    ],
)
def test_a_file_that_is_not_a_note_is_refused_with_advice(browser, database, name, data, words):
    answer = browser.post("/imports", data={"title": "Mine"}, files={"file": (name, data)})
    shown = html.fromstring(answer.text)
    assert (answer.status_code, count_of(database, NoteRevision)) == (413 if name == "long.md" else 415, 0)
    assert words in shown.xpath("string(//p[@id='file-error'])")
    assert shown.xpath("//input[@name='title']/@value") == ["Mine"]


@pytest.mark.deep
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "shift_jis", "euc_jp"])
def test_a_file_of_any_extension_and_encoding_is_read(browser, database, encoding):
    text = "# 学習\n\n- チェックポイントの書き方 https://arxiv.org/abs/2401.00001\n"
    browser.post("/imports", files={"file": ("liste.dat", text.encode(encoding))})
    assert [each.title for each in entries_of(database, 1) if each.kind == "paper"] == ["チェックポイントの書き方"]
    with database.read() as tx:
        assert tx.get_one(Note, 1).title == "liste.dat"


@pytest.mark.parametrize("data", [b"", b" \n\n"])
def test_a_file_without_text_is_said_to_be_empty(browser, data):
    for address in ("/imports", "/api/v1/imports"):
        answer = browser.post(address, files={"file": ("list.md", data)})
        assert "“list.md” is empty. Choose another file." in answer.text
        assert "Paste some notes" not in answer.text


def test_pasted_notes_and_a_file_together_are_both_kept(browser, database):
    answer = browser.post("/imports", data={"text": "- pasted"}, files={"file": ("a.md", b"- in a file")})
    assert (answer.status_code, count_of(database, NoteRevision)) == (415, 0)
    assert "- pasted" in html.fromstring(answer.text).xpath("string(//textarea)")


def test_a_binary_file_sent_to_the_api_is_refused_too(browser, database):
    answer = browser.post("/api/v1/imports", files={"file": ("paper.pdf", b"%PDF-1.7")})
    assert (answer.status_code, count_of(database, NoteRevision)) == (415, 0)
    assert "is a PDF" in answer.json()["detail"]


@pytest.mark.deep
@pytest.mark.parametrize("many", [3, 90])
def test_a_preview_takes_as_many_statements_for_many_entries_as_for_few(browser, statements, many):
    browser.post("/imports", data={"text": "".join(f"- https://arxiv.org/abs/2401.{n:05d}\n" for n in range(many))})
    with statements() as seen:
        assert browser.get("/imports/1").status_code == 200
    assert len(seen) <= 16


def test_no_button_commits_unless_it_is_labelled_so(preview, database):
    for then in ("stay", "find", "after:0", "show:new", "kind:paper", "all:add", "nonsense", "edit:1", "edit:999"):
        assert press(preview, then).status_code == 303
    assert count_of(database, Job) == 0


def test_each_identifier_in_a_preview_opens_its_own_page(browser):
    text = "- ZeRO-Offload: https://www.usenix.org/conference/atc21/presentation/ren-jie arXiv:2101.06840\n"
    browser.post("/imports", data={"text": text, "title": "notes.md"})
    links = page(browser).xpath("//li[@data-row]//span[@class='id']/a")
    pages = {link.text: link.get("href") for link in links}
    assert pages["arxiv:2101.06840"] == "https://arxiv.org/abs/2101.06840"
    assert all(sources.recognize(href) == Ref.parse(name) for name, href in pages.items())


def test_an_imported_bibliography_keeps_the_parts_of_names(browser, database, me):
    entry = "@article{, title = {Feature Stores in Production}, author = {Anne Doe, Jane and {OpenAI}}, year = 2022}"
    browser.post("/imports", data={"text": entry, "title": "refs.bib"})
    carry_out(database, me, 1)
    with database.read() as tx:
        [paper] = tx.scalars(sa.select(Paper)).all()
    assert paper.authors == ["Jane Anne Doe", "OpenAI"]
    assert name_parts(paper.authors[0]) == NameParts("Anne Doe", "Jane")
    assert paper.citation_key == "annedoe2022feature"


@pytest.mark.parametrize("format_name", ["json", "csv", "bibtex", "ris", "csl-json"])
def test_the_preview_of_an_export_opens_whatever_the_papers_hold(browser, me, database, format_name):
    with database.write() as tx:
        read = make.paper(tx, "A Paper With a Status")
        make.paper(tx, "A Paper Without Anything")
        make.reading(tx, me.id, read.id, status="reading")
    export = browser.get(f"/api/v1/export?format={format_name}").text
    browser.post("/imports", data={"text": export, "title": "export"})
    document = page(browser)
    assert {"A Paper With a Status", "A Paper Without Anything"} <= set(titles(document))


def test_notes_without_a_name_are_called_by_the_words_of_their_first_line(browser):
    browser.post("/imports", data={"text": "- [Sailing Boats](https://arxiv.org/abs/2401.00001) across the ocean\n"})
    assert page(browser).xpath("string(//h1)").strip() == "Sailing Boats across the ocean"
