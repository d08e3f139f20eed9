"""People and tokens as JSON."""

import pytest

from readtrack.infra.models import SCOPES
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.schemas import TokenCreate
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick


@pytest.fixture
def people(database):
    """Ada the admin and Ken, a member."""
    with database.write() as tx:
        return [
            make.visitor(tx, name, role, email=f"{name.lower()}@example.org", email_key=f"{name.lower()}@example.org")
            for name, role in (("Ada", "admin"), ("Ken", "member"))
        ]


@pytest.fixture
def program(client, database):
    """`program(visitor, "read")` gives a client that carries a token of that scope and no cookie."""

    def with_token(visitor, *scopes):
        with database.write() as tx:
            _, secret = commands.create_token(tx, visitor, TokenCreate(name="ci", scopes=list(scopes)))
        client.headers["Authorization"] = f"Bearer {secret}"
        return client

    return with_token


def test_anonymous_requests_are_told_how_to_authenticate(client):
    for path in ("/me", "/people", "/tokens"):
        answer = client.get(f"/api/v1{path}")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "authorization", ["Bearer wrong", "Bearer", "Basic QWRhOkFkYQ==", "Token {}", "{}", "Bearer x{}", "Bearer {}x"]
)
def test_an_invalid_credential_is_rejected_even_with_a_valid_session(people, sign_in, database, authorization):
    with database.write() as tx:
        _, secret = commands.create_token(tx, people[1], TokenCreate(name="ci", scopes=["read"]))
    ken = sign_in(people[1])
    answer = ken.get("/api/v1/me", headers={"Authorization": authorization.format(secret)})
    assert (answer.status_code, answer.json()["code"]) == (401, "bad-token")


def test_a_token_in_the_url_or_a_cookie_is_ignored(client, people, database):
    with database.write() as tx:
        _, secret = commands.create_token(tx, people[1], TokenCreate(name="ci", scopes=["read"]))
    assert client.get("/api/v1/me", params={"access_token": secret}).status_code == 401
    client.cookies.set("readtrack", secret)
    assert client.get("/api/v1/me").status_code == 401


def test_the_authorization_scheme_is_case_insensitive(client, people, database):
    with database.write() as tx:
        _, secret = commands.create_token(tx, people[1], TokenCreate(name="ci", scopes=["read"]))
    assert client.get("/api/v1/me", headers={"Authorization": f"bearer {secret}"}).json()["name"] == "Ken"


READING = {"read", "write", "import", "admin"}
CELLS = [
    ("GET", "/me", READING, 200),
    ("GET", "/people", READING, 200),
    ("GET", "/tokens", READING, 200),
    ("PATCH", "/me", {"write"}, 200),
    ("POST", "/tokens", set(), 201),
    ("DELETE", "/tokens/1", set(), 204),
]


@pytest.mark.deep
@pytest.mark.parametrize("scope", SCOPES)
def test_each_scope_allows_its_own_endpoints(people, program, scope):
    client, bodies = program(people[0], scope), {"PATCH": {"theme": "dark"}, "POST": {"name": "ci", "scopes": ["read"]}}
    answers = {
        (method, path): client.request(method, f"/api/v1{path}", json=bodies.get(method)).status_code
        for method, path, *_ in CELLS
    }
    assert answers == {(method, path): status if scope in scopes else 403 for method, path, scopes, status in CELLS}


def test_me_describes_the_current_person_and_their_permissions(people, sign_in, program):
    mine = sign_in(people[1]).get("/api/v1/me").json()
    assert mine == {
        "id": people[1].id,
        "name": "Ken",
        "email": "ken@example.org",
        "role": "member",
        "theme": "system",
        "density": "",
        "start": "",
        "variants": False,
        "hide_checklist": False,
        "reading_limit": 3,
        "single_keys": True,
        "language": "",
        "time_zone": "",
        "scopes": ["feed", "import", "read", "write"],
        "second_factor": False,
        "recovery_codes": 0,
        "identities": [],
    }
    assert program(people[1], "read", "import").get("/api/v1/me").json()["scopes"] == ["import", "read"]


def test_people_are_listed_by_name_with_addresses_for_admins_only(people, sign_in):
    (ada, ken) = sign_in(people[1]).get("/api/v1/people").json()["items"]
    shown = {"role": "admin", "email": None, "disabled": False, "erased": False}
    assert ada == {"id": people[0].id, "name": "Ada", **shown}
    assert ken["email"] == "ken@example.org"
    (ada, ken) = sign_in(people[0]).get("/api/v1/people").json()["items"]
    assert ada["email"] == "ada@example.org"
    assert ken["email"] == "ken@example.org"


