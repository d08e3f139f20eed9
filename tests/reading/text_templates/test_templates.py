"""Templates of texts: the one that comes along, those of the team, and what they do to a text."""

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.errors import Conflict, NotAllowed, NotFound, StaleVersion
from readtrack.infra.i18n import use_language
from readtrack.infra.models import Event, TextTemplate
from readtrack.reading.text_templates import commands, queries
from readtrack.reading.text_templates.commands import MAX_TEMPLATES, TextTemplateFields
from tests import make

BENCHMARKS = TextTemplateFields(name="Benchmarks", markdown="## Machine\n\n## Numbers")


@pytest.fixture
def people(database):
    with database.write() as tx:
        make.paper(tx, "On Checkpoints")
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Vi", role="viewer")]


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people[0])


@pytest.fixture
def ours(database, people):
    with database.write() as tx:
        return commands.add_template(tx, people[0], BENCHMARKS).id


def names(database):
    with database.read() as tx:
        return [template.name for template in queries.list_templates(tx)]


def test_members_add_change_and_remove_templates_and_the_audit_trail_records_it(database, people, ours):
    ada, _ = people
    with database.write() as tx:
        commands.edit_template(tx, ada, ours, TextTemplateFields(name="Numbers", markdown="## Numbers"), version=1)
    assert names(database) == ["Numbers"]
    with database.write() as tx:
        commands.delete_template(tx, ada, ours)
    assert names(database) == []
    with database.read() as tx:
        told = tx.execute(sa.select(col(Event.verb), col(Event.before)).order_by(col(Event.id))).all()
    assert [tuple(row) for row in told] == [
        ("template.added", None),
        ("template.edited", {"name": "Benchmarks", "markdown": "## Machine\n\n## Numbers"}),
        ("template.deleted", {"name": "Numbers", "markdown": "## Numbers"}),
    ]


def test_viewers_can_only_use_templates(database, people, ours):
    _, vi = people
    with database.write() as tx:
        for change in (
            lambda: commands.add_template(tx, vi, BENCHMARKS),
            lambda: commands.edit_template(tx, vi, ours, BENCHMARKS, version=1),
            lambda: commands.delete_template(tx, vi, ours),
        ):
            with pytest.raises(NotAllowed):
                change()
    assert names(database) == ["Benchmarks"]


def test_template_names_are_unique_ignoring_case_and_spacing(database, people, ours):
    ada, _ = people
    with database.write() as tx, pytest.raises(Conflict, match="already"):
        commands.add_template(tx, ada, TextTemplateFields(name="ＢＥＮＣＨmarks", markdown="x"))
    with database.write() as tx:
        other = commands.add_template(tx, ada, TextTemplateFields(name="Surveys", markdown="x")).id or 0
        with pytest.raises(Conflict):
            commands.edit_template(tx, ada, other, BENCHMARKS, version=1)


def test_a_stale_version_cannot_be_saved(database, people, ours):
    with database.write() as tx, pytest.raises(StaleVersion) as stale:
        commands.edit_template(tx, people[0], ours, TextTemplateFields(name="x", markdown="y"), version=7)
    assert stale.value.current == {"version": 1, **BENCHMARKS.model_dump()}
    with database.write() as tx:
        with pytest.raises(NotFound):
            commands.delete_template(tx, people[0], 999)
        with pytest.raises(NotFound):
            commands.edit_template(tx, people[0], 999, BENCHMARKS, version=1)


def test_the_number_of_templates_is_limited(database, people):
    with database.write() as tx:
        tx.add_all(TextTemplate(name=str(n), name_key=str(n), markdown="x") for n in range(MAX_TEMPLATES))
    with database.write() as tx, pytest.raises(Conflict, match="100"):
        commands.add_template(tx, people[0], BENCHMARKS)


def test_the_built_in_template_is_in_the_readers_language():
    with use_language("en"):
        assert queries.standard_template().splitlines()[0] == "## Problem"


def test_a_template_fills_an_empty_text_and_is_appended_to_any_other(ada, ours):
    there = "/papers/1/summary/edit"

    def text(address):
        [area] = html.fromstring(ada.get(address).text).xpath("//textarea[@name='markdown']")
        return area.text.removeprefix("\n")

    assert text(f"{there}?template={ours}") == "## Machine\n\n## Numbers"
    ada.post(there, data={"markdown": "Written."})
    assert text(f"{there}?template={ours}") == "Written.\n\n## Machine\n\n## Numbers"
    assert text(f"{there}?template=standard").startswith("Written.\n\n## Problem")
    for unknown in ("999", "x", "9" * 30):
        assert ada.get(f"{there}?template={unknown}").status_code == 404
    [link] = html.fromstring(ada.get(there).text).xpath(f"//a[@href='{there}?template={ours}']")
    assert link.get("data-outline") == "## Machine\n\n## Numbers"


def test_the_pages_keep_the_input_and_explain_mistakes(ada, ours):
    assert "Benchmarks" in ada.get("/templates").text
    assert ada.post("/templates", data={"name": "Surveys", "markdown": "## What\n"}).status_code == 303
    for typed, said in (
        ({"name": "Surveys", "markdown": "again"}, "already"),
        ({"name": "", "markdown": "kept"}, "name"),
        ({"name": "kept", "markdown": ""}, "markdown"),
    ):
        answer = ada.post("/templates", data=typed)
        assert answer.status_code == 422
        assert said in answer.text
        assert ("kept" in answer.text) == ("kept" in typed.values())
    assert ada.get("/templates/999/edit").status_code == 404
    there = f"/templates/{ours}/edit"
    assert "## Machine" in ada.get(there).text
    assert ada.post(there, data={"name": "Surveys", "markdown": "x", "version": "1"}).status_code == 422
    assert ada.post(there, data={"name": "", "markdown": "x", "version": "1"}).status_code == 422
    assert ada.post(there, data={"name": "Runs", "markdown": "## Runs", "version": "1"}).status_code == 303
    stale = ada.post(there, data={"name": "Old", "markdown": "typed", "version": "1"})
    assert stale.status_code == 409
    assert "typed" in stale.text
    assert "## Runs" in stale.text
    assert ada.post(f"/templates/{ours}/delete").status_code == 303
    assert "Runs" not in ada.get("/templates").text.replace("are gone", "")


def test_templates_through_the_api(ada):
    made = ada.post("/api/v1/templates", json={"name": "Runs", "markdown": "## Runs"}, headers={"Idempotency-Key": "k"})
    again = ada.post(
        "/api/v1/templates", json={"name": "Runs", "markdown": "## Runs"}, headers={"Idempotency-Key": "k"}
    )
    assert (made.status_code, again.json()) == (201, made.json())
    there = made.headers["location"]
    assert ada.get(there).json()["person"] == "Ada"
    changed = ada.patch(there, json={"name": "Races"}, headers={"If-Match": made.headers["etag"]})
    assert (changed.json()["name"], changed.json()["markdown"], changed.json()["version"]) == ("Races", "## Runs", 2)
    assert ada.patch(there, json={"name": "x"}, headers={"If-Match": made.headers["etag"]}).status_code == 412
    listed = ada.get("/api/v1/templates").json()
    assert [item["name"] for item in listed["items"]] == ["Races"]
    assert listed["standard"].startswith("## Problem")
    assert ada.delete(there).status_code == 204
    assert ada.get(there).status_code == 404
