"""What needs a look, at both doors: disagreements, duplicates, what was found, what nobody knows, and leads."""

from typing import Any

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.models import (
    DuplicatePair,
    Job,
    Lead,
    MatchSuggestion,
    MetadataRecord,
    MetadataRequest,
    TitleSearch,
)
from readtrack.library.duplicates.jobs import enqueue_duplicate_search
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.library.enrichment.records import store_record
from readtrack.metadata.types import Metadata, Ref
from tests import make

pytestmark = pytest.mark.slow

SENTENCE = "arXiv has no paper 2405.99999. The paper is kept; check the number."


@pytest.fixture
def people(database):
    with database.write() as tx:
        return {role: make.visitor(tx, f"{role} person", role=role) for role in ("viewer", "member", "editor")}


@pytest.fixture
def ed(people, sign_in):
    return sign_in(people["editor"])


def disagree(tx, title="Ours", other="quite another work"):
    paper = make.paper(tx, title)
    store_record(tx, paper.id, Metadata(Ref("arxiv", f"2301.{paper.id:05}"), title=other))
    return paper


def twins(tx, one="Elastic Training", other="Elastic Trainings"):
    papers = make.paper(tx, one), make.paper(tx, other)
    add_candidate(tx, papers[0].id, papers[1].id, likeness=90, evidence="They are alike.")
    return papers[0].id, papers[1].id, tx.scalar(sa.select(sa.func.max(col(DuplicatePair.id))))


def propose(tx, kind="is", **about):
    found: dict[str, Any] = {
        "identifier": "doi:10.1145/3600006.3611111",
        "service": "crossref",
        "title": "Elastic Pipelines",
    }
    return make.added(
        tx, MatchSuggestion(kind=kind, likeness=93, evidence="The titles are alike.", **found, **about)
    ).id


def unknown(tx, state="unknown"):
    paper = make.paper(tx, "A Paper With a Typo", identifier="arxiv:2405.99999")
    asked: dict[str, Any] = {"service": "arxiv", "key": "2405.99999", "state": state, "problem": SENTENCE}
    make.added(tx, MetadataRequest(paper_id=paper.id, **asked))
    return paper.id


def page_of(answer, status=200):
    assert answer.status_code == status, answer.text
    return html.fromstring(answer.text)


def words(document, path="//main"):
    return " ".join(document.xpath(f"string({path})").split())


def press(browser, document, row, **pressed):
    [form] = document.xpath(f"//*[@id='{row}']//form")
    return browser.post(form.action, data=dict(form.form_values()) | pressed)


def count(browser):
    return words(page_of(browser.get("/papers")), "//*[@id='look-count']")


def test_an_empty_review_list_shows_a_message(ed):
    for of in ("disagreements", "duplicates", "found", "unknown", "", "nothing"):
        assert page_of(ed.get(f"/review?of={of}")).xpath("//*[@class='empty']")
    assert count(ed) == ""


def test_the_navigation_counts_items_for_review_for_people_who_may_decide(ed, database, people, sign_in):
    with database.write() as tx:
        disagree(tx)
        twins(tx)
        propose(tx, lead_id=make.added(tx, Lead(text="that paper on pipelines")).id)
        unknown(tx)
    assert count(ed) == "3"
    assert not page_of(sign_in(people["viewer"]).get("/papers")).xpath("//*[@id='look-count']")
    facets = words(page_of(ed.get("/review")), "//nav[@aria-label='Needs review']")
    assert facets == "Conflicting metadata 1Possible duplicates 1Suggested matches 1No metadata found 1"


def test_a_metadata_conflict_is_decided_in_the_list(ed, database):
    with database.write() as tx:
        paper = disagree(tx)
    document = page_of(ed.get("/review"))
    assert "quite another work" in words(document)
    [record] = ed.get("/api/v1/review").json()["items"]
    done = press(ed, document, f"record-{record['record_id']}", decision="refuse")
    assert done.headers["location"] == "/review?of=disagreements"
    after = page_of(ed.get("/review?of=disagreements"))
    [undo] = after.xpath("//*[@id='flash']//form/@action")
    assert (count(ed), undo) == ("", f"/papers/{paper.id}/records/{record['record_id']}/reopen")
    assert ed.post(undo, data={"next": "/review"}).headers["location"] == "/review"
    assert count(ed) == "1"


def test_unconfirmed_claims_need_no_review(ed, database):
    with database.write() as tx:
        paper = make.paper(tx, "")
        paper.title, paper.user_supplied = "", {}
        store_record(tx, paper.id, Metadata(Ref("doi", "10.1145/77"), "crossref", title="A claim"))
        assert tx.scalar(sa.select(col(MetadataRecord.state))) == "disagrees"
    assert ed.get("/api/v1/review").json()["items"] == []


