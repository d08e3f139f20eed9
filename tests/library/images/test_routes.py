"""Images of texts: uploaded by form and by program, shown to who is signed in, forgotten with whom they belong to."""

import re

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.action_quotas import QUOTAS
from readtrack.infra.clock import now
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.models import Event, Image, Person
from readtrack.team.accounts.commands import erase_person
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS, OWN_PAGES
from tests.tables import cases

pytestmark = pytest.mark.slow


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="viewer")


@pytest.fixture
def browser(sign_in, ada):
    return sign_in(ada)


def upload(browser, content=None, *, name="figure 3.png", address="/api/v1/images"):
    return browser.post(address, files={"image": (name, make.png() if content is None else content, "text/html")})


def count(database, table=Image):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table))


def test_the_api_returns_the_markdown_to_insert(browser):
    answer = upload(browser, make.png(30, 20))
    said = answer.json()
    assert answer.status_code == 201
    assert re.fullmatch(r"[0-9a-f]{32}-30x20", said["name"])
    assert said == {
        "name": said["name"],
        "url": f"/images/{said['name']}",
        "markdown": f"![figure 3](/images/{said['name']})",
        "width": 30,
        "height": 20,
    }
    assert answer.headers["location"] == said["url"]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "words"), [("a](x)![b.png", "a x b"), ("図 2.png", "図 2"), ("image", "picture"), ("<b>.png", "b")]
)
def test_a_file_name_gives_alt_text_without_markup(browser, name, words):
    assert upload(browser, name=name).json()["markdown"].startswith(f"![{words}](/images/")


def test_it_is_served_as_an_image_only(browser):
    """A8"""
    answer = browser.get(upload(browser).json()["url"])
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'; sandbox"
    assert answer.headers["content-disposition"] == "inline"
    assert answer.headers["cache-control"].startswith("private, max-age=")
    assert answer.content.startswith(b"\x89PNG")


def test_a_person_who_is_not_signed_in_sees_no_images(app, browser):
    url = upload(browser).json()["url"]
    stranger = AppClient(app, base_url=ADDRESS, headers=OWN_PAGES)
    assert stranger.get(url).status_code == 303
    assert stranger.post("/api/v1/images", files={"image": ("a.png", make.png())}).status_code == 401


def test_the_same_file_is_stored_once_and_two_people_have_one_copy_each(browser, sign_in, database):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")
    first, again = upload(browser).json(), upload(browser, name="other.png").json()
    assert first["url"] == again["url"]
    assert upload(sign_in(bob)).json()["url"] != first["url"]
    assert count(database) == 2


def test_upload_events_are_private(browser, database):
    upload(browser)
    with database.read() as tx:
        event = tx.scalar(sa.select(Event).where(col(Event.verb) == "image.added"))
    assert event is not None
    assert (event.private, event.data) == (True, {})


@pytest.mark.parametrize("address", ["/images", "/api/v1/images"])
@cases(
    ("content", "status", "says"),
    [
        (b"<svg onload=alert(1)>", 422, "Upload a PNG, JPEG, GIF or WebP"),
        (b"", 422, "Choose an image file"),
        (b"\0" * 5_100_000, 413, "The limit is 5,000,000 bytes"),
    ],
)
def test_an_unusable_file_is_refused_with_a_message(browser, database, address, content, status, says):
    answer = upload(browser, content, address=address)
    assert answer.status_code == status
    assert says in answer.text
    assert count(database) == 0


def test_a_form_without_a_file_is_refused_with_a_message(browser):
    answer = browser.post("/api/v1/images", data={"image": "text"})
    assert answer.status_code == 422
    assert "Choose an image file" in answer.json()["detail"]


def test_uploads_are_limited(browser, database, ada):
    with database.write() as tx:
        tx.add_all(
            [Event(person_id=ada.id, verb="image.added", created_at=now()) for _ in range(QUOTAS["image.added"].limit)]
        )
    answer = upload(browser)
    assert answer.status_code == 429
    assert "Limit reached (60 in 60 minutes)" in answer.json()["detail"]
    assert upload(browser, address="/images").status_code == 429


def test_the_page_shows_the_markdown_to_copy_and_only_my_images(browser, sign_in, database):
    page = html.document_fromstring(upload(browser, address="/images").text)
    line = page.xpath("string(//input[@name='markdown']/@value)")
    assert re.fullmatch(r"!\[figure 3\]\(/images/[0-9a-f]{32}-2x2\)", line)
    assert len(page.xpath("//ul[contains(@class, 'pictures')]/li")) == 1
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")
    assert "/images/" not in sign_in(bob).get("/images").text


def test_a_summary_shows_it_and_no_external_image(browser, database):
    said = upload(browser).json()
    with database.write() as tx:
        paper = make.paper(tx, "Attention")
    text = f"{said['markdown']} ![](/logout) ![](https://example.org/a.png)"
    browser.put(f"/api/v1/papers/{paper.id}/summary", json={"markdown": text}, headers={"If-None-Match": "*"})
    page = html.document_fromstring(browser.get(f"/papers/{paper.id}").text)
    assert page.xpath("//main//img/@src") == [said["url"]]


def test_erasing_a_person_deletes_their_unused_images(browser, database, ada):
    shown, private, unused = (upload(browser, make.png(2, height)).json() for height in (2, 3, 4))
    with database.write() as tx:
        admin = make.visitor(tx, "Admin", role="admin")
        make.summary(tx, ada.id, make.paper(tx).id, shown["markdown"])
        make.summary(tx, ada.id, make.paper(tx).id, private["markdown"], private=True)
        tx.get_one(Person, ada.id).disabled_at = now()
    with database.write() as tx:
        erase_person(tx, admin, ada.id)
    offline = HttpClient(agent="tests", gate=UnlimitedRateLimiter(), intervals={}, bases={}, offline=True)
    assert queue.run_due_job(database, offline, kinds=["images.forget"])
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Image.name))).all() == [shown["name"]]
    assert unused["name"] != private["name"]


def removed(browser, said, door):
    if door == "api":
        return browser.delete(f"/api/v1{said['url']}")
    return browser.post(f"{said['url']}/remove", follow_redirects=False)


@pytest.mark.parametrize(("door", "status"), [("api", 204), ("page", 303)])
def test_only_the_uploader_can_delete_an_image(browser, sign_in, database, door, status):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob", role="admin")
    said = upload(browser).json()
    assert removed(sign_in(bob), said, door).status_code == 404
    assert count(database) == 1
    assert removed(browser, said, door).status_code == status
    assert removed(browser, said, door).status_code == 404
    assert browser.get(said["url"]).status_code == 404
    assert count(database) == 0
