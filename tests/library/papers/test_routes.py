"""Papers at both doors: the same rows in the same order, adding, correcting, deleting, and files to take away."""

import re

import pytest
from lxml import html

from readtrack import search
from readtrack.infra.models import Paper
from tests import make
from tests.library.papers.test_commands import UNSAFE
from tests.sample_library import content, count_of

pytestmark = pytest.mark.slow


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Ed", role="editor")]


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people[0])


def rows_of(answer):
    """Addresses of the papers of a page, in their order."""
    return [
        int(re.sub(r"\D", "", href))
        for href in html.fromstring(answer.text).xpath("//*[@data-row]//a[contains(@class,'title')]/@href")
    ]


def walked(browser, address):
    """Ids over all pages of the API."""
    ids = []
    while address:
        answer = browser.get(address)
        ids += [item["id"] for item in answer.json()["items"]]
        link = answer.headers.get("link", "")
        assert bool(link) == bool(answer.json()["next"])
        address = link.partition(">")[0].removeprefix("<")
    return ids


@pytest.mark.deep
def test_page_and_api_show_the_same_rows_in_the_same_order(ada, database):
    with database.write() as tx:
        for number in range(60):
            make.paper(tx, f"Paper {number % 7}", year=2000 + number % 5)
    for query in ("", "q=year:2001..2003", "sort=title", "q=sort:year-asc", "q=paper&sort=updated-asc"):
        page = ada.get(f"/papers?{query}")
        ids = rows_of(page)
        [older] = html.fromstring(page.text).xpath("//a[contains(@href, 'after=')]/@href") or [""]
        if older:
            ids += rows_of(ada.get(older))
        assert ids == walked(ada, f"/api/v1/papers?limit=23&{query}"), query