def test_the_page_and_the_api_list_the_same_people_in_the_same_order(people, sign_in, database):
    with database.write() as tx:
        for number in range(5):
            make.person(tx, f"Person {number}")
    ada = sign_in(people[0])
    listed = [row["name"] for row in ada.get("/api/v1/people").json()["items"]]
    page = ada.get("/people").text
    assert sorted(listed, key=lambda name: page.index(f"<bdi>{name}</bdi></a>")) == listed


def test_a_long_list_continues_from_its_cursor(people, sign_in, database):
    with database.write() as tx:
        for number in range(3):
            make.person(tx, f"Person {number}")
    ada = sign_in(people[0])
    first = ada.get("/api/v1/people", params={"limit": 2})
    assert 'rel="next"' in first.headers["link"]
    rest = ada.get("/api/v1/people", params={"after": first.json()["next"]}).json()
    assert [row["name"] for row in rest["items"]] == ["Person 0", "Person 1", "Person 2"]
    assert rest["next"] is None
    assert ada.get("/api/v1/people", params={"after": "forged"}).status_code == 400
    assert ada.get("/api/v1/people", params={"limit": -1}).status_code == 400
    assert ada.get("/api/v1/people", params={"page": 2}).status_code == 422


@pytest.mark.deep
def test_a_list_of_people_takes_the_same_statements_for_any_number(people, sign_in, database, statements):
    ada = sign_in(people[0])
    ada.get("/people")
    counts = []
    for _ in range(2):
        with statements() as seen:
            ada.get("/people")
        counts.append(len(seen))
        with database.write() as tx:
            for _ in range(30):
                make.person(tx)
    assert counts[0] == counts[1]


@pytest.mark.parametrize("field", ["role", "id", "password_hash", "disabled_at", "person_id", "created_at"])
def test_fields_one_may_not_set_are_rejected(people, sign_in, database, field):
    ken = sign_in(people[1])
    answer = ken.patch("/api/v1/me", json={"theme": "dark", field: "admin"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == f"/{field}"
    assert ken.post("/api/v1/tokens", json={"name": "ci", "scopes": ["read"], field: 1}).status_code == 422
    with database.read() as tx:
        mine = queries.get_me(tx, people[1])
    assert (mine.role, mine.theme) == ("member", "system")


def test_patched_fields_are_saved_and_a_taken_name_is_refused(people, sign_in):
    ken = sign_in(people[1])
    assert ken.patch("/api/v1/me", json={"name": "Ken Ito"}).json()["name"] == "Ken Ito"
    assert ken.get("/api/v1/me").json()["email"] == "ken@example.org"
    answer = ken.patch("/api/v1/me", json={"name": "ada"})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "taken")


def test_a_browser_session_creates_and_revokes_tokens(people, sign_in, database):
    ken = sign_in(people[1])
    made = ken.post("/api/v1/tokens", json={"name": "ci", "scopes": ["write", "read"], "days": None})
    assert made.status_code == 201
    assert made.json()["scopes"] == ["read", "write"]
    assert made.json()["expires_at"] is None
    (listed,) = ken.get("/api/v1/tokens").json()["items"]
    assert "secret" not in listed
    with database.read() as tx:
        assert queries.find_visitor_by_token(tx, made.json()["secret"]) is not None
    assert sign_in(people[0]).delete(made.headers["location"]).status_code == 404  # somebody else's
    assert ken.delete(made.headers["location"]).status_code == 204
    with database.read() as tx:
        assert queries.find_visitor_by_token(tx, made.json()["secret"]) is None


def test_a_token_exceeding_the_role_is_refused(people, sign_in):
    answer = sign_in(people[1]).post("/api/v1/tokens", json={"name": "ci", "scopes": ["admin"]})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "beyond-role")


@pytest.mark.parametrize(("method", "path"), [("PATCH", "/me"), ("POST", "/tokens"), ("DELETE", "/tokens/1")])
def test_cross_site_requests_change_nothing_with_the_session(people, sign_in, method, path):
    ken = sign_in(people[1])
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert ken.request(method, f"/api/v1{path}", json={"theme": "dark"}, headers=headers).status_code == 403


def test_json_sent_as_plain_text_is_refused(people, sign_in):
    answer = sign_in(people[1]).patch("/api/v1/me", content='{"theme": "dark"}', headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
