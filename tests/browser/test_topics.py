"""Topics in a browser: merged, split and both undone, put in order by keys, and their links."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from readtrack.infra.db import Database
from readtrack.infra.models import PaperTopic
from readtrack.infra.permissions import CurrentUser
from tests import make
from tests.browser.serving import WITH_AND_WITHOUT, Live, serving

NAMES = {"Checkpointing": ("ckpt", "チェックポイント"), "Snapshots": ("检查点",)}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for this file; each test leaves the library as it found it, or has a topic of its own."""

    def fill(database: Database) -> None:
        with database.write() as tx:
            for name, aliases in NAMES.items():
                topic = make.topic(tx, name, aliases=aliases, markdown=f"What is known of {name}.")
                for number in range(3):
                    make.filed(tx, make.paper(tx, f"{name} {number}"), topic)
            ordered = make.topic(tx, "Ordered")
            for place, title in enumerate(("Alpha", "Beta", "Gamma", "Delta"), start=1):
                at = place * 10 if place < 4 else None
                tx.add(PaperTopic(paper_id=make.paper(tx, title).id, topic_id=ordered.id, position=at))

    with serving(tmp_path_factory.mktemp("topics"), None, fill) as live:
        yield live


@pytest.fixture
def ada(live) -> CurrentUser:
    with live.database.write() as tx:
        return make.visitor(tx, role="editor")


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_two_topics_are_merged_after_a_preview_and_unmerged(browse, ada, javascript):
    page = browse(ada, javascript=javascript)
    page.goto("/topics/snapshots")
    page.locator(".head .menu summary").click()
    page.get_by_role("link", name="Merge", exact=True).click()
    page.get_by_label("Merge into").fill("ckpt")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".will")).to_contain_text("3 papers")
    expect(page.get_by_text("Aliases: Snapshots, 检查点")).to_be_visible()
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.get_by_role("heading", name="Checkpointing", level=1)).to_be_visible()
    expect(page.get_by_text("What is known of Snapshots.")).to_be_visible()
    expect(page.locator(".numbers")).to_contain_text("6 papers")
    page.get_by_role("button", name="Unmerge").click()
    expect(page.locator(".numbers")).to_contain_text("3 papers")
    page.goto("/topics/snapshots")
    expect(page.get_by_text("Aliases: 检查点")).to_be_visible()
    expect(page.locator("#papers .title")).to_have_count(3)


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_a_topic_is_split_after_a_preview_and_rejoined(browse, ada, javascript):
    page = browse(ada, javascript=javascript)
    page.goto("/topics/checkpointing/split")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Move to").fill("Replicas")
    page.get_by_label("Checkpointing 1").check()
    page.get_by_label("チェックポイント").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Move to a new topic “Replicas”:")).to_be_visible()
    expect(page.locator(".will > li")).to_contain_text(["1 paper", "Aliases: チェックポイント"])
    page.get_by_role("button", name="Split", exact=True).click()
    expect(page.get_by_role("heading", name="Replicas", level=1)).to_be_visible()
    expect(page.locator("#papers .title")).to_have_text(["Checkpointing 1"])
    page.get_by_role("button", name="Undo").click()
    page.goto("/topics/checkpointing")
    expect(page.get_by_text("Aliases: ckpt, チェックポイント")).to_be_visible()
    expect(page.locator("#papers .title")).to_have_count(3)
    assert page.goto("/topics/replicas").status == 404


@pytest.mark.deep
def test_keys_reorder_the_papers_of_a_topic_and_the_row_keeps_the_focus(browse, ada):
    page = browse(ada)
    page.goto("/topics/ordered")
    page.wait_for_selector("[data-htmx-powered]", state="attached")
    page.keyboard.press("j")
    for key, order in (
        ("Alt+ArrowDown", ("Beta", "Alpha", "Gamma")),
        ("B", ("Beta", "Gamma", "Alpha")),
        ("T", ("Alpha", "Beta", "Gamma")),
    ):
        page.keyboard.press(key)
        ordered(page, *order)
        expect(page.locator("#order").get_by_role("link", name="Alpha")).to_be_focused()


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_a_paper_is_added_to_the_reading_order_removed_and_restored(browse, ada, javascript):
    page = browse(ada, javascript=javascript)
    page.goto("/topics/ordered")
    page.locator("#order").get_by_text("Add paper").click()
    page.locator("#order").get_by_label("Paper", exact=True).select_option("Delta")
    page.locator("#order").get_by_role("button", name="Add", exact=True).click()
    ordered(page, "Alpha", "Beta", "Gamma", "Delta")
    page.get_by_label("Move up: Delta").click()
    ordered(page, "Alpha", "Beta", "Delta", "Gamma")
    out(page, "Beta")
    ordered(page, "Alpha", "Delta", "Gamma")
    page.get_by_role("button", name="Undo").click()
    ordered(page, "Alpha", "Beta", "Delta", "Gamma")
    out(page, "Delta")
    ordered(page, "Alpha", "Beta", "Gamma")


@pytest.mark.deep
def test_a_link_is_added_to_a_topic_and_a_library_paper_is_filed_instead(browse, ada, live):
    with live.database.write() as tx:
        make.paper(tx, "Known Already", identifier="arxiv:2305.15778")
    page = browse(ada)
    page.goto("/topics/checkpointing")
    add_link(page, "javascript:alert(1)")
    expect(page.get_by_role("alert")).to_contain_text("Enter an http:// or https:// address")
    page.get_by_label("URL").fill("https://arxiv.org/abs/2305.15778")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("link", name="Known Already")).to_be_visible()
    expect(page.get_by_role("button", name="Add paper to topic")).to_be_visible()
    page.get_by_label("URL").fill("https://github.com/pytorch/torchsnapshot")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(
        page.locator("#links").get_by_role("link", name="github.com/pytorch/torchsnapshot", exact=True)
    ).to_be_visible()
    page.get_by_role("button", name="Remove github.com/pytorch/torchsnapshot").click()
    expect(page.locator("#links .where")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#links .where")).to_have_count(1)


@pytest.mark.deep
def test_renaming_a_topic_keeps_the_old_name_as_an_alias_unless_deselected(browse, ada, live):
    with live.database.write() as tx:
        make.topic(tx, "Elastic")
    page = browse(ada)
    rename(page, "Elastic training", keep=True)
    expect(page.get_by_text("Aliases: Elastic")).to_be_visible()
    rename(page, "Elasticity", keep=False)
    expect(page.get_by_text("Aliases: Elastic", exact=True)).to_be_visible()


def ordered(page: Page, *titles: str) -> None:
    expect(page.locator("#order .title")).to_have_text([*titles])


def out(page: Page, title: str) -> None:
    page.get_by_label(f"More: {title}").click()
    page.locator("#order details[open]").get_by_role("button", name="Remove").click()


def add_link(page: Page, address: str) -> None:
    page.locator("#links").get_by_text("Add link").click()
    page.get_by_label("URL").fill(address)
    page.locator("#links").get_by_role("button", name="Add", exact=True).click()


def rename(page: Page, name: str, *, keep: bool) -> None:
    page.goto("/topics/elastic/edit")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Keep the old name as an alias when renaming").set_checked(keep)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("heading", name=name, level=1).wait_for()
