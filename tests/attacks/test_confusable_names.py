"""A65: names that pass for another's: other alphabets, nothing visible, twins, directions, towers of marks."""

import pytest
from lxml import html

from readtrack.infra.errors import Invalid
from readtrack.team.accounts import commands
from readtrack.team.accounts.schemas import InvitationCreate, MeUpdate, PersonSetUp
from tests import make
from tests.depth import some

pytestmark = pytest.mark.slow  # a whole application

HELD = {"password": "correct horse battery"}
REFUSED = [
    "\u0430nn",  # its first letter is Cyrillic
    "ann\u200b",  # with a zero-width space
    "a\u00adnn",  # with a soft hyphen
    "an\u2060n",
    "ann\u3164",  # a letter that shows nothing
    "\u202enna",  # written from the right
    "ann\u2066",
    "a" + "\u0301" * 1_000 + "nn",
    "ann" + "\u0336" * 5,
    "\u2800",
    "\ufdfa" * 10,  # eighteen letters each, once they are apart
]
TWINS = ["ANN", "ａｎｎ", "Ann ", "  ann", "\u00aann", "\u1d2cnn"]  # as sign-in compares them


@pytest.mark.parametrize("name", REFUSED, ids=ascii)
def test_a65_a_name_with_hidden_characters_is_refused(name):
    with pytest.raises(ValueError, match="name"):
        PersonSetUp(name=name, **HELD)


@pytest.mark.parametrize("name", some(TWINS, 3), ids=ascii)
def test_a65_a_confusable_name_counts_as_taken_at_every_endpoint(database, sign_in, client, name):
    with database.write() as tx:
        make.person(tx, "Ann")
        admin, eve = make.visitor(tx, "Ada", role="admin"), make.visitor(tx, "Eve")
        code = commands.invite(tx, admin, InvitationCreate())
    browser = sign_in(eve)
    assert browser.patch("/api/v1/me", json={"name": name}).status_code == 422
    assert browser.post("/settings/profile", data={"name": name}).status_code == 422
    assert client.post(f"/invitations/accept/{code}", data={"name": name, **HELD}).status_code == 422
    with pytest.raises(Invalid, match="already taken"), database.write() as tx:
        commands.edit_me(tx, eve, MeUpdate(name=name))


@pytest.mark.parametrize("name", ["دينا", "שרה לוי", "Ngô Bảo Châu", "สมชาย", "O'Brien-Łuk", "山田 太郎", "प्रिया"])
def test_a65_names_in_any_script_are_accepted(database, name):
    with database.write() as tx:
        eve = make.visitor(tx, "Eve")
        commands.edit_me(tx, eve, MeUpdate(name=name))


def test_a65_a_right_to_left_name_does_not_reorder_the_surrounding_text(database, sign_in):
    name = "דינה 3 admin"
    with database.write() as tx:
        admin = make.visitor(tx, "Ada", role="admin")
        make.person(tx, name)
    page = html.fromstring(sign_in(admin).get("/people").text)
    shown = [element for element in page.iter() if (element.text or "").strip() == name]
    assert shown
    assert {element.tag for element in shown} <= {"bdi", "option"}


def test_a65_a_new_member_cannot_take_the_label_of_a_former_member():
    for name in ("Former member 3", "FORMER  MEMBER 3", "Ｆormer member"):
        with pytest.raises(ValueError, match="start with “Former member”"):
            MeUpdate(name=name)


@pytest.mark.parametrize(
    ("held", "name"),
    [
        ("Eve", "\u0415\u0475\u0435"),  # all Cyrillic
        ("Bob", "\u0412\u041e\u0412"),
        ("Ian", "lan"),
        ("Bo", "B0"),
        ("Al", "A1"),
        ("Morn", "Mom"),
        ("Coco", "\u0441\u043e\u0441\u043e"),
        ("Jean-Luc", "Jean\u2010Luc"),  # a hyphen that no keyboard has
        ("Jean-Luc", "Jean\u2212Luc"),
        ("O'Brien", "O\u2019Brien"),
        ("O'Brien", "O\u02bcBrien"),  # a letter that looks like an apostrophe
    ],
    ids=ascii,
)
def test_a65_a_name_confusable_with_another_is_refused_at_every_endpoint(database, sign_in, client, held, name):
    with database.write() as tx:
        make.person(tx, held)
        admin, mallory = make.visitor(tx, "Zoe", role="admin"), make.visitor(tx, "Mallory")
        code = commands.invite(tx, admin, InvitationCreate())
    browser = sign_in(mallory)
    assert browser.patch("/api/v1/me", json={"name": name}).status_code == 422
    assert "too similar" in browser.post("/settings/profile", data={"name": name}).text
    assert client.post(f"/invitations/accept/{code}", data={"name": name, **HELD}).status_code == 422


@pytest.mark.parametrize("name", ["Evelyn", "Eva", "Yve", "\u0415\u0432\u0430", "\u4f0a\u592b"], ids=ascii)
def test_a65_a_name_that_is_merely_similar_is_accepted(database, name):
    with database.write() as tx:
        make.person(tx, "Eve")
        mallory = make.visitor(tx, "Mallory")
        commands.edit_me(tx, mallory, MeUpdate(name=name))
        commands.edit_me(tx, mallory, MeUpdate(name=name.upper()))  # one's own in other letters


def test_a65_a_hidden_address_cannot_be_discovered_by_trying_it_as_a_name(database, sign_in):
    with database.write() as tx:
        make.person(tx, "Ann", email="ann@example.org", email_key="ann@example.org")
        viewer = make.visitor(tx, "Eve", role="viewer")
    client, said = sign_in(viewer), set()
    for address in ("ann@example.org", "nobody@example.org"):
        said.add(client.patch("/api/v1/me", json={"name": address}).json()["detail"])
        page = html.fromstring(client.post("/settings/profile", data={"name": address}).text)
        said.add(" ".join(page.xpath("//p[@class='error']/text()")))
    assert len(said) == 2


def test_a65_address_attempts_are_limited_to_ten(database, sign_in):
    with database.write() as tx:
        make.person(tx, "Ann", email="ann@example.org", email_key="ann@example.org")
        viewer = make.visitor(tx, "Eve", role="viewer")
    client = sign_in(viewer)
    for _ in range(5):
        assert client.patch("/api/v1/me", json={"email": "ann@example.org"}).json()["errors"][0]["code"] == "taken"
        page = client.post("/settings/profile", data={"name": "Eve", "email": "ann@example.org"})
        assert (page.status_code, "email address is already taken" in page.text) == (422, True)
    assert client.patch("/api/v1/me", json={"email": "ann@example.org"}).status_code == 429
    assert client.post("/settings/profile", data={"name": "Eve", "email": "ann@example.org"}).status_code == 429
