"""Linking papers in a real browser: by key, by a part of a title, from a suggestion; and taking it back."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.models import Lead
from tests import make
from tests.browser.serving import WITH_AND_WITHOUT
from tests.depth import some

TITLE = "Kettle: Warm Caches for Tea in the Data Center"


@pytest.fixture
def ada(live):
    with live.database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.fixture
def kettle(live):
    """A paper that has a talk, and two others that begin alike."""
    with live.database.write() as tx:
        made = [make.paper(tx, title) for title in (TITLE, "Cups and Saucers, Sorted", "Cups and Spoons")]
        made.append(make.paper(tx, TITLE, kind="video"))
        search.update_papers(tx, [paper.id for paper in made])
        return made[0].id


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_a_partial_title_is_enough_to_link_a_paper_and_the_link_can_be_removed(browse, ada, kettle, javascript):
    page = browse(ada, javascript=javascript)
    page.goto(f"/papers/{kettle}")
    if javascript:
        page.keyboard.press("l")
    else:
        page.get_by_role("heading", name="Related papers").click()
        page.get_by_text("Link paper", exact=True).click()
    page.get_by_label("This paper").select_option("extends")
    page.get_by_label("Other paper").fill("cups and")
    page.locator("#relation-note").fill("In section 3.")
    page.get_by_role("button", name="Link", exact=True).click()
    page.get_by_label("Cups and Saucers, Sorted").check()
    page.get_by_role("button", name="Choose", exact=True).click()
    bond = page.locator("#relations .bond")
    expect(bond).to_contain_text("Extends")
    expect(bond).to_contain_text("In section 3.")
    if not javascript:
        page.get_by_role("heading", name="Related papers").click()
    page.get_by_role("button", name="Unlink Cups and Saucers, Sorted").click()
    expect(page.locator("#relations .bond")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#relations .bond")).to_contain_text("In section 3.")


def test_every_field_for_a_paper_offers_titles_while_one_types(browse, live, kettle):
    with live.database.write() as tx:
        ed = make.visitor(tx, "Ed", role="editor")
        series = make.series(tx).id
        meeting = make.meeting(tx, now() + timedelta(days=1), series_id=series).id
        lead = make.added(tx, Lead(text="caches for tea")).id
        topic = make.topic(tx, "Tea").slug
    page = browse(ed)
    fields = {
        f"/papers/{kettle}": "Other paper",
        f"/papers/{kettle}/merge": "Paper to keep",
        f"/meetings/{meeting}": "Paper",
        f"/meetings/series/{series}": "Paper",
        f"/unresolved/{lead}": "Paper",
        f"/bulk?do=merge&paper={kettle}": "Paper to keep",
        "/questions": "Paper",
        f"/topics/{topic}/comparisons/new": "Row 1, paper",
    }
    for address, label in some(fields.items(), 3):
        page.goto(address)
        page.wait_for_selector("[data-htmx-powered]", state="attached")
        page.evaluate("document.querySelectorAll('main details').forEach((fold) => { fold.open = true; })")
        field = page.get_by_role("combobox", name=label, exact=True)
        field.press_sequentially("cups and sau")
        offers = page.locator(f"datalist[id='{field.get_attribute('list')}'] option")
        expect(offers).to_have_count(1)
        assert offers.get_attribute("value") == "Cups and Saucers, Sorted", address


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_a_talk_is_suggested_and_linked_or_dismissed_with_one_click(browse, ada, kettle, javascript):
    page = browse(ada, javascript=javascript)

    def look():
        page.goto(f"/papers/{kettle}")
        page.get_by_role("heading", name="Related papers").click()
        page.locator("#may-belong > summary").click()
        if not javascript:
            page.get_by_role("link", name="Suggested relations").click()

    look()
    expect(page.locator(".maybe")).to_contain_text("Title mentions")
    page.get_by_role("button", name=f"Dismiss {TITLE}").click()
    look()
    expect(page.get_by_text("No suggestions")).to_be_visible()
    page.goto(f"/papers/{kettle + 3}/relations/suggested")
    expect(page.locator(".maybe")).to_have_count(0)


@pytest.mark.deep
def test_accepting_a_suggestion_creates_a_link(browse, ada, kettle):
    page = browse(ada)
    page.goto(f"/papers/{kettle}")
    page.get_by_role("heading", name="Related papers").click()
    page.locator("#may-belong > summary").click()
    page.get_by_role("button", name=f"Link to {TITLE}").click()
    expect(page.locator("#relations .bond")).to_contain_text("Presented in")