def test_the_list_is_paged(ed, database):
    with database.write() as tx:
        for number in range(30):
            disagree(tx, f"Ours {number}")
    document, seen = page_of(ed.get("/review?of=disagreements")), []
    while True:
        seen += document.xpath("//li[@class='look']/@id")
        older = document.xpath("//a[@rel='next']/@href")
        if not older:
            break
        document = page_of(ed.get(older[0]))
    api = ed.get("/api/v1/review?limit=200").json()["items"]
    assert seen == [f"record-{item['record_id']}" for item in api]
    assert len(set(seen)) == 30


@pytest.mark.parametrize("stays", [0, 1])
def test_a_pair_is_merged_and_unmerged(ed, database, stays):
    with database.write() as tx:
        *both, pair = twins(tx)
    document = page_of(ed.get("/review?of=duplicates"))
    kept, gone = both[stays], both[1 - stays]
    assert press(ed, document, f"duplicate-{pair}", into=kept).headers["location"] == "/review?of=duplicates"
    assert (count(ed), ed.get(f"/papers/{gone}").headers["location"]) == ("", f"/papers/{kept}")
    moved = ed.get(f"/api/v1/papers/{gone}?include=topics")
    assert (moved.status_code, moved.headers["location"]) == (301, f"/api/v1/papers/{kept}?include=topics")
    assert ed.delete(f"/api/v1/papers/{gone}").json()["code"] == "merged"
    there = page_of(ed.get(f"/papers/{kept}"))
    assert "Merged papers" in words(there)
    [form] = [form for form in there.forms if form.action == f"/papers/{gone}/unmerge"]
    assert ed.post(form.action).headers["location"] == f"/papers/{gone}"
    assert ed.get(f"/papers/{gone}").status_code == 200


def test_a_pair_marked_as_not_duplicates_is_not_suggested_unless_that_is_undone(ed, database):
    with database.write() as tx:
        *_, pair = twins(tx)
    assert (
        press(ed, page_of(ed.get("/review?of=duplicates")), f"duplicate-{pair}", decision="distinct").status_code == 303
    )
    assert ed.get("/api/v1/duplicates").json()["items"] == []
    assert ed.get("/api/v1/duplicates?state=distinct").json()["items"][0]["decided_by"] == "editor person"
    assert ed.post(f"/duplicates/{pair}/reopen").status_code == 303
    assert len(ed.get("/api/v1/duplicates").json()["items"]) == 1


def test_duplicates_through_the_api(ed, database, people, sign_in):
    with database.write() as tx:
        one, other, pair = twins(tx)
    there = f"/api/v1/duplicates/{pair}"
    for wrong in ({"decision": "merge"}, {"decision": "distinct", "into": one}, {"decision": "maybe"}, {"into": one}):
        assert ed.post(there, json=wrong).status_code == 422, wrong
    assert sign_in(people["member"]).post(there, json={"decision": "merge", "into": one}).status_code == 403
    assert sign_in(people["viewer"]).post(there, json={"decision": "distinct"}).status_code == 403
    merged = ed.post(there, json={"decision": "merge", "into": one}).json()
    assert (merged["state"], merged["one"]["id"]) == ("merged", one)
    assert ed.post(f"/api/v1/papers/{other}/unmerge").json()["id"] == other
    assert ed.post(f"/api/v1/papers/{other}/unmerge").status_code == 404


def test_a_paper_is_merged_into_another_named_on_its_page(ed, database, people, sign_in):
    with database.write() as tx:
        one = make.paper(tx, "The Preprint", identifier="arxiv:2401.11111")
        other = make.paper(tx, "The Paper", identifier="doi:10.1145/5")
    there = f"/papers/{one.id}/merge"
    for named in (f"https://reads.example.org/papers/{other.id}", "https://doi.org/10.1145/5", f"#{other.id}"):
        document = page_of(ed.get(there, params={"into": named}))
        said = words(document)
        assert ("The Preprint" in said, "The Paper" in said) == (True, True), named
    for wrong in ("nothing known", f"#{one.id}", "2401.11111", "#99999999999999999999"):
        assert page_of(ed.get(there, params={"into": wrong}), 422).xpath("//*[@aria-invalid='true']"), wrong
    document = page_of(ed.get(there, params={"into": f"#{other.id}"}))
    form = next(form for form in document.forms if form.action == there)
    assert ed.post(there, data=dict(form.form_values())).headers["location"] == f"/papers/{other.id}"
    assert ed.get(there).headers["location"] == f"/papers/{other.id}/merge"
    assert ed.post(f"/api/v1/papers/{other.id}/merge", json={"into": other.id}).status_code == 422
    assert sign_in(people["member"]).get(f"/papers/{other.id}/merge").status_code == 403


