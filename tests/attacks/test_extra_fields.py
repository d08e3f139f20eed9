"""A16: what a body may not say is refused, field by field, and nothing of it is taken."""

import pytest

from readtrack.team.accounts.schemas import MeUpdate, PersonUpdate
from tests.sample_library import content
from tests.web.sent import BODIES, NOW

pytestmark = pytest.mark.slow  # every door of a whole application

SLIPPED_IN = {
    "role": "admin",
    "id": 1,
    "owner_id": 1,
    "person_id": 1,
    "created_by": 1,
    "created_at": "2001-01-01T00:00:00Z",
    "version": 99,
    "deleted_at": "2001-01-01T00:00:00Z",
    "erased_at": "2001-01-01T00:00:00Z",
    "password_hash": "x",
    "totp_salt": "",
    "__class__": {"__init__": {"__globals__": {"role": "admin"}}},
}
THEIR_OWN = {  # where such a field is what the door is for
    "/api/v1/people/{person_id}": {"role"},
    "/api/v1/invitations": {"role"},
    "/api/v1/papers/{paper_id}/reading": {"version"},  # of the paper, that was read
    "/api/v1/papers/{paper_id}/summary/drafts/{tab}": {"version"},  # of the text, that was begun from
    "/api/v1/topics/{slug}/drafts/{tab}": {"version"},
}


@pytest.mark.parametrize("slipped_in", [SLIPPED_IN, dict.fromkeys(SLIPPED_IN)], ids=["with-values", "null"])
def test_a16_no_endpoint_accepts_unknown_fields(app, library, sign_in, database, slipped_in):
    browser = sign_in(library.admin)
    before = content(database)
    for door, body in BODIES.items():
        method, path = door.split()
        further = {name: value for name, value in slipped_in.items() if name not in {*body, *THEIR_OWN.get(path, ())}}
        answer = browser.request(method, library.address(path), json={**body, **further}, headers=NOW)
        assert answer.status_code == 422, (door, answer.text)
        pointers = {problem["pointer"] for problem in answer.json()["errors"]}
        assert pointers >= {f"/{name}" for name in further}, door
    assert content(database) == before


def test_a16_a_form_ignores_extra_fields(library, sign_in, database):
    browser = sign_in(library.viewer)
    typed = {"name": "Viewer", "email": "", "role": "admin", "id": "1", "person_id": "1", "disabled": "", "erased": "1"}
    assert browser.post("/settings/profile", data=typed).status_code == 303
    assert browser.get("/api/v1/me").json()["role"] == "viewer"
    assert browser.get("/api/v1/me").json()["id"] == library.viewer.id


def test_a16_people_cannot_set_their_own_role_through_the_profile_endpoint():
    assert "role" not in MeUpdate.model_fields
    assert {"password_hash", "id", "erased_at"}.isdisjoint(PersonUpdate.model_fields)
