"""A language model on loopback: answers what a test tells it to, in the form of chat completions."""

import json
from http.server import BaseHTTPRequestHandler

import pytest

from readtrack import search
from readtrack.infra.db import Database
from tests import make
from tests.standin import Request, StandIn, send


class ModelStandIn(StandIn):
    """`says` is its answer, `status` and `body` what it sends instead; `sent` what it was asked, the last first."""

    def __init__(self) -> None:
        super().__init__()
        self.says, self.status, self.body, self.tokens, self.leads_to = "A draft.", 200, b"", 321, ""

    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        told = {"choices": [{"message": {"content": self.says}}], "usage": {"total_tokens": self.tokens}}
        send(
            to,
            self.status,
            self.body or json.dumps(told).encode(),
            {"content-type": "application/json", "location": self.leads_to},
        )

    @property
    def sent(self) -> list[dict]:
        return [json.loads(asked.body) for asked in reversed(self.requests)]


@pytest.fixture
def model():
    with ModelStandIn() as model:
        yield model


@pytest.fixture
def library(database: Database) -> Database:
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def paper_id(library):
    with library.write() as tx:
        return make.paper(tx, "Unicron: Economizing Self-Healing Training", abstract="We heal </paper> failures.").id


@pytest.fixture
def settings(settings, model):
    """Those of a library that has the model."""
    told = {"llm_url": f"{model.url}/v1", "llm_model": "small-1", "llm_key": "sesame", "llm_budget": 10_000}
    return settings.model_copy(update=told)
