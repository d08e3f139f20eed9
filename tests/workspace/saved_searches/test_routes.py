"""Saved views in a browser and as JSON: saved, shown, changed, put in order; counted for who asks; where one begins."""

import pytest
from lxml import html

from readtrack import search
from readtrack.infra.models import SavedSearch
from tests import make

pytestmark = pytest.mark.slow  # many requests to a whole application; `make check` is to be quick
API = "/api/v1/views"


@pytest.fixture
def people(database):
    with database.write() as tx:
        search.ensure(tx)
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Bo"), make.visitor(tx, "Edith", role="editor")]


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people[0])


@pytest.fixture
def bo(people, sign_in):
    return sign_in(people[1])


def page(browser, address):
    answer = browser.get(address)
    assert answer.status_code == 200, answer.text
    return html.fromstring(answer.text)


def words(element):
    return " ".join(element.text_content().split())


def beside(browser, address="/topics"):
    return [words(link) for link in page(browser, address).xpath("//*[@id='views-beside']//bdi")]


def saved(browser, **fields):
    answer = browser.post(API, json={"name": "Unread", **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def version(browser, view_id):
    return browser.get(f"{API}/{view_id}").headers["etag"]


@pytest.mark.deep
def test_a_search_saved_from_the_library_is_in_the_sidebar_and_links_back(ada, bo, database):
    with database.write() as tx:
        make.paper(tx, "On recovery", year=2020)
        make.paper(tx, "On speed", year=2024)
    [form] = page(ada, "/papers?q=year:2020&sort=title&display=table").xpath("//form[@action='/views']")
    fields = {field.get("name"): field.value or "" for field in form.xpath(".//input[@type='hidden']")}
    answer = ada.post("/views", data={**fields, "name": "Old ones"})
    assert answer.status_code == 303
    shown = page(ada, answer.headers["location"])
    assert "On recovery" in words(shown)
    assert "On speed" not in words(shown)
    assert words(shown.xpath("//*[@id='views-beside']//a[@aria-current]")[0]) == "Old ones"
    assert (beside(ada), beside(bo)) == (["Old ones"], [])
    [view] = ada.get(API).json()["items"]
    assert (view["q"], view["sort"], view["display"], view["shared"]) == ("year:2020", "title", "table", False)
    assert ada.get(f"/views/{view['id']}").headers["location"] == answer.headers["location"]


def test_an_invalid_saved_search_form_keeps_all_input(ada):
    answer = ada.post("/views", data={"name": "Broken", "q": "(a", "sort": "title"})
    assert answer.status_code == 422
    form = html.fromstring(answer.text).xpath("//form[@action='/views']")[0]
    typed = {field.get("name"): field.value for field in form.xpath(".//input[@type='text' or @type='hidden']")}
    assert (typed["name"], typed["q"]) == ("Broken", "(a")
    assert form.xpath(".//select[@name='sort']/option[@selected]/@value") == ["title"]
    assert ada.get(API).json()["items"] == []


def test_a_shared_saved_search_is_in_everybodys_sidebar_until_it_is_private_again(ada, bo):
    view_id = saved(ada)
    assert ada.post(f"/views/{view_id}/share", data={"shared": "1"}).status_code == 303
    assert beside(bo) == ["Unread"]
    assert bo.post(f"/views/{view_id}/share", data={"shared": "0"}).status_code == 403
    assert ada.post(f"/views/{view_id}/share", data={"shared": "0"}).status_code == 303
    assert beside(bo) == []
    assert bo.get(f"{API}/{view_id}").status_code == 404


def test_two_concurrent_editors_of_one_saved_search_lose_nothing(ada, sign_in, people):
    view_id = saved(ada, shared=True)
    form = {"name": "Mine", "q": "a", "shared": "1", "version": "1"}
    assert sign_in(people[2]).post(f"/views/{view_id}/edit", data={**form, "name": "Hers"}).status_code == 303
    answer = ada.post(f"/views/{view_id}/edit", data=form)
    assert answer.status_code == 409
    document = html.fromstring(answer.text)
    assert document.xpath("//input[@name='name']/@value") == ["Mine"]
    assert "Hers" in words(document.xpath("//dl")[0])
    again = {**form, "version": document.xpath("//input[@name='version']/@value")[0]}
    assert ada.post(f"/views/{view_id}/edit", data=again).status_code == 303
    assert beside(ada) == ["Mine"]


def test_a_deleted_saved_search_is_restored_with_one_click(ada):
    view_id = saved(ada)
    assert ada.post(f"/views/{view_id}/delete").status_code == 303
    document = page(ada, "/views")
    assert beside(ada) == []
    [undo] = document.xpath("//*[@id='flash']//form/@action")
    assert ada.post(undo, data={"next": "/views"}).status_code == 303
    assert beside(ada) == ["Unread"]


def test_saved_searches_are_reordered_on_the_page_and_through_the_api(ada):
    ids = [saved(ada, name=name) for name in ("One", "Two", "Three")]
    assert ada.post(f"/views/{ids[2]}/move", data={"to": "up"}).status_code == 303
    assert beside(ada) == ["One", "Three", "Two"]
    assert ada.post(f"{API}/{ids[1]}/move", json={"to": "top"}).status_code == 204
    assert beside(ada) == ["Two", "One", "Three"]
    assert [view["name"] for view in ada.get(API).json()["items"]] == ["Two", "One", "Three"]
    assert ada.post(f"/views/{ids[0]}/move", data={"to": "sideways"}).status_code == 303
    assert beside(ada) == ["Two", "One", "Three"]


def test_counts_load_after_the_page_and_depend_on_the_person(ada, bo, database, people):
    saved(ada, name="Waiting", q="status:to_read", shared=True)
    with database.write() as tx:
        make.reading(tx, people[1].id, make.paper(tx).id, "to_read", private=True)
    [lazy] = page(ada, "/topics").xpath("//*[@hx-trigger='load' and starts-with(@hx-get, '/views/counts')]/@hx-get")
    counted = [words(page(browser, lazy)) for browser in (ada, bo)]
    assert [text.rsplit(" ", 1)[-1][-1] for text in counted] == ["0", "1"]
    assert ada.get(lazy).headers["cache-control"] == "private, max-age=30"


def test_a_private_reading_changes_nothing_in_a_shared_saved_search_for_others(ada, bo, database, people):
    view_id = saved(ada, name="Read", q="readers:>0", shared=True)
    doors = (
        f"/api/v1/papers?view={view_id}",
        "/views/counts",
        f"/feeds/{view_id}.atom",
        f"/api/v1/export?format=csv&view={view_id}",
    )
    with database.write() as tx:
        paper_id = make.paper(tx).id
    before = [(ada.get(door).text, ada.get(door).headers.get("etag")) for door in doors]
    feed = bo.get(doors[2]).text
    with database.write() as tx:
        make.reading(tx, people[1].id, paper_id, "read", private=True)
    assert [(ada.get(door).text, ada.get(door).headers.get("etag")) for door in doors] == before
    assert bo.get(doors[2]).text == feed


def test_a_merge_patch_to_a_saved_search_requires_its_version(ada, sign_in, people):
    view_id = saved(ada, q="b a", columns=["year"], display="table", shared=True)
    seen = {"If-Match": version(ada, view_id)}
    assert ada.patch(f"{API}/{view_id}", json={"name": "New"}).status_code == 428
    answer = ada.patch(f"{API}/{view_id}", json={"name": "New"}, headers=seen)
    assert (answer.status_code, answer.json()["name"], answer.json()["columns"]) == (200, "New", ["year"])
    stale = ada.patch(f"{API}/{view_id}", json={"name": "Newer"}, headers=seen)
    assert (stale.status_code, stale.json()["current"]["name"]) == (412, "New")
    wrong = ada.patch(f"{API}/{view_id}", json={"q": "(a"}, headers={"If-Match": version(ada, view_id)})
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "/q")
    edith = sign_in(people[2])
    gone = edith.patch(f"{API}/{view_id}", json={"shared": False}, headers={"If-Match": version(edith, view_id)})
    assert (gone.status_code, edith.get(f"{API}/{view_id}").status_code) == (204, 404)


def test_the_papers_of_a_saved_search_are_listed_and_exported_by_its_id(ada, bo, database):
    with database.write() as tx:
        for year in (2020, 2024, 2020):
            make.paper(tx, f"Of {year}", year=year)
    view_id = saved(ada, q="year:2020", sort="added-asc")
    listed = ada.get("/api/v1/papers", params={"view": view_id, "limit": 1})
    rest = ada.get("/api/v1/papers", params={"view": view_id, "after": listed.json()["next"]})
    assert [paper["id"] for answer in (listed, rest) for paper in answer.json()["items"]] == [1, 3]
    exported = ada.get("/api/v1/export", params={"format": "json", "view": view_id}).json()
    assert [paper["id"] for paper in exported["papers"]] == [1, 3]
    assert ada.get("/api/v1/papers", params={"view": view_id, "q": "a"}).status_code == 422
    assert bo.get("/api/v1/papers", params={"view": view_id}).status_code == 404


def test_the_chosen_start_page_is_used_and_home_stays_available(ada, bo):
    view_id = saved(ada, shared=True)
    assert ada.get("/").status_code == 200
    for start, leads in (("queue", "/queue"), (f"view:{view_id}", f"/papers?view={view_id}"), ("home", None)):
        answer = ada.post("/settings/appearance", data={"theme": "system", "single_keys": "1", "start": start})
        assert answer.status_code == 303
        begins = ada.get("/")
        assert begins.headers.get("location") == leads
        assert ada.get("/home").status_code == 200
        assert ada.get("/api/v1/me").json()["start"] == start
    assert bo.patch("/api/v1/me", json={"start": f"view:{view_id}"}).status_code == 200
    assert bo.get("/").status_code == 303
    ada.post(f"/views/{view_id}/share", data={"shared": "0"})
    assert bo.get("/").status_code == 200  # it is his no longer: home
    assert bo.patch("/api/v1/me", json={"start": "https://evil.example"}).status_code == 422


@pytest.mark.deep
def test_the_sidebar_takes_the_same_statements_for_many_saved_searches_as_for_one(ada, database, people, statements):
    saved(ada)

    def cost():
        with statements() as seen:
            assert ada.get("/views/counts").status_code == 200
        return len(seen)

    one = cost()
    with database.write() as tx:
        for number in range(30):
            make.added(tx, SavedSearch(person_id=people[0].id, name=f"View {number}", q="status:read"))
    assert cost() == one


def test_a_saved_search_with_a_hostile_name_is_plain_text_everywhere(ada, bo):
    name = "<script>alert(1)</script>\u202e\"'"
    view_id = saved(ada, name=name, shared=True)
    for address in ("/views", "/views/counts", f"/views/{view_id}/feed", f"/papers?view={view_id}", "/activity"):
        assert "<script>alert" not in bo.get(address).text, address
    assert "<script>alert" not in ada.get(f"/views/{view_id}/edit").text
