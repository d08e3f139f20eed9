"""The description of the API: what programs are generated from."""

import re
from collections import Counter

import pytest
from lxml import html

from readtrack.web.app import all_routes
from readtrack.web.openapi import ApiApp
from tests import make


@pytest.fixture(scope="module")
def description():
    return ApiApp(routes=all_routes()).openapi()


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


def test_every_reference_resolves_to_a_component(description):
    there = {f"#/components/schemas/{name}" for name in description["components"]["schemas"]}
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
    assert merge.xpath(".//p/code/text()") == ["paper_id", "into"]
