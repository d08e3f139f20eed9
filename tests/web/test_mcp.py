"""The library for agents: the official SDK's client asks over HTTP with a token, and over the pipes of a process."""

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from sqlmodel import col, select

from readtrack import search
from readtrack.infra.models import Comment
from readtrack.team.accounts.commands.tokens import create_token
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.web.mcp.tools import MAX_ROWS
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS

pytestmark = pytest.mark.slow
READING = ["get_paper", "get_topic", "list_changes", "list_queue", "search_papers"]
WRITING = ["add_comment", "add_paper", "link_papers", "save_summary", "set_status"]


@pytest.fixture
def ask(app, database) -> Callable[..., Any]:
    """`ask(ada, story)` runs a story with a client that has a token of hers."""

    def with_client(member, story, scope="write"):
        with database.write() as tx:
            _token, secret = create_token(tx, member, TokenCreate(name="agent", scopes=[scope]))

        async def run():
            headers = {"Authorization": f"Bearer {secret}"}
            transport = httpx2.ASGITransport(app=app)
            async with (
                httpx2.AsyncClient(transport=transport, headers=headers) as http,
                Client(streamable_http_client(f"{ADDRESS}/mcp", http_client=http)) as client,
            ):
                return await story(partial(call, client), client)

        return anyio.run(run)

    return with_client


async def call(client: Client, tool: str, **arguments: object) -> Any:
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text  # type: ignore[union-attr]
    return {"error": text} if result.is_error else json.loads(text)


@pytest.fixture
def ada(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, "Ada")


def test_an_agent_reads_and_writes_with_the_rights_of_its_token(ask, ada, database):
    async def story(say, client):
        assert sorted(tool.name for tool in (await client.list_tools()).tools) == sorted(READING + WRITING)
        added = await say("add_paper", identifier="arXiv:2305.15778", topics=["Incidents"], status="reading")
        again = await say("add_paper", identifier="https://arxiv.org/abs/2305.15778v2")
        assert again == {"paper": added["paper"], "is_new": False}
        paper = added["paper"]
        other = (await say("add_paper", title="Notes on Everything That Failed"))["paper"]
        saved = await say("save_summary", paper=paper, text="It costs $O(n)$.", one_line="Linear")
        assert saved == {"saved": True, "version": 1}
        assert (await say("set_status", paper=paper, status="read"))["status"] == "read"
        assert await say("link_papers", paper=paper, to=other, kind="extends") == {"is_new": True}
        await say("add_comment", paper=paper, text="Worth a meeting")
        found = await say("get_paper", paper=paper)
        assert (found["my_status"], found["topics"], found["read_by"]) == ("read", ["incidents"], ["Ada"])
        assert found["my_summary"] == {"version": 1, "one_line": "Linear", "text": "It costs $O(n)$.", "private": False}
        assert [relation["paper"] for relation in found["related"]] == [other]
        assert [row["paper"] for row in (await say("search_papers", query="status:read"))["papers"]] == [paper]
        assert [row["paper"] for row in (await say("get_topic", topic="incidents"))["papers"]] == [paper]
        changes = await say("list_changes")
        assert {"paper.added", "comment.added"} <= {change["what"] for change in changes["changes"]}
        assert (await say("list_changes", after=changes["next"]))["changes"] == []

    ask(ada, story)
    with database.read() as tx:
        assert tx.scalars(select(col(Comment.markdown))).all() == ["Worth a meeting"]


def test_every_list_names_the_topics_of_its_papers_and_who_has_read_them(ask, ada, database):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")

    async def story(say, client):
        first = (await say("add_paper", title="Notes on Failures", topics=["Incidents"], status="reading"))["paper"]
        second = (await say("add_paper", title="Notes on Repairs", topics=["Incidents"], status="to_read"))["paper"]
        with database.write() as tx:
            for paper in (first, second):
                make.reading(tx, bob.id, paper, "read")
        queue = await say("list_queue")
        papers = queue["reading"] + queue["queue"]
        assert [row["paper"] for row in papers] == [first, second]
        papers += (await say("get_topic", topic="incidents"))["papers"]
        papers += (await say("search_papers", query=""))["papers"]
        assert [(row["topics"], row["read_by"]) for row in papers] == [(["incidents"], ["Bob"])] * 6

    ask(ada, story)


def test_a_token_that_may_only_read_writes_nothing(ask, ada):
    async def story(say, client):
        assert "error" in await say("add_paper", title="Notes on Everything That Failed")
        assert (await say("search_papers", query=""))["papers"] == []

    ask(ada, story, scope="read")