def test_a_part_of_a_title_names_the_paper_to_keep_or_offers_several(ed, database):
    with database.write() as tx:
        one, other, third = (make.paper(tx, f"The Paper, {end}").id for end in ("Draft", "Final", "Final Erratum"))
        search.update_papers(tx, [one, other, third])
    there = f"/papers/{one}/merge"
    assert page_of(ed.get(there, params={"into": "erratum"})).xpath("//input[@name='into']/@value") == [str(third)]
    offered = page_of(ed.get(there, params={"into": "the paper"}))
    assert offered.xpath("//input[@type='radio'][@name='into']/@value") == [f"#{third}", f"#{other}"]
    [form] = [form for form in offered.forms if form.action == there]
    chosen = page_of(ed.get(there, params=dict(form.form_values())))
    assert chosen.xpath("//input[@name='into']/@value") == [str(third)]
    assert "No paper matches “the poster”." in words(page_of(ed.get(there, params={"into": "the poster"}), 422))


def test_a_match_is_confirmed_or_rejected(ed, database):
    with database.write() as tx:
        lead = make.added(tx, Lead(text="that paper on pipelines"))
        proposal = propose(tx, lead_id=lead.id)
    document = page_of(ed.get("/review?of=found"))
    assert "that paper on pipelines" in words(document)
    assert "Elastic Pipelines" in words(document)
    assert press(ed, document, f"proposal-{proposal}", decision="reject").status_code == 303
    assert ed.get("/api/v1/proposals").json()["items"] == []
    assert ed.post(f"/proposals/{proposal}/reopen").headers["location"] == "/review?of=found"
    document = page_of(ed.get("/review?of=found"))
    assert press(ed, document, f"proposal-{proposal}", decision="accept").status_code == 303
    [paper] = ed.get("/api/v1/papers").json()["items"]
    assert paper["identifiers"] == ["doi:10.1145/3600006.3611111"]
    assert ed.post(f"/proposals/{proposal}", data={"decision": "reject"}).status_code == 409
    assert ed.post(f"/proposals/{proposal}", data={}).status_code == 422


def test_a_possible_match_is_decided_on_the_paper_page(ed, database):
    with database.write() as tx:
        paper = make.paper(tx, "Elastic pipeline")
        proposal = propose(tx, paper_id=paper.id)
    document = page_of(ed.get(f"/papers/{paper.id}"))
    assert "Possibly “Elastic Pipelines”" in words(document)
    form = next(form for form in document.forms if form.action == f"/proposals/{proposal}")
    done = ed.post(form.action, data=dict(form.form_values()) | {"decision": "accept"})
    assert done.headers["location"] == f"/papers/{paper.id}"
    assert "doi:10.1145/3600006.3611111" in ed.get(f"/api/v1/papers/{paper.id}").json()["identifiers"]


def test_match_suggestions_through_the_api(ed, database):
    with database.write() as tx:
        proposal = propose(tx, kind="discusses", paper_id=make.paper(tx, "A blog post", kind="article").id)
    there = f"/api/v1/proposals/{proposal}"
    assert ed.get(there).json()["evidence"] == "The titles are alike."
    assert ed.post(there, json={"decision": "reject"}).json()["state"] == "rejected"
    assert ed.post(there, json={"decision": "reopen"}).json()["state"] == "open"
    accepted = ed.post(there, json={"decision": "accept"}).json()
    assert (accepted["state"], accepted["created"], accepted["twin"]) == ("accepted", True, None)
    assert ed.post(there, json={"decision": "perhaps"}).status_code == 422
    assert ed.get("/api/v1/proposals?state=accepted&kind=discusses").json()["items"][0]["id"] == proposal
    assert ed.get("/api/v1/proposals?state=perhaps").status_code == 422


@pytest.mark.parametrize("state", ["unknown", "refused"])
def test_an_identifier_unknown_everywhere_is_queried_again(ed, database, state):
    with database.write() as tx:
        paper_id = unknown(tx, state)
    document = page_of(ed.get("/review?of=unknown"))
    assert SENTENCE in words(document)
    [item] = ed.get("/api/v1/review?of=unknown").json()["items"]
    assert (item["paper_id"], item["name"], item["sentence"]) == (paper_id, "arXiv 2405.99999", SENTENCE)
    assert press(ed, document, f"name-{item['id']}", again="1").headers["location"] == "/review?of=unknown"
    assert ed.get("/api/v1/review?of=unknown").json()["items"] == []


