"""Two people edit one topic before two browsers: what does not touch comes together, the rest is theirs to decide."""

import re
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, expect
from sqlmodel import col

from readtrack.infra.models import Topic, TopicVersion
from tests import make
from tests.browser.serving import Live, serving
from tests.depth import some

BEGUN = "Experts are chosen by a router.\n\nTraining them is unstable.\n\n負荷の偏りが問題になる。"

MARKED = r"\[Version 2, .+:\]\nTraining them is stable by now\.\n\[Yours:\]\nTraining .+ money\.\n\[End\]\n\n負荷"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for this file."""
    with serving(tmp_path_factory.mktemp("collisions"), None) as live:
        yield live


@pytest.fixture
def slug(live) -> str:
    """A topic of this test's own."""
    with live.database.write() as tx:
        return make.topic(tx, markdown=BEGUN).slug


@pytest.fixture
def ada(browse, live) -> Page:
    return window(browse, live)


@pytest.fixture
def bo(browse, live) -> Page:
    return window(browse, live)


def window(browse, live, **how) -> Page:
    with live.database.write() as tx:
        editor = make.visitor(tx, role="editor")
    page: Page = browse(editor, **how)
    return page


def write(page: Page, slug: str, text: str) -> None:
    page.goto(f"/topics/{slug}/edit")
    page.get_by_label("Text", exact=True).fill(text)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def history(live, slug: str) -> list[str]:
    with live.database.read() as tx:
        mine = sa.select(col(TopicVersion.markdown)).join(Topic, col(Topic.id) == col(TopicVersion.topic_id))
        return list(tx.scalars(mine.where(col(Topic.slug) == slug).order_by(col(TopicVersion.number))))


def collide(ada: Page, bo: Page, slug: str) -> tuple[str, str]:
    """Both change the same sentence; Bo is shown what Ada saved."""
    theirs, mine = BEGUN.replace("unstable", "stable by now"), BEGUN.replace("unstable", "a question of money")
    write(ada, slug, theirs)
    write(bo, slug, mine)
    save(ada)
    expect(ada).to_have_url(f"/topics/{slug}")
    save(bo)
    expect(bo.get_by_role("heading", name="Edit conflict")).to_be_visible()
    return theirs, mine


def test_edits_that_do_not_overlap_are_merged(ada, bo, live, slug):
    theirs, mine = BEGUN.replace("a router", "two routers"), BEGUN.replace("偏り", "集中")
    write(ada, slug, theirs)
    write(bo, slug, mine)
    save(ada)
    expect(ada).to_have_url(f"/topics/{slug}")
    save(bo)
    expect(bo.get_by_text("Merged with version 2, saved while you were editing.")).to_be_visible()
    expect(bo.locator("#version-4 ins")).to_have_text("two routers")
    both = mine.replace("a router", "two routers")
    assert history(live, slug) == [BEGUN, theirs, mine, both]


@pytest.mark.deep
def test_a_conflict_shows_three_texts_with_few_highlights(ada, bo, slug):
    collide(ada, bo, slug)
    panes = bo.locator(".clash .pane")
    expect(panes.nth(0).locator("ins")).to_have_text("stable by now")
    expect(panes.nth(1).locator("ins")).to_have_text("a question of money")
    bo.get_by_text("Original (version 1)").click()
    expect(bo.get_by_text("Training them is unstable.").last).to_be_visible()


@pytest.mark.parametrize(
    "button",
    some(["Save mine", "Keep version 2", "Keep both", "Save"], 1),
)
def test_each_way_to_resolve_a_conflict_is_saved_and_loses_nothing(ada, bo, live, slug, button):
    theirs, mine = collide(ada, bo, slug)
    if button == "Save":
        field = bo.get_by_label("Merged text")
        expect(field).to_have_value(re.compile(MARKED))
        field.fill("Ours.")
    bo.get_by_role("button", name=button, exact=True).click()
    expect(bo).to_have_url(f"/topics/{slug}")
    came = {
        "Save mine": [mine],
        "Keep version 2": [mine, theirs],
        "Keep both": [f"{theirs}\n\n---\n\n{mine}"],
        "Save": ["Ours."],
    }
    assert history(live, slug) == [BEGUN, theirs, *came[button]]


@pytest.mark.deep
def test_a_conflict_is_resolved_without_scripts(browse, live, ada, slug):
    bo = window(browse, live, javascript=False)
    _theirs, mine = collide(ada, bo, slug)
    bo.get_by_role("button", name="Save mine").click()
    expect(bo).to_have_url(f"/topics/{slug}")
    assert history(live, slug)[-1] == mine


@pytest.mark.deep
def test_versions_are_compared_and_one_is_restored(ada, live, slug):
    write(ada, slug, BEGUN.replace("偏り", "集中"))
    save(ada)
    expect(ada).to_have_url(f"/topics/{slug}")
    ada.goto(f"/topics/{slug}/versions")
    ada.get_by_role("link", name="Compare with current version").click()
    expect(ada.locator("#compared ins")).to_have_text("集中")
    expect(ada.locator("#compared del")).to_have_text("偏り")
    ada.get_by_role("button", name="Restore version 1").click()
    expect(ada.get_by_text("Restored")).to_be_visible()
    assert history(live, slug) == [BEGUN, BEGUN.replace("偏り", "集中"), BEGUN]
