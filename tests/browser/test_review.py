"""What needs a look is answered: a disagreement, a pair that may be one, something found; with scripts and without."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from readtrack.infra.db import Write
from readtrack.infra.models import Lead, MatchSuggestion
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.library.enrichment.records import store_record
from readtrack.metadata.types import Metadata, Ref
from tests import make
from tests.browser.serving import WITH_AND_WITHOUT


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_a_metadata_conflict_a_duplicate_pair_and_a_match_suggestion_are_decided(browse, live, javascript):
    with live.database.write() as tx:
        ed = make.visitor(tx, "Ed Example", role="editor")
        fill(tx)
    page = browse(ed, javascript=javascript)
    page.goto("/papers")
    expect(page.locator("#look-count")).to_have_text("3")
    page.get_by_role("link", name="Import", exact=False).first.click()
    page.get_by_role("link", name="Needs review").click()
    resolve_the_disagreement(page)
    merge_and_take_apart(page)
    confirm_what_was_found(page)
    expect(page.locator(".looks > li")).to_have_count(0)


@pytest.mark.deep
def test_the_review_list_is_decided_with_keys(browse, live):
    with live.database.write() as tx:
        ed = make.visitor(tx, "Ed Example", role="editor")
        for number in range(3):
            disagree(tx, f"Ours, number {number}", f"Somebody else's, number {number}")
    page = browse(ed)
    page.goto("/review")
    page.wait_for_selector("[data-htmx-powered]", state="attached")
    page.keyboard.press("j")
    expect(page.get_by_role("link", name="Ours, number 2")).to_be_focused()
    page.keyboard.press("d")
    expect(page.get_by_role("link", name="Ours, number 2")).to_have_count(0)
    expect(page.get_by_role("link", name="Ours, number 1")).to_be_focused()
    expect(page.locator("#look-count")).to_have_text("2")
    page.keyboard.press("z")
    expect(page.get_by_role("link", name="Ours, number 2")).to_be_visible()
    expect(page.locator("#look-count")).to_have_text("3")


def fill(tx: Write) -> None:
    disagree(tx, "Saving the State of Many Workers", "A Cookbook for Winter")
    one, other = (
        make.paper(tx, "Elastic Training on Spot Machines"),
        make.paper(tx, "Elastic training, on spot machines"),
    )
    add_candidate(tx, one.id, other.id, likeness=96, evidence="The titles differ in a comma.")
    found: dict[str, Any] = {
        "identifier": "arxiv:2405.00001",
        "service": "arxiv",
        "title": "Pipelines That Bend",
        "likeness": 92,
    }
    lead = make.added(tx, Lead(text="the one on pipelines from last year"))
    make.added(tx, MatchSuggestion(kind="is", lead_id=lead.id, evidence="The title is alike.", **found))


def disagree(tx: Write, ours: str, theirs: str) -> None:
    paper = make.paper(tx, ours)
    store_record(tx, paper.id, Metadata(Ref("arxiv", f"2301.{paper.id:05}"), title=theirs, authors=("A. Cook",)))


def resolve_the_disagreement(page: Page) -> None:
    expect(page.get_by_text("A Cookbook for Winter")).to_be_visible()
    page.get_by_role("button", name="Same paper").click()
    expect(page.get_by_text("Metadata accepted")).to_be_visible()
    expect(page.locator(".looks > li")).to_have_count(0)
    expect(page.locator("#look-count")).to_have_text("2")


def merge_and_take_apart(page: Page) -> None:
    page.get_by_role("link", name=re.compile("Possible duplicates")).click()
    page.get_by_role("button", name="Merge into first").click()
    expect(page.locator(".looks > li")).to_have_count(0)
    page.goto("/papers")
    page.get_by_role("link", name="Elastic Training on Spot Machines").click()
    expect(page.get_by_text("Merged papers")).to_be_visible()
    page.get_by_role("button", name="Unmerge Elastic training, on spot machines").click()
    expect(page.get_by_role("heading", name="Elastic training, on spot machines")).to_be_visible()
    page.goto("/review?of=duplicates")
    page.get_by_role("button", name="Not duplicates").click()
    expect(page.locator(".looks > li")).to_have_count(0)


def confirm_what_was_found(page: Page) -> None:
    page.get_by_role("link", name=re.compile("Suggested matches")).click()
    expect(page.get_by_text("the one on pipelines from last year")).to_be_visible()
    page.get_by_role("button", name="Yes: Pipelines That Bend").click()
    expect(page.get_by_text("Added “Pipelines That Bend” and linked it")).to_be_visible()