def test_an_identifier_known_to_another_service_is_not_unknown(ed, database):
    with database.write() as tx:
        asked: dict[str, Any] = {"paper_id": unknown(tx), "key": "2405.99999"}
        make.added(tx, MetadataRequest(service="openalex", state="answered", **asked))
    assert ed.get("/api/v1/review?of=unknown").json()["items"] == []


def test_unresolved_references_are_dismissed_reopened_resolved_and_searched(ed, database):
    with database.write() as tx:
        lead = make.added(tx, Lead(text="that paper on pipelines")).id
        make.entry(tx, "that paper on pipelines", kind="lead", lead_id=lead, title="Pipelines")
        paper = make.paper(tx, "Pipelines", identifier="doi:10.1145/5").id
    here = f"/unresolved/{lead}"
    assert "Unresolved references" in words(page_of(ed.get("/notes")))
    assert ed.post(here, data={"decision": "look", "next": here}).headers["location"] == here
    assert "that paper on pipelines" in words(page_of(ed.get("/unresolved")), "//*[@id='looks']")
    assert ed.post(here, data={"decision": "drop"}).headers["location"] == "/unresolved"
    assert "that paper on pipelines" not in words(page_of(ed.get("/unresolved")), "//*[@id='looks']")
    assert "that paper on pipelines" in words(page_of(ed.get("/unresolved?state=dropped")), "//*[@id='looks']")
    assert ed.post(f"{here}/reopen").status_code == 303
    unknown = page_of(ed.post(here, data={"decision": "found", "paper": "no such thing"}), 422)
    assert "No paper matches “no such thing”" in words(unknown, "//*[@id='looks']")
    with database.write() as tx:
        search.update_papers(tx, [paper, make.paper(tx, "Pipelines Without Bubbles").id])
    which = page_of(ed.post(here, data={"decision": "found", "paper": "pipel", "next": here}), 422)
    assert len(which.xpath(f"//form[@action='{here}']//input[@type='radio']")) == 2
    assert which.xpath("//main//input[@name='decision' or @name='next']/@value") == ["found", here]
    assert ed.post(here, data={"decision": "found", "paper": "10.1145/5"}).status_code == 303
    assert ed.get("/api/v1/unresolved?state=found").json()["items"][0]["paper_id"] == paper
    assert "Pipelines" in words(page_of(ed.get(here)), "//*[@id='looks']")
    assert "that paper on pipelines" in words(page_of(ed.get("/unresolved?state=found")), "//*[@id='looks']")


def test_unresolved_references_and_second_hand_notes_are_listed_with_matches(ed, database):
    title = "论文阅读: ZeRO-Offload: Democratizing Billion-Scale Model Training"
    with database.write() as tx:
        topic = make.topic(tx, "Training")
        lead = make.added(tx, Lead(text="offloading to hosts", topic_id=topic.id)).id
        article = make.paper(tx, title, kind="article").id
        make.added(tx, TitleSearch(paper_id=article, title=title, state="done", asked_at=now()))
        for kind, of in (("is", {"lead_id": lead}), ("discusses", {"paper_id": article})):
            found: dict[str, Any] = {
                **of,
                "identifier": "arxiv:2101.06840",
                "service": "arxiv",
                "title": "ZeRO-Offload",
                "likeness": 90,
            }
            make.added(tx, MatchSuggestion(kind=kind, evidence="The title is alike.", **found))
    document = page_of(ed.get("/unresolved"))
    [accept] = document.xpath("//button[@data-rowkey='i']/ancestor::form/@action")
    assert "90% match. The title is alike." in words(document, "//*[@id='looks']")
    tabs = [" ".join(link.text_content().split()) for link in document.xpath("//nav[@class='facets']/a")]
    assert tabs == ["Unresolved 1", "Identified", "Dismissed", "Secondary sources only 1"]
    second = page_of(ed.get("/unresolved?state=second-hand"))
    assert "about “ZeRO-Offload: Democratizing Billion-Scale Model Training”" in words(second, "//*[@id='looks']")
    topic_page = page_of(ed.get("/topics/training"))
    assert topic_page.xpath("//section[@id='leads']//a/@href") == ["/unresolved?topic=training", f"/unresolved/{lead}"]
    assert "Unresolved references: Training" in words(page_of(ed.get("/unresolved?topic=training")), "//h1")
    assert "No dismissed references" in words(page_of(ed.get("/unresolved?state=dropped&topic=training")), "//main")
    answer = ed.post(accept, data={"decision": "accept", "next": "/unresolved"})
    assert answer.headers["location"] == "/unresolved"
    [undo] = page_of(ed.get("/unresolved")).xpath("//*[@id='flash']//form/@action")
    assert undo == f"/unresolved/{lead}/reopen"
    ed.post(undo)
    assert ed.get("/api/v1/unresolved?topic=training").json()["items"][0]["state"] == "open"