def test_an_api_page_has_items_and_a_cursor(ada, people, database):
    with database.write() as tx:
        paper = make.paper(tx, "Attention", identifier="arxiv:2305.15778", authors=["A"], year=2023)
        make.reading(tx, people[0].id, paper.id or 0, "reading")
        make.filed(tx, paper, make.topic(tx, "Training"))
        search.update_papers(tx, [paper.id or 0])
    answer = ada.get("/api/v1/papers?include=reading,topics,total&q=attention")
    [item] = answer.json()["items"]
    assert (item["title"], item["identifiers"], item["authors"]) == ("Attention", ["arxiv:2305.15778"], ["A"])
    assert (item["reading"]["status"], item["topics"]) == ("reading", [{"slug": "training", "name": "Training"}])
    assert (answer.json()["total"], answer.json()["next"]) == (1, None)
    again = ada.get(
        "/api/v1/papers?include=reading,topics,total&q=attention", headers={"If-None-Match": answer.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.deep
@pytest.mark.parametrize(("limit", "shown"), [(1, 1), (200, 200), (1000, 200)])
def test_too_large_a_limit_is_capped(ada, database, limit, shown):
    with database.write() as tx:
        tx.add_all(Paper(title=f"P{n}", title_key=f"p{n}") for n in range(201))
    assert len(ada.get(f"/api/v1/papers?limit={limit}").json()["items"]) == shown


def test_a_cursor_is_valid_only_for_its_own_query(ada, database):
    with database.write() as tx:
        for _ in range(3):
            make.paper(tx, "Attention")
    cursor = ada.get("/api/v1/papers?limit=1").json()["next"]
    assert ada.get(f"/api/v1/papers?limit=1&after={cursor}").status_code == 200
    forged = [
        cursor[:-1] + ("A" if cursor[-1] != "A" else "B"),
        cursor[1:],
        cursor * 2,
        "' OR 1=1--",
        "\u00e9",
        "=",
        "A" * 5000,
    ]
    for after in forged:
        assert ada.get("/api/v1/papers", params={"after": after}).status_code == 400, after
        assert "Invalid page link" in ada.get("/papers", params={"after": after}).text, after
    for other in ("q=attention", "sort=title"):
        assert ada.get(f"/api/v1/papers?{other}&after={cursor}").status_code == 400
    assert ada.get(f"/api/v1/people?after={cursor}").status_code == 400


def test_an_unknown_sort_is_rejected_by_the_api(ada):
    for sort in ("color", "year-up", "title; DROP TABLE paper"):
        assert ada.get("/api/v1/papers", params={"sort": sort}).status_code == 422


def test_adding_twice_gives_one_paper(ada, database):
    made = ada.post("/api/v1/papers", json={"identifier": "https://arxiv.org/pdf/2305.15778v1", "topics": ["Training"]})
    assert (made.status_code, made.json()["created"]) == (201, True)
    again = ada.post("/api/v1/papers", json={"identifier": "2305.15778"})
    assert (again.status_code, again.json()["created"]) == (200, False)
    assert again.headers["location"] == made.headers["location"] == f"/api/v1/papers/{made.json()['id']}"
    assert count_of(database, Paper) == 1


def test_a_request_repeated_with_one_idempotency_key_has_one_effect(ada, database):
    key, body = {"Idempotency-Key": "k1"}, {"title": "Attention"}
    first, second = (ada.post("/api/v1/papers", json=body, headers=key) for _ in range(2))
    assert (second.status_code, second.json(), second.headers["location"]) == (
        201,
        first.json(),
        first.headers["location"],
    )
    assert ("idempotency-replayed" in first.headers, second.headers["idempotency-replayed"]) == (False, "true")
    other = ada.post("/api/v1/papers", json={"title": "Other"}, headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-key-reused")
    for bad in ("", "k" * 256):
        assert (
            ada.post("/api/v1/papers", json=body, headers={"Idempotency-Key": bad}).json()["code"]
            == "bad-idempotency-key"
        )
    assert count_of(database, Paper) == 1


def test_an_idempotency_key_with_a_different_body_is_rejected_without_effect(ada, database):
    headers = {"Idempotency-Key": "k1", "Content-Type": "application/json"}
    answers = [
        ada.post("/api/v1/papers", content=body, headers=headers).status_code
        for body in ('{"title": "One"}', '{"title":"One"}', '{"title": "One"}')
    ]
    assert answers == [201, 422, 201]
    assert count_of(database, Paper) == 1


@pytest.mark.deep
def test_one_key_on_two_paths_means_two_requests(ada):
    key, body = {"Idempotency-Key": "k1"}, {"markdown": "Why?"}
    papers = [ada.post("/api/v1/papers", json={"title": title}).json()["id"] for title in ("One", "Two")]
    for paper_id in papers:
        answer = ada.post(f"/api/v1/papers/{paper_id}/comments", json=body, headers=key)
        assert (answer.status_code, "idempotency-replayed" in answer.headers) == (201, False)
    for paper_id in papers:
        assert len(ada.get(f"/api/v1/papers/{paper_id}/comments").json()["items"]) == 1


def test_an_idempotency_key_belongs_to_a_person_and_expires_after_a_day(ada, people, sign_in, database):
    import time_machine  # noqa: PLC0415

    key = {"Idempotency-Key": "k1"}
    ada.post("/api/v1/papers", json={"title": "One"}, headers=key)
    assert sign_in(people[1]).post("/api/v1/papers", json={"title": "Two"}, headers=key).status_code == 201
    with time_machine.travel("2999-01-01", tick=False):
        late = sign_in(people[0])
        assert late.post("/api/v1/papers", json={"title": "Three"}, headers=key).status_code == 201
    again = sign_in(people[0])
    refused = again.post("/api/v1/papers", json={"identifier": "nonsense"}, headers={"Idempotency-Key": "k2"})
    assert refused.status_code == 422
    assert again.post("/api/v1/papers", json={"title": "Four"}, headers={"Idempotency-Key": "k2"}).status_code == 201
    assert count_of(database, Paper) == 4


def test_unsafe_urls_are_refused_by_every_endpoint_and_nothing_is_stored(ada, database):
    before = content(database)
    for address in UNSAFE:
        assert ada.post("/api/v1/papers", json={"identifier": address}).status_code == 422, address
    assert content(database) == before
    for address in UNSAFE:
        answer = ada.post("/papers", data={"text": address})
        if answer.status_code == 303:  # taken for a title: shown as text, never as a link
            page = html.fromstring(ada.get(answer.headers["location"]).text)
            assert not [href for href in page.xpath("//@href | //@src") if address.strip() in href], address
    for address in (
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x(1)",
        "blob:x",
    ):
        assert ada.post("/papers", data={"text": address}).status_code == 422, address


def test_one_line_adds_a_paper_and_several_lines_or_a_file_become_an_import_preview(ada, database):
    notes = "# Topic\n- https://arxiv.org/abs/2305.15778\n- arxiv:2405.00001\n"
    nothing = {"file": ("", b"", "application/octet-stream")}  # what browsers send if no file is chosen
    added = ada.post("/papers", data={"text": "2305.15778"}, files=nothing)
    assert (added.status_code, added.headers["location"]) == (303, "/papers/1")
    for sent in (
        {"data": {"text": notes}, "files": nothing},
        {"data": {"text": ""}, "files": {"file": ("list.md", notes.encode(), "text/markdown")}},
        {"data": {"text": ""}, "files": {"file": ("one line.txt", b"arxiv:2405.00002", "text/plain")}},
    ):
        passed_on = ada.post("/papers", **sent)
        assert (passed_on.status_code, passed_on.headers["location"]) == (307, "/imports")
        preview = ada.post("/imports", **sent)
        assert preview.headers["location"].startswith("/imports/")
    assert count_of(database, Paper) == 1
    assert "Enter an arXiv ID" in ada.post("/papers", data={"text": ""}, files=nothing).text


def test_the_add_form_accepts_ids_links_and_titles(ada, database):
    for text in ("2305.15778", "https://arxiv.org/abs/2305.15778", "Attention: is all you need?"):
        answer = ada.post("/papers", data={"text": text, "status": "to_read"})
        assert answer.status_code == 303
    assert count_of(database, Paper) == 2
    page = html.fromstring(ada.post("/papers", data={"text": "https://localhost/x"}).text)
    assert page.xpath("//textarea[@name='text']")[0].text.strip() == "https://localhost/x"
    assert "inside a network" in page.xpath("string(//*[@role='alert'])")


@pytest.mark.deep
def test_a_correction_through_the_api_requires_the_current_version(ada, database):
    with database.write() as tx:
        make.paper(tx, "Atention", year=2020, venue="V")
    tag = ada.get("/api/v1/papers/1").headers["etag"]
    assert ada.get("/api/v1/papers/1", headers={"If-None-Match": tag}).status_code == 304
    done = ada.patch("/api/v1/papers/1", json={"title": "Attention", "year": None}, headers={"If-Match": tag})
    assert (done.json()["title"], done.json()["year"], done.json()["venue"]) == ("Attention", None, "V")
    stale = ada.patch("/api/v1/papers/1", json={"title": "Mine"}, headers={"If-Match": tag})
    assert (stale.status_code, stale.json()["current"]["title"]) == (412, "Attention")
    assert ada.get("/api/v1/papers/1").headers["etag"] == done.headers["etag"]


def test_the_publication_type_is_corrected_through_the_api(ada, database):
    with database.write() as tx:
        make.paper(tx, "Attention")
    before = ada.get("/api/v1/papers/1")
    assert before.json()["publication_type"] == ""
    for publication_type, saved in [("book", "book"), (None, "")]:
        tag = ada.get("/api/v1/papers/1").headers["etag"]
        body = {"publication_type": publication_type}
        after = ada.patch("/api/v1/papers/1", json=body, headers={"If-Match": tag}).json()
        assert (after["publication_type"], "publication_type" in after["locked"]) == (saved, True)


def test_the_publication_type_is_shown_set_and_cleared_on_pages(ada, database):
    with database.write() as tx:
        make.paper(tx, "Attention")
    form = html.fromstring(ada.get("/papers/1/edit").text).xpath("//form[@action='/papers/1/edit']")[0]
    for publication_type, words in [("chapter", "book chapter"), ("", None)]:
        version = ada.get("/api/v1/papers/1").json()["version"]
        data = dict(form.form_values()) | {"publication_type": publication_type, "version": version}
        assert ada.post("/papers/1/edit", data=data).status_code == 303
        page = html.fromstring(ada.get("/papers/1").text)
        assert page.xpath("//dt[.='Type']/following-sibling::dd[1]/text()") == ([words] if words else [])
        assert "publication_type" in ada.get("/api/v1/papers/1").json()["locked"]


UNCORRECTABLE: list[tuple[dict[str, object], str]] = [
    ({"id": 7}, "/id"), ({"version": 9}, "/version"), ({"created_at": "2020-01-01"}, "/created_at"),
    ({"deleted_at": None}, "/deleted_at"), ({"merged_into": 1}, "/merged_into"), ({"locked": {}}, "/locked"),
    ({"title": ""}, "/title"), ({"title": None}, "/title"), ({"kind": None}, "/kind"), ({"kind": "poem"}, "/kind"),
    ({"triage": None}, "/triage"), ({"year": 99999}, "/year"), ({"authors": ["", "B"]}, "/authors/0"),
    ({"language": "<b>"}, "/language"), ({"publication_type": "poem"}, "/publication_type"),
]  # fmt: skip


def test_an_invalid_correction_is_rejected_with_a_pointer(ada, database):
    with database.write() as tx:
        make.paper(tx, "Attention")
    for body, pointer in UNCORRECTABLE:
        answer = ada.patch("/api/v1/papers/1", json=body, headers={"If-Match": '"1.1"'})
        assert (answer.status_code, [e["pointer"] for e in answer.json()["errors"]]) == (422, [pointer]), body


@pytest.mark.parametrize("key", ["Müller_2019", "has space", "-x"])
def test_the_form_of_a_citation_key_is_said_before_and_after_a_mistake(ada, database, key):
    with database.write() as tx:
        make.paper(tx, "Attention", authors=["A"])
    form_of_key = "Use the letters A–Z, digits and : _ . + / -, starting with a letter or digit."
    page = html.fromstring(ada.get("/papers/1/edit").text)
    assert page.xpath("string(//p[@id='citation_key-help'])") == form_of_key
    form = page.xpath("//form[@action='/papers/1/edit']")[0]
    wrong = html.fromstring(ada.post("/papers/1/edit", data={**dict(form.fields), "citation_key": key}).text)
    assert wrong.xpath("string(//p[@id='citation_key-error'])").strip() == form_of_key
    answer = ada.patch("/api/v1/papers/1", json={"citation_key": key}, headers={"If-Match": '"1.1"'})
    assert form_of_key in answer.text


def test_the_paper_form_corrects_clears_and_keeps_the_input(ada, database):
    with database.write() as tx:
        make.paper(tx, "Atention", year=2020, venue="V", authors=["A"])
    form = html.fromstring(ada.get("/papers/1/edit").text).xpath("//form[@action='/papers/1/edit']")[0]
    shown = {name: value or "" for name, value in form.form_values()}
    wrong = ada.post("/papers/1/edit", data=shown | {"year": "soon", "venue": "W"})
    page = html.fromstring(wrong.text)
    assert (wrong.status_code, page.xpath("//input[@name='venue']/@value")) == (422, ["W"])
    assert (
        ada.post(
            "/papers/1/edit", data=shown | {"title": "Attention", "year": "", "venue": "", "authors": "A\r\nB"}
        ).status_code
        == 303
    )
    now = ada.get("/api/v1/papers/1").json()
    assert (now["title"], now["year"], now["venue"], now["authors"]) == ("Attention", None, "", ["A", "B"])
    stale = ada.post("/papers/1/edit", data=shown | {"title": "Mine"})
    page = html.fromstring(stale.text)
    assert (stale.status_code, page.xpath("//input[@name='title']/@value")) == (409, ["Mine"])
    assert "Attention" in page.xpath("string(//main//dl)")
    again = dict(page.xpath("//form[@action='/papers/1/edit']")[0].form_values())
    assert ada.post("/papers/1/edit", data=again).status_code == 303
    assert ada.get("/api/v1/papers/1").json()["title"] == "Mine"


@pytest.mark.parametrize("is_form", [True, False])
def test_an_author_in_braces_is_an_organization(ada, database, is_form):
    with database.write() as tx:
        make.paper(tx, "Attention", authors=["Google Brain", "Tao He"])
    names = ["{Google Brain}", "{}", "World Health Organization", "He, Tao"]
    form = html.fromstring(ada.get("/papers/1/edit").text).xpath("//form[@action='/papers/1/edit']")[0]
    if is_form:
        shown = {name: value or "" for name, value in form.form_values()}
        ada.post("/papers/1/edit", data=shown | {"authors": "\r\n".join(names)})
    else:
        ada.patch("/api/v1/papers/1", json={"authors": names}, headers={"If-Match": '"1.1"'})
    authors = ada.get("/api/v1/papers/1").json()["authors"]
    assert authors == ["Google Brain", "World Health Organization", "Tao He"]
    exported = ada.get("/api/v1/export?format=bibtex").text
    assert "author = {{Google Brain} and {World Health Organization} and He, Tao}" in exported


def test_a_title_that_is_too_long_is_explained_at_its_field(ada, database):
    with database.write() as tx:
        make.paper(tx, "Attention")
    form = html.fromstring(ada.get("/papers/1/edit").text).xpath("//form[@action='/papers/1/edit']")[0]
    wrong = ada.post("/papers/1/edit", data=dict(form.form_values()) | {"title": "x" * 1001})
    page = html.fromstring(wrong.text)
    assert (wrong.status_code, page.xpath("string(//*[@id='title-error'])")) == (422, "Use at most 1000 characters.")


def test_a_citation_key_can_be_edited_unless_another_paper_has_it(ada, database):
    with database.write() as tx:
        make.paper(tx, "One", citation_key="taken")
        make.paper(tx, "Two")
    form = html.fromstring(ada.get("/papers/2/edit").text).xpath("//form[@action='/papers/2/edit']")[0]
    shown = {name: value or "" for name, value in form.form_values()}
    assert shown["citation_key"] == "paper2"
    refused = ada.post("/papers/2/edit", data=shown | {"citation_key": "Taken", "venue": "W"})
    page = html.fromstring(refused.text)
    assert refused.status_code == 422
    assert page.xpath("//input[@name='citation_key']/@value") == ["Taken"]
    assert "Another paper has this citation key." in page.text_content()
    assert ada.post("/papers/2/edit", data=shown | {"citation_key": "two:24"}).status_code == 303
    assert ada.get("/api/v1/papers/2").json()["citation_key"] == "two:24"
    assert ada.get("/api/v1/papers/2.bib").text.startswith("@misc{two:24,")


def test_deleting_offers_to_restore(people, sign_in, database):
    editor = sign_in(people[1])
    with database.write() as tx:
        make.paper(tx, "Attention")
    assert editor.post("/papers/1/delete").headers["location"] == "/papers"
    [form] = html.fromstring(editor.get("/papers").text).xpath("//*[@id='flash']//form")
    assert editor.post(form.get("action"), data=dict(form.form_values())).headers["location"] == "/papers/1"
    assert [editor.delete("/api/v1/papers/1").status_code for _ in range(2)] == [204, 404]
    assert editor.get("/papers/1").status_code == 404
    assert editor.post("/api/v1/papers/1/restore").json()["title"] == "Attention"


def test_lookup_makes_no_request_and_returns_the_canonical_identifier(ada, database):
    with database.write() as tx:
        make.paper(tx, "Attention", identifier="arxiv:2305.15778")
    here = ada.get("/api/v1/papers/lookup", params={"identifier": "https://arxiv.org/abs/2305.15778v2"}).json()
    assert (here["identifier"], here["paper"]["id"]) == ("arxiv:2305.15778", 1)
    assert ada.get("/api/v1/papers/lookup?identifier=2401.00001").json() == {
        "identifier": "arxiv:2401.00001",
        "paper": None,
    }
    assert ada.get("/api/v1/papers/lookup?identifier=words").json() == {"identifier": None, "paper": None}


def test_papers_are_exported_as_files(ada, database):
    with database.write() as tx:
        paper = make.paper(tx, "Attention", identifier="arxiv:2305.15778", authors=["A. Author"], year=2023)
        make.paper(tx, "Other")
        search.update_papers(tx, [paper.id or 0])
    one = ada.get("/api/v1/papers/1.bib")
    assert (one.headers["content-type"], one.text.count("title = ")) == ("application/x-bibtex; charset=utf-8", 1)
    some = ada.get("/api/v1/export?format=json&q=attention")
    assert some.headers["content-disposition"] == 'attachment; filename="readtrack.json"'
    assert [paper["title"] for paper in some.json()["papers"]] == ["Attention"]
    assert ada.get("/api/v1/export?format=bibtex").text.count("title = ") == 2
    assert ada.get("/api/v1/export?format=../../etc").status_code == 422


def test_an_invalid_search_is_not_an_error_page(ada):
    page = ada.get("/papers?q=stauts:read")
    assert page.status_code == 200
    document = html.fromstring(page.text)
    assert "Unknown filter stauts:" in document.xpath("string(//main)")
    [better] = document.xpath("//main//a[.='status:read']/@href")
    assert better == "/papers?q=status%3Aread"


@pytest.mark.parametrize("q", ["2305.15778", "arXiv:2305.15778v3", "https://arxiv.org/abs/2305.15778v2"])
def test_a_search_for_just_an_identifier_redirects_to_its_paper(ada, database, q):
    with database.write() as tx:
        paper_id = make.paper(tx, identifier="arxiv:2305.15778").id
    answer = ada.get("/papers", params={"q": q})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/papers/{paper_id}")
    beside = ada.get("/papers", params={"q": f"{q} year:none"})
    assert beside.status_code == 200
    assert "isn't in the library" not in beside.text


def test_an_identifier_searched_for_can_be_added_at_once(ada):
    document = html.fromstring(ada.get("/papers?q=2305.15778").text)
    [form] = document.xpath("//main//form[@action='/papers' and @method='post']")
    assert ada.post("/papers", data=dict(form.form_values())).status_code == 303


def test_several_identifiers_in_one_line_are_all_added_or_none(ada, database):
    answer = ada.post("/papers", data={"text": "2305.15778 1706.03762"})
    assert (answer.status_code, answer.headers["location"], count_of(database, Paper)) == (303, "/papers", 2)
    assert ada.post("/papers", data={"text": "2401.00001 https://localhost/x"}).status_code == 422
    assert ada.post("/papers", data={"text": "2401.00001", "status": "nonsense"}).status_code == 422
    assert count_of(database, Paper) == 2


@pytest.mark.parametrize("query", ["topic:nope", "llm topic:nope", "topic:storage topic:nope"])
def test_a_search_in_a_topic_that_there_is_not_says_so(ada, database, query):
    with database.write() as tx:
        make.topic(tx, "Storage")
    shown = ada.get("/papers", params={"q": query}).text
    assert "There is no topic “nope”." in shown
    assert "Try fewer words" not in shown
    assert "There is no topic" not in ada.get("/papers", params={"q": "topic:storage -topic:nope"}).text
