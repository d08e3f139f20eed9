"""What people see and say of where a paper comes from, at both doors."""

from typing import Any

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.models import Identifier, MetadataRecord, Paper, Version
from readtrack.library.enrichment.records import store_record
from readtrack.metadata.types import Metadata, Ref
from tests import make
from tests.sample_library import count_of

pytestmark = pytest.mark.slow

ARXIV, DOI = Ref("arxiv", "2401.00001"), Ref("doi", "10.1145/1")
TITLE, PEOPLE = "On Saving the State of Large Models", ("Ada Example", "Bo Muster")


@pytest.fixture
def people(database):
    with database.write() as tx:
        return {role: make.visitor(tx, f"{role} person", role=role) for role in ("viewer", "member", "editor")}


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people["editor"])


@pytest.fixture
def told(database, people):
    """A paper that arXiv, Crossref and GitHub tell of; the last speaks of another work."""
    with database.write() as tx:
        paper = make.paper(tx, TITLE, identifier=str(ARXIV), created_by=people["member"].id)
        said: dict[str, Any] = {"title": TITLE, "authors": PEOPLE}
        store_record(
            tx, paper.id, Metadata(ARXIV, **said, stage="preprint", year=2023, abstract="A.", identifiers=(DOI,))
        )
        store_record(tx, paper.id, Metadata(DOI, "crossref", **said, stage="published", year=2024, venue="OSDI 2024"))
        store_record(tx, paper.id, Metadata(Ref("github", "a/b"), title="something else", stage="page"))
        ids = tx.scalars(sa.select(col(MetadataRecord.id)).order_by(col(MetadataRecord.id))).all()
        return paper.id, dict(zip(("arxiv", "crossref", "github"), ids, strict=True))


def page_of(answer, status=200):
    assert answer.status_code == status, answer.text
    return html.fromstring(answer.text)


def words(document, path="//main"):
    return " ".join(document.xpath(f"string({path})").split())


def cells(document, field):
    """What the table says in that row, by service."""
    row = f"//table[contains(@class, 'compare')]/tbody/tr[starts-with(normalize-space(th), '{field}')]/td"
    return {cell.get("data-label"): " ".join(cell.text_content().split()) for cell in document.xpath(row)}


DETAILS = "//section[contains(@class, 'card')][.//h2[.='Details']]"


def press(browser, document, action, **pressed):
    """Sends the form with that address, with what its button adds."""
    form = next(form for form in document.forms if form.action.endswith(action))
    return browser.post(form.action, data=dict(form.form_values()) | pressed)


def test_the_page_names_the_source_of_each_field_and_lists_all_records(ada, told):
    document = page_of(ada.get(f"/papers/{told[0]}"))
    assert "From Crossref, " in words(document, DETAILS)
    assert cells(document, "Year") == {"Crossref": "2024 in use", "arXiv": "2023 Use", "GitHub": "–"}
    assert cells(document, "Venue") == {"Crossref": "OSDI 2024 in use", "arXiv": "–", "GitHub": "–"}
    assert document.xpath("//td[@data-label='GitHub']//mark[@class='differs']")
    assert "Metadata from GitHub not used: GitHub a/b is titled “something else” (" in words(document)


def test_a_field_is_shown_from_another_source_until_it_is_reset(ada, told):
    paper_id, records = told
    document = page_of(ada.get(f"/papers/{paper_id}?sources=open"))
    done = press(ada, document, "/fields/year")
    assert (done.status_code, done.headers["location"]) == (303, f"/papers/{paper_id}?sources=open#sources")
    document = page_of(ada.get(f"/papers/{paper_id}?sources=open"))
    assert "year: set by editor person" in words(document, DETAILS)
    assert words(document, "//*[@id='flash']").endswith("Undo")
    shown = ada.get(f"/api/v1/papers/{paper_id}").json()
    assert (shown["year"], shown["locked"]["year"]["record"]) == (2023, records["arxiv"])
    assert press(ada, document, "/fields/year/release").status_code == 303
    shown = ada.get(f"/api/v1/papers/{paper_id}").json()
    assert (shown["year"], shown["locked"], shown["origins"]["year"]["service"]) == (2024, {}, "crossref")


