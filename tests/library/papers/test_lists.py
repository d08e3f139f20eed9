"""The library in a browser: list, table, columns, groups, density, page after page and back, what narrows it down."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from readtrack.infra.models import Person
from readtrack.infra.pagination import Page, PageRequest
from readtrack.library.papers import lists
from readtrack.library.papers.lists import SORTS, PaperFilter, PaperRow
from tests import make
from tests.depth import examples, some
from tests.tables import cases

pytestmark = pytest.mark.slow  # each asks a whole application


@pytest.fixture
def ada_(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.fixture
def ada(ada_, sign_in):
    return sign_in(ada_)


def page_of(answer):
    assert answer.status_code == 200, answer.text
    return html.fromstring(answer.text)


def titles(page):
    return [" ".join(title.text_content().split()) for title in page.xpath("//*[@data-row]//a[@class='title']")]


def link(page, text):
    [href] = page.xpath(f"//a[normalize-space()='{text}']/@href")
    return href


def fill(database, count, **fields):
    with database.write() as tx:
        return [make.paper(tx, f"Paper {number:03}", **fields).id for number in range(count)]


@pytest.fixture
def one_paper(database):
    return fill(database, 1, year=2020)


@pytest.mark.both_databases
def test_newer_goes_back_exactly_one_page(ada, database):
    fill(database, 130)
    pages = [page_of(ada.get("/papers"))]
    for _ in range(2):
        pages.append(page_of(ada.get(link(pages[-1], "Older"))))
    second = page_of(ada.get(link(pages[2], "Newer")))
    assert titles(second) == titles(pages[1])
    first = page_of(ada.get(link(second, "Newer")))
    assert titles(first) == titles(pages[0])
    assert not first.xpath("//a[@rel='prev']")
    assert titles(page_of(ada.get(link(second, "Older")))) == titles(pages[2])


@pytest.mark.deep
@pytest.mark.parametrize("sort", sorted(SORTS))
def test_paging_back_equals_paging_forth_in_every_order(database, ada_, sort):
    paper = st.tuples(st.sampled_from("abc"), st.none() | st.integers(2020, 2021))

    @settings(max_examples=examples(6))
    @given(st.lists(paper, min_size=1, max_size=8), st.integers(1, 4))
    def walk(papers, limit):
        with database.write() as tx:
            for title, year in papers:
                make.paper(tx, title, year=year)
        with database.read() as tx:
            pages: list[Page[PaperRow]] = []
            cut: PageRequest | None = PageRequest(limit + len(pages_of_all(tx, ada_)) // 5)
            while cut is not None:
                pages.append(lists.list_papers(tx, ada_, PaperFilter(sort=sort), cut))
                cut = after(cut, pages[-1].next)
            for earlier, later in itertools.pairwise(pages):
                back = PageRequest(len(earlier.items), carried(later.first), back=True)
                assert ids(lists.list_papers(tx, ada_, PaperFilter(sort=sort), back)) == ids(earlier)

    walk()


def pages_of_all(tx, me):
    return lists.list_papers(tx, me, PaperFilter(), PageRequest(10_000)).items


def ids(page):
    return [row.id for row in page.items]


def carried(place):
    value, row_id = place
    return (value if isinstance(value, int | str | float) else str(value)), row_id


def after(cut, place):
    return place and PageRequest(cut.limit, carried(place))


@pytest.mark.deep
def test_list_and_table_of_one_query_have_the_same_papers(ada, database):
    fill(database, 5, year=2020)
    listed = page_of(ada.get("/papers?q=year:2020&sort=title"))
    table = page_of(ada.get(link(listed, "Table")))
    assert titles(table) == titles(listed) == [f"Paper {number:03}" for number in range(5)]
    assert titles(page_of(ada.get(link(table, "List")))) == titles(listed)


def sort_menu(page):
    [menu] = page.xpath("//details[@id='sorting']")
    current = [" ".join(link.text_content().split()) for link in menu.xpath(".//a[@aria-current]")]
    return " ".join(menu.xpath("summary")[0].text_content().split()), current


def test_a_list_is_sorted_by_a_menu_that_shows_the_current_sort(ada, database):
    fill(database, 3)
    newest = page_of(ada.get("/papers"))
    assert sort_menu(newest) == ("Sort: Date added", ["Date added", "Descending"])
    by_title = page_of(ada.get(link(newest, "Title")))
    assert sort_menu(by_title) == ("Sort: Title", ["Title", "Ascending"])
    assert titles(by_title) == ["Paper 000", "Paper 001", "Paper 002"]
    falling = page_of(ada.get(link(by_title, "Descending")))
    assert sort_menu(falling) == ("Sort: Title", ["Title", "Descending"])
    assert titles(falling) == ["Paper 002", "Paper 001", "Paper 000"]
    assert link(falling, "Date added") == "/papers"
    assert not page_of(ada.get("/papers?display=table")).xpath("//details[@id='sorting']")


@cases(
    ("address", "current"),
    [
        ("/papers?q=paper", ["Best match"]),
        ("/papers?q=paper&sort=year", ["Year", "Descending"]),
        ("/papers?q=paper+sort%3Ayear-asc", ["Year", "Ascending"]),
        ("/papers?q=paper&sort=due", ["Due date", "Ascending"]),
        ("/papers?q=paper&group=year", ["Date added", "Descending"]),
        ("/papers?q=paper&group=year&sort=due", ["Date added", "Descending"]),
    ],
)
def test_the_sort_menu_shows_what_the_list_is_sorted_by(ada, one_paper, address, current):
    assert sort_menu(page_of(ada.get(address)))[1] == current


def test_sorting_by_another_key_replaces_the_sort_of_the_query(ada, database):
    fill(database, 1)
    page = page_of(ada.get("/papers?q=paper+sort%3Ayear&group=topic"))
    assert link(page, "Title") == "/papers?q=paper&sort=title&group=topic"
    assert "Best match" not in sort_menu(page)[0]


def test_a_table_has_the_chosen_columns(ada, database):
    fill(database, 1, year=2020, venue="OSDI")
    table = page_of(ada.get("/papers?display=table&columns=year&columns=venue,colour"))
    heads = [" ".join(head.text_content().split()) for head in table.xpath("//thead//th")]
    assert heads == ["My status", "Title", "Year", "Venue"]
    assert [cell.text_content().strip() for cell in table.xpath("//tbody//td")[1:]] == ["2020", "OSDI"]
    chosen = table.xpath("//input[@name='columns'][@checked]/@value")
    assert sorted(chosen) == ["venue", "year"]


def test_a_column_heading_shows_its_sort_direction(ada, database):
    fill(database, 2, year=2020)
    table = page_of(ada.get("/papers?display=table&sort=year"))
    [head] = table.xpath("//th[@aria-sort]")
    assert (head.text_content().strip(), head.get("aria-sort")) == ("Year", "descending")
    turned = page_of(ada.get(head.xpath(".//a/@href")[0]))
    assert turned.xpath("//th/@aria-sort") == ["ascending"]


def test_setting_a_status_in_the_table_returns_to_it(ada, database):
    fill(database, 1)
    table = page_of(ada.get("/papers?display=table&sort=year"))
    [back] = table.xpath("//template[@id='status-menu']//input[@name='next']/@value")
    assert back == "/papers?display=table&sort=year"


@pytest.mark.both_databases
def test_groups_have_headings_and_links_to_all_their_papers(ada, database):
    fill(database, 2, year=2020)
    fill(database, 1, year=2021)
    fill(database, 1)
    page = page_of(ada.get("/papers?group=year&sort=title"))
    headings = [" ".join(heading.text_content().split()) for heading in page.xpath("//section[@class='group']//h2")]
    assert headings == ["2021", "2020", "Unknown"]
    [all_of_2020] = page.xpath("//a[@aria-label='Show all: 2020']/@href")
    assert titles(page_of(ada.get(all_of_2020))) == ["Paper 000", "Paper 001"]


@pytest.mark.deep
def test_a_group_continued_on_the_next_page_gets_its_heading_again(ada, database):
    fill(database, 60, year=2020)
    older = page_of(ada.get(link(page_of(ada.get("/papers?group=year")), "Older")))
    assert len(titles(older)) == 10
    assert [heading.text_content().strip() for heading in older.xpath("//section[@class='group']//h2")] == ["2020"]


def test_the_row_density_is_saved_for_all_lists(ada, ada_, database):
    fill(database, 1)
    answer = ada.post("/papers/density", data={"density": "dense", "next": "/papers?sort=title"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/papers?sort=title")
    assert page_of(ada.get("/papers")).xpath("//*[contains(@class, 'papers dense')]")
    ada.post("/papers/density", data={"density": "airy"})
    assert not page_of(ada.get("/papers")).xpath("//*[contains(@class, 'papers dense')]")
    with database.read() as tx:
        assert tx.get(Person, ada_.id).density == "airy"


def test_an_unknown_density_is_refused(ada):
    assert ada.post("/papers/density", data={"density": "foggy"}).status_code == 422


def test_facets_are_a_fragment_or_a_page(ada, database):
    fill(database, 3, year=2020, venue="OSDI")
    fill(database, 2, year=2021, venue="OSDI")
    page = page_of(ada.get("/papers/facets?q=kind:paper&sort=title"))
    assert not page.xpath("//section[h2='Venue']"), "what all of them have narrows nothing down"
    _, year = page.xpath("//section[h2='Year']//a")
    assert " ".join(year.text_content().split()) in {"20203", "2020 3"}
    assert titles(page_of(ada.get(year.get("href")))) == ["Paper 000", "Paper 001", "Paper 002"]
    part = ada.get("/papers/facets?q=kind:paper", headers={"HX-Request": "true", "HX-Request-Type": "partial"})
    assert "<html" not in part.text
    assert "5 papers<" in part.text


def test_an_invalid_query_is_reported_in_the_facets_too(ada):
    assert "Unknown filter stats:" in page_of(ada.get("/papers/facets?q=stats:x")).text_content()


@pytest.mark.both_databases
def test_page_and_api_count_and_group_alike(ada, database):
    fill(database, 3, year=2020)
    fill(database, 2, year=2021)
    counted = ada.get("/api/v1/papers/facets?q=kind:paper").json()
    assert (counted["total"], counted["bounded"]) == (5, False)
    assert counted["facets"]["year"] == [
        {"value": "2021", "text": "2021", "papers": 2},
        {"value": "2020", "text": "2020", "papers": 3},
    ]
    found, address = [], "/api/v1/papers/groups?by=year&limit=2"
    while address:
        answer = ada.get(address)
        found += [(item["group"], item["paper"]["title"]) for item in answer.json()["items"]]
        address = answer.headers.get("link", "").partition(">")[0].removeprefix("<")
    page = page_of(ada.get("/papers?group=year"))
    assert [title for _, title in found] == titles(page)
    assert [group for group, _ in found] == ["2021"] * 2 + ["2020"] * 3


def test_a_cursor_is_valid_only_for_its_grouping(ada, database):
    fill(database, 3, year=2020)
    cursor = ada.get("/api/v1/papers/groups?by=year&limit=1").json()["next"]
    assert ada.get(f"/api/v1/papers/groups?by=venue&after={cursor}").status_code == 400


@pytest.mark.parametrize("how", some(["", "display=table", "group=topic", "group=status&display=table"], 2))
def test_the_library_page_takes_a_fixed_number_of_statements(ada, database, statements, how):
    def ask():
        with statements() as seen:
            page_of(ada.get(f"/papers?{how}"))
        return len(seen)

    fill(database, 1)
    ask()
    before = ask()
    fill(database, 30)
    assert ask() <= before