def test_a_summary_that_changed_meanwhile_is_returned_and_not_overwritten(ask, ada):
    async def story(say, client):
        paper = (await say("add_paper", title="Notes on Everything That Failed"))["paper"]
        await say("save_summary", paper=paper, text="First")
        await say("save_summary", paper=paper, text="Second", version=1)
        lost = await say("save_summary", paper=paper, text="Third", version=1)
        assert (lost["saved"], lost["my_summary"]["version"], lost["my_summary"]["text"]) == (False, 2, "Second")

    ask(ada, story)


def test_what_a_save_does_not_name_stays_as_it_is_and_my_text_is_given_in_full(ask, ada):
    async def story(say, client):
        paper = (await say("add_paper", title="Notes on Everything That Failed"))["paper"]
        await say("save_summary", paper=paper, text="Long " * 1000, one_line="Short", private=True)
        mine = (await say("get_paper", paper=paper))["my_summary"]
        await say("save_summary", paper=paper, text=mine["text"] + "!", version=mine["version"])
        saved = (await say("get_paper", paper=paper))["my_summary"]
        assert (saved["one_line"], saved["private"], saved["text"]) == ("Short", True, mine["text"] + "!")

    ask(ada, story)


def test_answers_are_small_and_private_texts_stay_private(ask, ada, database):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")
        papers = [make.paper(tx, f"Paper {n}", authors=[f"Author {a}" for a in range(100)]) for n in range(60)]
        make.reading(tx, bob.id, papers[0].id, "reading", private=True)
        make.summary(tx, bob.id, papers[0].id, markdown="Secret", private=True)
        first = papers[0].id

    async def story(say, client):
        hits = await say("search_papers", query="", limit=MAX_ROWS)
        assert (len(hits["papers"]), hits["has_more"]) == (MAX_ROWS, True)
        assert hits["papers"][0]["authors"][-1] == "and 95 more"
        assert "error" in await say("search_papers", query="", limit=MAX_ROWS + 1)
        found = await say("get_paper", paper=first)
        assert (found["summaries"], found["readers"]) == ([], [])

    ask(ada, story)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_paper", {"paper": 99}),
        ("search_papers", {"query": "year:nonsense"}),
        ("get_topic", {"topic": "none"}),
        ("set_status", {"paper": 99, "status": "read"}),
        ("add_paper", {}),
        ("list_changes", {"after": "forged"}),
    ],
)
def test_a_mistake_is_explained_to_the_model(ask, ada, tool, arguments):
    async def story(say, client):
        error = (await say(tool, **arguments))["error"]
        assert error.removeprefix(f"Error executing tool {tool}: ").endswith(".")

    ask(ada, story)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer rt_wrong"}, 401),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Host": "elsewhere.example"}, 421),
    ],
)
def test_strangers_other_pages_and_other_hosts_are_refused(client, database, ada, headers, status):
    with database.write() as tx:
        _token, secret = create_token(tx, ada, TokenCreate(name="agent", scopes=["read"]))
    token = {"Authorization": f"Bearer {secret}"} if "Authorization" not in headers and headers else {}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepts = {"Accept": "application/json, text/event-stream"}
    refused = client.post("/mcp", json=message, headers={**accepts, **token, **headers})
    assert (refused.status_code, "<html" in refused.text) == (status, False)


def test_an_agent_without_a_token_is_asked_for_one(app):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    refused = AppClient(app, base_url=ADDRESS).post("/mcp", json=message)
    assert (refused.status_code, refused.json()["code"]) == (401, "not-signed-in")
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_browsers_session_is_no_token(sign_in, ada):
    assert sign_in(ada).post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 403


@pytest.mark.deep
def test_a_program_talks_over_the_pipes_of_the_command(settings, database, ada):
    own = {"DATA": str(settings.data), "DATABASE_URL": settings.database_url, "SECRET_KEY": settings.secret_key}
    environment = {**os.environ, **{f"READTRACK_{name}": value for name, value in own.items()}}
    command = StdioServerParameters(command=sys.executable, args=["-m", "readtrack", "mcp"], env=environment)

    async def story():
        async with Client(command) as client:
            return await call(client, "add_paper", title="Notes on Everything That Failed")

    assert anyio.run(story)["is_new"]


def test_an_address_with_a_slash_too_many_is_refused_in_json(client):
    answer = client.post("/mcp/", headers={"Accept": "application/json, text/event-stream"})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