def test_a_conflicting_record_is_accepted_rejected_or_made_a_separate_paper(ada, told):
    paper_id, records = told
    there = f"/papers/{paper_id}/records/{records['github']}"
    document = page_of(ada.get(f"/papers/{paper_id}"))
    assert press(ada, document, f"/{records['github']}", decision="refuse").headers["location"] == f"/papers/{paper_id}"
    assert "Metadata from GitHub not used" not in words(page_of(ada.get(f"/papers/{paper_id}")))
    assert ada.post(f"{there}/reopen").status_code == 303
    assert "Metadata from GitHub not used" in words(page_of(ada.get(f"/papers/{paper_id}")))
    assert ada.post(f"{there}/reopen").status_code == 409
    assert ada.post(there, data={"decision": "maybe"}).status_code == 422
    assert ada.post(there, data={"decision": "accept"}).status_code == 303
    states = {record["id"]: record["state"] for record in ada.get(f"/api/v1/papers/{paper_id}/records").json()["items"]}
    assert states[records["github"]] == "agrees"


def test_an_identifier_becomes_a_separate_paper(ada, told, database):
    paper_id, records = told
    done = ada.post(f"/papers/{paper_id}/records/{records['crossref']}", data={"decision": "split"})
    other = ada.get(done.headers["location"])
    assert "OSDI 2024" in words(page_of(other))
    assert (count_of(database, Paper), count_of(database, Identifier)) == (2, 2)


def test_records_are_decided_through_the_api(ada, told):
    paper_id, records = told
    there = f"/api/v1/papers/{paper_id}/records/{records['github']}"
    refused = ada.post(there, json={"decision": "refuse"}, headers={"Idempotency-Key": "once"})
    assert refused.json()["id"] == paper_id
    again = ada.post(there, json={"decision": "refuse"}, headers={"Idempotency-Key": "once"})
    assert again.headers["idempotency-replayed"] == "true"
    assert ada.post(there, json={"decision": "reopen"}).status_code == 200
    assert ada.post(there, json={"decision": "perhaps"}).json()["errors"][0]["pointer"] == "/decision"
    assert ada.post(there, json={"decision": "accept", "why": "so"}).status_code == 422
    split = ada.post(f"/api/v1/papers/{paper_id}/records/{records['crossref']}", json={"decision": "split"}).json()
    assert (split["id"] != paper_id, split["venue"], split["identifiers"]) == (True, "OSDI 2024", [str(DOI)])


def test_fields_are_chosen_through_the_api(ada, told):
    paper_id, records = told
    there = f"/api/v1/papers/{paper_id}/fields"
    assert ada.put(f"{there}/year", json={"record": records["arxiv"]}).json()["year"] == 2023
    assert ada.put(f"{there}/year", json={"record": records["arxiv"]}).json()["year"] == 2023
    assert ada.delete(f"{there}/year").json()["year"] == 2024
    assert ada.put(f"{there}/year", json={"record": 999}).status_code == 404
    assert ada.put(f"{there}/colour", json={"record": records["arxiv"]}).status_code == 422
    assert ada.post(f"/papers/{paper_id}/fields/colour", data={"record": records["arxiv"]}).status_code == 422


def test_a_viewer_sees_everything_without_buttons(sign_in, people, told):
    document = page_of(sign_in(people["viewer"]).get(f"/papers/{told[0]}?sources=open"))
    assert cells(document, "Year") == {"Crossref": "2024 in use", "arXiv": "2023", "GitHub": "–"}
    assert not document.xpath("//*[@id='sources']//form | //main//form[contains(@action, '/records/')]")


@pytest.mark.deep
def test_a_user_supplied_field_names_the_person(ada, told):
    paper_id, _ = told
    tag = ada.get(f"/api/v1/papers/{paper_id}").headers["etag"]
    ada.patch(f"/api/v1/papers/{paper_id}", json={"venue": "OSDI"}, headers={"If-Match": tag})
    assert "venue: set by editor person" in words(page_of(ada.get(f"/papers/{paper_id}")), DETAILS)