def test_a_reference_without_a_title_promises_no_search(ed, database):
    with database.write() as tx:
        lead = make.added(tx, Lead(text="that paper on pipelines")).id
        make.entry(tx, "that paper on pipelines", kind="lead", lead_id=lead)
    here = f"/unresolved/{lead}"
    for address in ("/unresolved", here):
        document = page_of(ed.get(address))
        assert "no title to search" in words(document, "//*[@id='looks']")
        assert not document.xpath("//button[@value='look']")
    ed.post(here, data={"decision": "look", "next": here})
    assert "has no title to search for" in words(page_of(ed.get(here)), "//*[@id='flash']")
    assert ed.patch(f"/api/v1{here}", json={"look": True}).status_code == 422


def test_a_search_that_has_not_run_is_pending(ed, database):
    with database.write() as tx:
        lead = make.added(tx, Lead(text="Elastic Pipelines for Large Model Training")).id
    here = f"/unresolved/{lead}"
    assert "search pending" in words(page_of(ed.get(here)), "//*[@id='looks']")
    ed.post(here, data={"decision": "look", "next": here})
    assert "Searching again" in words(page_of(ed.get(here)), "//*[@id='flash']")


def test_an_empty_tab_says_what_is_still_pending_or_failed(ed, database):
    def said(tab):
        return words(page_of(ed.get(f"/review?of={tab}")), "//*[@class='empty']")

    for tab in ("disagreements", "duplicates", "found", "unknown"):
        assert "Nothing to review" in said(tab)
    with database.write() as tx:
        paper = make.paper(tx)
    assert "Comparing papers…" in said("duplicates")
    with database.write() as tx:
        enqueue_duplicate_search(tx)
        make.added(tx, MetadataRequest(paper_id=paper.id, service="arxiv", key="2405.99999"))
        make.added(tx, TitleSearch(paper_id=paper.id, title=paper.title, state="waiting"))
    assert "Comparing papers…" in said("duplicates")
    assert "Title searches pending" in said("found")
    assert "Metadata pending" in said("disagreements")
    assert "Metadata pending" in said("unknown")
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed"))
    assert "Papers couldn't be compared" in said("duplicates")


def test_unresolved_references_through_the_api(ed, database):
    with database.write() as tx:
        lead = make.added(tx, Lead(text="Elastic Pipelines for Large Model Training")).id
        paper = make.paper(tx).id
    there = f"/api/v1/unresolved/{lead}"
    assert [item["id"] for item in ed.get("/api/v1/unresolved").json()["items"]] == [lead]
    for wrong in ({}, {"state": "found"}, {"state": "dropped", "paper": paper}, {"state": "lost"}, {"text": "x"}):
        assert ed.patch(there, json=wrong).status_code == 422, wrong
    assert ed.patch(there, json={"look": True}).json()["job"]
    assert ed.patch(there, json={"state": "dropped"}).status_code == 200
    assert ed.patch(there, json={"state": "open"}).status_code == 200
    assert ed.patch(there, json={"state": "found", "paper": paper}).status_code == 200
    assert ed.patch(there, json={"state": "dropped"}).status_code == 409
    assert ed.patch(there, json={"state": "open"}).status_code == 200
    assert ed.patch("/api/v1/unresolved/999", json={"state": "open"}).status_code == 404


@pytest.mark.deep
def test_each_list_takes_the_same_statements_for_one_row_and_many(ed, database, statements):
    def costs():
        counted = {}
        for of in ("disagreements", "duplicates", "found", "unknown"):
            with statements() as seen:
                page_of(ed.get(f"/review?of={of}"))
            counted[of] = len(seen)
        return counted

    def add():
        with database.write() as tx:
            disagree(tx)
            twins(tx)
            propose(tx, lead_id=make.added(tx, Lead(text="a lead")).id)
            tx.add(
                MetadataRequest(paper_id=make.paper(tx).id, service="arxiv", key="9", state="unknown", problem=SENTENCE)
            )

    add()
    one = costs()
    for _ in range(9):
        add()
    assert costs() == one
    assert max(one.values()) <= 14
