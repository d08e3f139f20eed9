"""A table of a topic is edited, sorted by what its signs mean, and collided on; with scripts and without."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from readtrack import search
from readtrack.library.comparisons.commands import ComparisonFields, add_comparison
from tests import make
from tests.browser.serving import WITH_AND_WITHOUT

TABLE: dict[str, Any] = {
    "title": "Schedulers",
    "columns": ["機能", "Kubernetes", "Slurm", "説明"],
    "rows": [
        {"cells": ["Gang Scheduling", "△（拡張必要）", "◎（デフォルト）", "Volcano で実現可能 vs 標準機能"]},
        {"cells": ["動的ノード追加", "◎（Cluster Autoscaler）", "△（手動）", "see https://example.org/nodes"]},
        {"cells": ["推論サービング", "◎（KServe, Triton）", "✕（不向き）", "cost $O(n)$"]},
    ],
    "scale": [{"sign": "◎", "meaning": "優秀"}, {"sign": "△", "meaning": "限定的"}, {"sign": "✕", "meaning": "不向き"}],
}


@pytest.fixture
def ed(live):
    with live.database.write() as tx:
        search.ensure(tx)
        make.topic(tx, "Clusters")
        ed = make.visitor(tx, "Ed Example", role="editor")
        paper = make.paper(tx, "Gang Scheduling for Deep Learning")
        rows = [{**row, "paper": paper.id if at == 0 else None} for at, row in enumerate(TABLE["rows"])]
        add_comparison(tx, ed, "clusters", ComparisonFields.model_validate({**TABLE, "rows": rows}))
    return ed


def column(page: Page, number: int) -> list[str]:
    return page.locator(f".comparison tbody tr > :nth-child({number})").all_inner_texts()


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_a_table_is_edited_and_sorted_by_its_rating_scale(browse, ed, javascript):
    page = browse(ed, javascript=javascript)
    page.goto("/topics/clusters")
    page.get_by_role("link", name="Edit Schedulers").click()
    page.get_by_role("button", name="Add row").click()
    page.get_by_label("Row 4, column 1").fill("Quotas")
    page.get_by_label("Row 4, column 3").fill("△ by account")
    page.get_by_role("button", name="Move row 4 up").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Schedulers")).to_be_visible()
    assert [row[0] for row in column(page, 1)] == ["G", "動", "Q", "推"]
    page.get_by_role("link", name="Slurm").click()
    expect(page.get_by_role("columnheader", name="Slurm")).to_have_attribute("aria-sort", "ascending")
    assert [text[0] for text in column(page, 3)] == ["◎", "△", "△", "✕"]
    page.get_by_role("link", name="Slurm").click()
    expect(page.get_by_role("columnheader", name="Slurm")).to_have_attribute("aria-sort", "descending")
    assert [text[0] for text in column(page, 3)] == ["✕", "△", "△", "◎"]


@pytest.mark.deep
def test_two_editors_of_one_table_lose_nothing(browse, ed):
    one, other = browse(ed), browse(ed)
    for page in (one, other):
        page.goto("/comparisons/1/edit")
    one.get_by_label("Row 1, column 2").fill("○ by a plugin")
    one.get_by_role("button", name="Save", exact=True).click()
    expect(one.get_by_role("heading", name="Schedulers")).to_be_visible()
    other.get_by_label("Row 2, column 4").fill("What I typed meanwhile")
    other.get_by_role("button", name="Save", exact=True).click()
    expect(other.get_by_text("Someone else saved a newer version")).to_be_visible()
    expect(other.get_by_label("Row 2, column 4")).to_have_value("What I typed meanwhile")
    expect(other.locator("pre")).to_contain_text("○ by a plugin")


@pytest.mark.deep
def test_a_wide_table_scrolls_within_itself_on_a_phone(browse, ed):
    page = browse(ed)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/topics/clusters")
    table = page.get_by_role("region", name="Schedulers")
    head = page.locator(".comparison tbody th").first
    before = head.bounding_box()
    assert table.evaluate("node => node.scrollWidth > node.clientWidth")
    table.evaluate("node => { node.scrollLeft = 200 }")
    after = head.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["x"] - after["x"]) < 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