def test_a_paper_without_a_source_names_the_person_who_entered_it(ada, database, people):
    with database.write() as tx:
        typed = make.paper(tx, created_by=people["member"].id)
    assert "Set by member person" in words(page_of(ada.get(f"/papers/{typed.id}")), DETAILS)


def test_a_withdrawn_work_is_marked_at_the_top(ada, database):
    with database.write() as tx:
        paper = make.paper(tx, TITLE, identifier=str(ARXIV))
        store_record(
            tx, paper.id, Metadata(ARXIV, title=TITLE, remark="withdrawn: a gap in the proof", stage="preprint")
        )
    notice = words(page_of(ada.get(f"/papers/{paper.id}")), "//*[contains(@class, 'notice bad')]")
    assert notice == "Withdrawn according to arXiv: a gap in the proof"


def test_a_reader_of_an_older_version_is_told_about_the_newer_one(ada, database, people):
    with database.write() as tx:
        paper = make.paper(tx)
        for label in ("v1", "v3"):
            make.added(tx, Version(paper_id=paper.id, label=label))
        make.reading(tx, people["editor"].id, paper.id, "reading", version_label="v1")
    said = words(page_of(ada.get(f"/papers/{paper.id}")), "//*[@class='newer']")
    assert said == "v3 is available; you read v1."


def test_formulas_in_a_title_are_rendered_and_are_plain_text_elsewhere(ada, database):
    title = "Sorting in $O(n^2)$ <b>Time</b> for $5 and $10"
    with database.write() as tx:
        paper = make.paper(tx, title)
    document = page_of(ada.get(f"/papers/{paper.id}"))
    [formula] = document.xpath("//h1//*[local-name()='math']")
    assert formula.text_content() == "O(n2)"
    assert document.xpath("string(//title)").startswith(title)
    assert not document.xpath("//h1/b")
    assert "for $5 and $10" in words(document, "//h1")
    assert page_of(ada.get("/papers")).xpath("//a[@class='title']//*[local-name()='math']")
    assert ada.get(f"/api/v1/papers/{paper.id}").json()["title"] == title


@pytest.mark.deep
def test_papers_are_linked_by_their_relation(ada, database):
    with database.write() as tx:
        talk, paper = make.paper(tx, "A Talk", kind="slides"), make.paper(tx, "A Paper", identifier="doi:10.1145/9")
    linked = ada.post(f"/papers/{talk.id}/relations", data={"kind": "presents", "paper": "https://doi.org/10.1145/9"})
    assert linked.headers["location"] == f"/papers/{talk.id}#relations"
    assert "Presents A Paper" in words(page_of(ada.get(f"/papers/{talk.id}")))
    document = page_of(ada.get(f"/papers/{paper.id}"))
    assert "Presented in A Talk" in words(document)
    there = f"/api/v1/papers/{paper.id}/relations"
    [item] = ada.get(there).json()["items"]
    assert (item["kind"], item["direction"], item["paper"]) == ("presents", "from", {"id": talk.id, "title": "A Talk"})
    assert ada.post(f"/papers/{talk.id}/relations/presents/{paper.id}/remove").status_code == 303
    assert ada.get(there).json()["items"] == []


def test_relations_through_the_api(ada, database):
    with database.write() as tx:
        one, other = make.paper(tx, "One"), make.paper(tx, "Other")
    there, link = f"/api/v1/papers/{one.id}/relations", {"to": other.id, "kind": "extends"}
    assert [ada.post(there, json=link).status_code for _ in range(2)] == [201, 200]
    assert ada.post(there, json={"to": one.id, "kind": "extends"}).json()["errors"][0]["pointer"] == "/to"
    assert ada.post(there, json={"to": 999, "kind": "extends"}).status_code == 404
    assert ada.post(there, json={**link, "kind": "likes"}).status_code == 422
    assert [ada.request("DELETE", there, json=link).status_code for _ in range(2)] == [204, 204]
    assert ada.post(f"/papers/{one.id}/relations", data={"kind": "cites", "paper": "nobody knows"}).status_code == 422
