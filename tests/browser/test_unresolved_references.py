"""Leads are answered by one key each: confirmed, rejected, looked for again, dropped, and all of it taken back."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from readtrack import search
from readtrack.infra.models import Lead, MatchSuggestion
from tests import make

WORDS = ("partitions optimizer states over workers", "a cache for checkpoints", "pipelines without bubbles")


@pytest.fixture
def ed(live):
    with live.database.write() as tx:
        search.ensure(tx)
        ed = make.visitor(tx, "Ed Example", role="editor")
        topic = make.topic(tx, "Training")
        for number, text in enumerate(WORDS):
            lead = make.added(tx, Lead(text=text, topic_id=topic.id))
            make.entry(tx, text, title=text, kind="lead", lead_id=lead.id, topics=["Training"])
            found: dict[str, Any] = {"identifier": f"arxiv:2405.0000{number}", "service": "arxiv", "likeness": 91}
            found |= {"title": f"The work number {number}", "authors": ["A. Author"], "year": 2024, "venue": "OSDI"}
            make.added(tx, MatchSuggestion(kind="is", lead_id=lead.id, evidence="The words fit.", **found))
    return ed


def ready(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("[data-htmx-powered]", state="attached")


def test_each_unresolved_reference_takes_one_key_and_the_next_gets_the_focus(browse, ed):
    page = browse(ed)
    ready(page, "/unresolved")
    page.keyboard.press("j")
    expect(page.get_by_role("link", name=WORDS[2])).to_be_focused()
    page.keyboard.press("i")
    expect(page.get_by_role("link", name=WORDS[2])).to_have_count(0)
    expect(page.get_by_role("link", name=WORDS[1])).to_be_focused()
    page.keyboard.press("d")
    expect(page.get_by_text("The work number 1")).to_have_count(0)
    expect(page.get_by_role("link", name=WORDS[1])).to_be_focused()
    page.keyboard.press("s")
    expect(page.get_by_text("Searching again")).to_be_visible()
    expect(page.get_by_role("link", name=WORDS[1])).to_be_focused()
    page.keyboard.press("r")
    expect(page.get_by_role("link", name=WORDS[1])).to_have_count(0)
    expect(page.get_by_role("link", name=WORDS[0])).to_be_focused()
    page.keyboard.press("u")
    expect(page.get_by_role("link", name=WORDS[1])).to_be_visible()


@pytest.mark.deep
def test_a_key_opens_the_choice_of_paper(browse, ed, live):
    with live.database.write() as tx:
        paper = make.paper(tx, "Bubbles No More", identifier="arxiv:2405.00077")
    page = browse(ed)
    ready(page, "/unresolved")
    page.keyboard.press("j")
    page.keyboard.press("e")
    field = page.get_by_role("combobox", name="Paper", exact=True)
    expect(field).to_be_focused()
    field.fill("arXiv:2405.00077")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Reference identified")).to_be_visible()
    page.get_by_role("link", name="Identified 1", exact=True).click()
    expect(page.get_by_role("link", name="Bubbles No More")).to_have_attribute("href", f"/papers/{paper.id}")


@pytest.mark.deep
def test_unresolved_references_are_decided_without_scripts_from_their_topic(browse, ed):
    page = browse(ed, javascript=False)
    page.goto("/topics/training")
    page.locator("#leads").get_by_role("link", name="Show all").click()
    page.get_by_role("button", name="Confirm: The work number 2").click()
    expect(page.get_by_text("Added “The work number 2” and linked it")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Confirm: The work number 2")).to_be_visible()
    page.get_by_role("button", name=f"Dismiss: {WORDS[2]}").click()
    expect(page.get_by_role("link", name=WORDS[2])).to_have_count(0)
    page.get_by_role("link", name="Dismissed 1").click()
    page.get_by_role("button", name="Reopen").click()
    expect(page.get_by_text("Reference reopened")).to_be_visible()
