"""The API answers each client so much and no more: by token and by address, whichever process answers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.team.accounts import commands as people
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.web.app import create_app
from readtrack.web.middleware import api_rate_limit
from readtrack.web.middleware.api_rate_limit import ADDRESS_FACTOR, RateLimiter
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS
from tests.processes import until

LIMIT = 5
PATH = "/api/v1/me"


@pytest.fixture
def app(settings, database):
    return create_app(settings.model_copy(update={"api_limit": LIMIT}), database)


@pytest.fixture
def program(app, database):
    """Opens a client of a person with a token, at an address."""

    def opened(address="192.0.2.1"):
        with database.write() as tx:
            me = make.visitor(tx)
            _, secret = people.create_token(tx, me, TokenCreate(name="ci", scopes=["read"]))
        headers = {"Authorization": f"Bearer {secret}"}
        return AppClient(app, ADDRESS, headers=headers, client=(address, 1))

    return opened


def stranger(app, address):
    return AppClient(app, ADDRESS, client=(address, 1))


def statuses(client, times, path=PATH):
    return [client.get(path).status_code for _ in range(times)]


def test_each_answer_says_what_remains_and_above_it_the_client_is_told_when_to_come_back(program):
    client = program()
    for remaining in reversed(range(LIMIT)):
        answer = client.get(PATH)
        assert answer.status_code == 200
        assert answer.headers["ratelimit-policy"] == '"token";q=5;w=600, "address";q=20;w=600'
        assert answer.headers["ratelimit"].startswith(f'"token";r={remaining};t=')
    refusal = client.get(PATH)
    assert (refusal.status_code, refusal.json()["code"]) == (429, "too-many-requests")
    assert refusal.headers["content-type"] == "application/problem+json"
    assert refusal.headers["x-request-id"] == refusal.json()["request_id"]
    assert 100 < int(refusal.headers["retry-after"]) <= 600 / LIMIT
    assert re.fullmatch(r'"token";r=0;t=\d+, "address";r=15;t=\d+', refusal.headers["ratelimit"])
    page = client.get("/sign-in")
    assert (page.status_code, "ratelimit" in page.headers) == (303, False), "pages have no such limit"


def test_another_token_has_its_own_limit_and_all_of_an_address_share_another(program, app):
    first, second = program("192.0.2.1"), program("192.0.2.1")
    assert statuses(first, LIMIT + 1) == [200] * LIMIT + [429]
    assert statuses(second, LIMIT) == [200] * LIMIT
    left = LIMIT * ADDRESS_FACTOR - 2 * LIMIT
    assert statuses(stranger(app, "192.0.2.1"), left + 1) == [401] * left + [429]
    assert statuses(stranger(app, "192.0.2.2"), 1) == [401]


def test_made_up_tokens_and_addresses_of_one_network_are_no_way_round_the_limit(app):
    most = LIMIT * ADDRESS_FACTOR
    seen = []
    for number in range(most + 1):
        client = stranger(app, f"2001:db8::{number:x}")
        seen.append(client.get(PATH, headers={"Authorization": f"Bearer {number}"}).status_code)
    assert seen == [401] * most + [429]


def test_a_client_is_answered_again_after_a_while(program, monkeypatch):
    monkeypatch.setattr(api_rate_limit, "WINDOW_SECONDS", 1.0)
    client = program()
    assert 429 in statuses(client, LIMIT + 10)
    until(lambda: client.get(PATH).status_code == 200, "it is answered again")


def test_without_a_limit_nothing_is_counted(settings, database):
    app = create_app(settings.model_copy(update={"api_limit": 0}), database)
    answers = [stranger(app, "192.0.2.1").get(PATH) for _ in range(30)]
    assert {answer.status_code for answer in answers} == {401}
    assert "ratelimit" not in answers[0].headers


@given(limit=st.integers(1, 500), extra=st.integers(1, 50))
def test_exactly_the_limit_is_allowed_at_once(limit, extra):
    limiter = RateLimiter(limit)
    allowed = [not limiter.count_request(token="a", address="192.0.2.1")[1] for _ in range(limit + extra)]
    # One may come back while the others are counted.
    assert allowed[:limit] == [True] * limit
    assert sum(allowed[limit:]) <= 1
