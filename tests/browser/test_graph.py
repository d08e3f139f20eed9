"""Graphs in a real browser: words that lie on nothing, keys, the map under the hand, and all of it without scripts."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from readtrack.infra.models import Relation
from readtrack.workspace.graph.map_job import schedule_map_layout
from tests import make
from tests.browser.test_hostile import IMAGE, SCRIPT, assert_harmless

pytestmark = pytest.mark.slow
TITLES = (
    "Bit-precise just-in-time checkpointing of very large models in the presence of transient failures",
    "大规模语言模型的分布式训练与检查点恢复",
    "チェックポイントと分散学習の高速化について",
    "למידה עמוקה מבוזרת עם נקודות ביקורת",
    SCRIPT,
    IMAGE,
    "Gemini",
)


@pytest.fixture
def ada(live) -> Any:
    """With a topic of twenty papers that hang together, one of them read."""
    with live.database.write() as tx:
        ada = make.visitor(tx, role="editor")
        topic = make.topic(tx, f"Checkpointing of {ada.name}")
        below = make.topic(tx, f"Elastic training of {ada.name}", parent_id=topic.id)
        papers = [make.paper(tx, TITLES[number % 7]) for number in range(20)]
        for number, paper in enumerate(papers):
            make.filed(tx, paper, below if number % 4 == 0 else topic)
        make.reading(tx, ada.id, papers[0].id, "read")
        for one, two in zip(papers, papers[3:], strict=False):
            make.added(tx, Relation(from_id=one.id, to_id=two.id, kind="extends", note=IMAGE))
    return ada, topic.slug


def boxes(page: Page) -> list[dict[str, float]]:
    """Where the words of each node are drawn."""
    found: list[dict[str, float]] = page.locator("[data-node]").evaluate_all(
        "nodes => nodes.map((node) => node.querySelector('.pill, text').getBBox())"
        ".map(({ x, y, width, height }) => ({ x, y, width, height }))"
    )
    return found


def overlapping(found: list[dict[str, float]]) -> int:
    return sum(
        one["x"] < two["x"] + two["width"]
        and two["x"] < one["x"] + one["width"]
        and one["y"] < two["y"] + two["height"]
        and two["y"] < one["y"] + one["height"]
        for place, one in enumerate(found)
        for two in found[place + 1 :]
    )


@pytest.mark.deep
def test_labels_do_not_overlap_and_hostile_ones_are_plain_text(browse, ada):
    visitor, slug = ada
    page = browse(visitor)
    page.goto(f"/topics/{slug}/graph?depth=2")
    assert page.locator("[data-node]").count() == 22
    assert overlapping(boxes(page)) == 0
    assert_harmless(page)
    expect(page.locator("[data-node] title", has_text="alert(1)").first).to_be_attached()


def test_keys_move_through_nodes_and_along_their_links(browse, ada):
    visitor, slug = ada
    page = browse(visitor)
    page.goto(f"/topics/{slug}/graph")
    first = page.locator("[data-node]").first
    first.focus()
    key = first.get_attribute("data-node")
    page.keyboard.press("ArrowDown")
    there = page.evaluate("document.activeElement.dataset.node")
    assert there
    assert there != key
    linked = page.locator(f"path[data-from='{there}'][data-to='{key}'], path[data-from='{key}'][data-to='{there}']")
    expect(linked).not_to_have_count(0)
    expect(page.locator(".looking .node.lit").first).to_be_attached()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/graph" not in url)


@pytest.mark.deep
def test_a_node_announces_its_name_and_state_and_the_table_opens_below_the_graph(browse, ada):
    visitor, slug = ada
    page = browse(visitor)
    page.goto(f"/topics/{slug}/graph")
    expect(page.get_by_role("link", name="Gemini · Read by no one").first).to_be_visible()
    page.locator("#as-table > summary").click()
    expect(page.locator("#as-table tbody tr")).to_have_count(17)
    assert_harmless(page)


@pytest.mark.deep
def test_in_forced_colours_labels_use_the_users_colours(browse, ada):
    visitor, slug = ada
    page = browse(visitor, forced_colors="active", color_scheme="dark")
    page.goto(f"/topics/{slug}/graph")
    drawn = page.locator(".node.paper text").first.evaluate("(text) => getComputedStyle(text).fill")
    assert drawn == page.locator("main h1").evaluate("(head) => getComputedStyle(head).color")


@pytest.mark.deep
def test_a_topic_page_loads_its_graph_when_scrolled_to(browse, ada):
    visitor, slug = ada
    page = browse(visitor)
    page.goto(f"/topics/{slug}")
    page.locator("#graph").scroll_into_view_if_needed()
    expect(page.locator("#graph [data-node]")).to_have_count(17)


@pytest.mark.deep
@pytest.mark.usefixtures("arxiv")  # the worker draws the map
def test_the_map_can_be_dragged_and_works_without_scripts(browse, ada, live):
    visitor, _slug = ada
    schedule_map_layout(live.database)
    page = browse(visitor)
    page.goto("/graph")
    expect(page.locator("#map")).to_be_visible(timeout=20_000)
    page.locator("#map").get_by_role("link", name="Zoom in").click()
    expect(page.locator("#map[data-zoom='1.6']")).to_be_attached()
    page.keyboard.press("+")
    expect(page.locator("#map[data-zoom='2.56']")).to_be_attached()
    before = page.locator("#map").get_attribute("data-x")
    box = page.locator("#map svg").bounding_box()
    assert box
    page.mouse.move(box["x"] + 300, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 300, steps=4)
    page.mouse.up()
    expect(page.locator(f"#map:not([data-x='{before}'])")).to_be_attached()
    assert "/graph" in page.url
    page.keyboard.press("0")
    expect(page.locator("#map[data-zoom='1.0']")).to_be_attached()
    plain = browse(visitor, javascript=False)
    plain.goto("/graph")
    plain.get_by_role("link", name="Zoom in").click()
    assert "zoom=1.6" in plain.url
    assert plain.locator("#map[data-zoom='1.6'] [data-node]").count() > 0
