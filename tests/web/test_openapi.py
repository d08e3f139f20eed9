"""The description of the API: what programs are generated from."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from lxml import html

from readtrack.team.accounts import commands as people
from readtrack.team.accounts.schemas import TokenCreate
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS
from tests.description import api_description


@pytest.fixture(scope="module")
def description():
    return api_description()


def operations(description):
    return [operation for methods in description["paths"].values() for operation in methods.values()]


def references(part):
    """Every `$ref` in it."""
    if isinstance(part, dict):
        yield from ([part["$ref"]] if isinstance(part.get("$ref"), str) else [])
        part = list(part.values())
    if isinstance(part, list):
        for item in part:
            yield from references(item)


@pytest.mark.deep
def test_a_schema_component_is_named_by_a_noun(description):
    odd = re.compile(r"__|\.|Body_|(?:Out|In)$")
    assert [name for name in description["components"]["schemas"] if odd.search(name)] == []


def test_every_json_body_is_a_component(description):
    bodies = [
        content
        for operation in operations(description)
        for content in operation.get("requestBody", {}).get("content", {}).items()
    ]
    assert len(bodies) > 70
    assert [kind for kind, content in bodies if kind == "application/json" and "$ref" not in content["schema"]] == []


def test_every_json_answer_is_a_component(description):
    answers = [
        (operation["operationId"], status, response["content"]["application/json"].get("schema", {}))
        for operation in operations(description)
        for status, response in operation["responses"].items()
        if "application/json" in response.get("content", {})
    ]
    assert len(answers) > 180
    unnamed = [answer for answer in answers if "$ref" not in answer[2]]
    assert unnamed == [("export_papers", "200", {"type": ["object", "array"]})]  # a file


def test_a_field_that_may_be_left_out_has_no_default_that_a_generated_client_would_send(description):
    schemas = description["components"]["schemas"]
    assert "role" not in schemas["PersonUpdate"].get("required", ())
    assert "total" not in schemas["PaperList"]["required"]
    fields = [
        (name, field, value)
        for name, schema in schemas.items()
        for field, value in schema.get("properties", {}).items()
    ]
    assert [(name, field) for name, field, value in fields if "'default': " in str(value)] == []


def test_a_body_that_needs_one_of_two_fields_keeps_its_own_fields_in_generated_clients(description):
    schemas = description["components"]["schemas"]
    assert [name for name, schema in schemas.items() if {"anyOf", "oneOf"} & schema.keys()] == []
    assert schemas["PaperCreate"]["not"]["properties"].keys() == {"identifier", "title"}


@pytest.mark.parametrize(
    ("body", "is_valid"),
    [
        ({"identifier": "2402.00001"}, True),
        ({"identifier": "", "title": "A Paper"}, True),
        ({"title": "A Paper", "identifier": None}, True),
        ({"identifier": ""}, False),
        ({"identifier": " ", "title": None}, False),
        ({"topics": ["a"]}, False),
    ],
)
def test_one_of_two_fields_must_not_be_blank(description, body, is_valid):
    schema = {**description, "$ref": "#/components/schemas/PaperCreate"}
    assert jsonschema_rs.is_valid(schema, body) is is_valid


def test_every_json_body_has_an_example(description):
    bodies = [
        (operation["operationId"], operation["requestBody"]["content"].get("application/json", {"example": ""}))
        for operation in operations(description)
        if "requestBody" in operation
    ]
    assert [name for name, content in bodies if "example" not in content] == []


def test_every_operation_says_which_errors_it_can_answer(description):
    assert description["components"]["responses"]["Error404"]["content"].keys() == {"application/problem+json"}
    said = {operation["operationId"]: {*operation["responses"]} for operation in operations(description)}
    always = {"401", "403", "421", "422", "429", "500", "503"}
    assert said["list_drafts"] == {"200", "304", *always}
    assert said["get_paper"] == {"200", "301", "304", "400", "404", *always}
    assert said["delete_macro"] == {"204", "404", "409", *always}
    changed = {"400", "404", "409", "412", "413", "415", "428", "507"}
    assert said["update_paper"] == {"200", *changed, *always}
    assert said["create_topic"] == {"201", *changed - {"412", "428"}, *always}


def test_a_merge_patch_may_leave_out_every_field_and_clear_those_that_are_not_required(description):
    schemas = description["components"]["schemas"]
    assert schemas["ComparisonFields"]["required"] == ["title", "columns"]
    assert "required" not in schemas["ComparisonPatch"]
    assert schemas["ComparisonPatch"]["title"] == "ComparisonPatch"
    assert schemas["ComparisonPatch"]["properties"]["title"] == schemas["ComparisonFields"]["properties"]["title"]
    assert {"type": "null"} in schemas["ComparisonPatch"]["properties"]["rows"]["anyOf"]


def test_every_reference_resolves_to_a_component(description):
    components = description["components"]
    there = {f"#/components/{kind}/{name}" for kind in components for name in components[kind]}
    assert {*references(description)} <= there


def test_every_operation_has_a_unique_id_and_a_summary(description):
    ids = Counter(operation["operationId"] for operation in operations(description))
    assert {name for name, count in ids.items() if count > 1 or not re.fullmatch(r"[a-z]+(_[a-z]+)+", name)} == set()
    summaries = [operation["summary"] for operation in operations(description)]
    assert [text for text in summaries if not re.fullmatch(r"[A-Z][^.\n]{5,80}", text)] == []


def test_the_api_page_shows_each_operation_with_its_body_fields(database, sign_in):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
    page = html.fromstring(sign_in(me).get("/api/docs").text)
    [merge] = page.xpath("//section[.//h2='/api/v1/papers/{paper_id}/merge']//article")
    assert "Merge a paper into another and return that one" in merge.text_content()
    assert merge.xpath(".//p/code/text()") == ["paper_id", "idempotency-key", "into"]


def test_the_python_of_the_guide_runs(app, database):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        _, secret = people.create_token(tx, me, TokenCreate(name="ci", scopes=["write", "import"]))
    guide = (Path(__file__).parents[2] / "docs/api.md").read_text(encoding="utf-8")
    opening, *examples = re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert "api = httpx.Client(base_url=" in opening
    headers = {"Authorization": f"Bearer {secret}"}
    done: dict[str, Any] = {"api": AppClient(app, f"{ADDRESS}/api/v1", headers=headers)}
    exec("\n".join(example for example in examples if "api." in example), done)
    assert (done["known"]["id"], done["titles"], done["saved"].status_code) == (1, [done["paper"]["title"]], 200)
    assert (done["state"], done["bibliography"].count("@")) == ("queued", 1)
