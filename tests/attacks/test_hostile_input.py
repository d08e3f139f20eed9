"""What no form and no database was made for: codecs, floods, NUL, numbers and moments beyond all columns."""

import json

import pytest

from readtrack.infra.http.client import retry_after
from readtrack.web.dependencies.forms import MAX_ERRORS, MAX_FIELDS
from tests.sample_library import content

pytestmark = [
    pytest.mark.slow,
]  # many requests to a whole application

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
NUL = "a\0b"
KEPT = "a\ufffdb"


@pytest.mark.parametrize("charset", ["punycode", "idna", "undefined", "unicode_escape", "utf-7", '"pun\\ycode"'])
def test_a_form_in_a_charset_that_is_slow_to_decode_is_rejected_unread(client, charset):
    part = b'--B\r\nContent-Disposition: form-data; name="name"\r\n\r\n' + b"a" * 400_000 + b"-b\r\n--B--\r\n"
    kind = f"multipart/form-data; boundary=B; charset={charset}"

    answer = client.post("/sign-in", content=part, headers={"Content-Type": kind})

    assert answer.status_code == 415


def test_a_form_may_declare_utf_8(client):
    part = b'--B\r\nContent-Disposition: form-data; name="name"\r\n\r\nZo\xc3\xab\r\n--B--\r\n'
    kind = "multipart/form-data; boundary=B; charset=UTF-8"

    answer = client.post("/sign-in", content=part, headers={"Content-Type": kind})

    assert answer.status_code == 422
    assert 'value="Zoë"' in answer.text


def test_a_form_of_nothing_but_separators_is_rejected_unread(client):
    assert client.post("/sign-in", content=b"&" * (MAX_FIELDS + 1), headers=FORM).status_code == 413


def test_a_response_lists_a_limited_number_of_problems(sign_in, library):
    body = json.dumps({f"field {number}": 1 for number in range(2_000)})

    answer = sign_in(library.member).post("/api/v1/papers", content=body, headers=JSON)

    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == MAX_ERRORS


NO_JSON = (b"[" * 100_000, b'{"a":' * 100_000, b"[1" + b"0" * 100_000 + b"]", b'"\\ud800"', b'"\xed\xa0\x80"', b"\xff")


def test_invalid_json_is_rejected(sign_in, library):
    browser = sign_in(library.member)

    for bad in NO_JSON:
        assert browser.post("/api/v1/papers", content=bad, headers=JSON).status_code == 400, bad[:10]


def test_non_finite_numbers_are_not_accepted_as_titles(sign_in, library):
    browser = sign_in(library.member)

    for number in ("NaN", "Infinity", "-Infinity", "1e999"):
        body = f'{{"title": {number}}}'.encode()
        assert browser.post("/api/v1/papers", content=body, headers=JSON).status_code == 422, number


WRITES = [  # method, address, body, where the text stands afterwards
    ("POST", "/api/v1/papers", {"title": NUL}, ("title",)),
    ("PUT", "/api/v1/papers/{paper_id}/reading", {"status": "dropped", "reason": NUL}, ("reason",)),
    ("PUT", "/api/v1/papers/{paper_id}/summary", {"markdown": NUL, "tldr": NUL}, ("markdown", "tldr")),
    ("POST", "/api/v1/topics", {"name": NUL, "markdown": NUL}, ("name", "markdown")),
    ("POST", "/api/v1/imports", {"text": NUL, "title": NUL}, ("title",)),
    ("PATCH", "/api/v1/imports/{import_id}/entries/1", {"title": NUL}, ("title",)),
]


@pytest.mark.both_databases
def test_every_endpoint_replaces_nul_with_the_replacement_character(sign_in, library):
    browser = sign_in(library.editor)  # who has neither read nor summarised the paper

    for method, address, body, fields in WRITES:
        headers = {"If-None-Match": "*"} if address.endswith("summary") else {}
        answer = browser.request(method, library.address(address), json=body, headers=headers)
        assert answer.status_code in {200, 201}, answer.text
        assert [answer.json()[field] for field in fields] == [KEPT] * len(fields), address


NOWHERE = [
    ("POST", "/api/v1/topics", {"name": "New", "parent": NUL}, 422),
    ("POST", "/api/v1/topics/{slug}/merge", {"into": NUL}, 404),
    ("GET", "/topics/a%00b", None, 404),
    ("GET", "/api/v1/topics/a%00b", None, 404),
    ("PUT", "/api/v1/papers/{paper_id}/topics/a%00b", None, 404),
    ("GET", "/papers?q=a%00b", None, 200),
    ("GET", "/papers?q=a%00b&sort=%00", None, 200),  # an order that there is not is left out
    ("GET", "/api/v1/papers?q=a%00b&sort=%00", None, 422),
    ("GET", "/imports/{import_id}?show=%00", None, 200),
]


@pytest.mark.both_databases
def test_nul_in_a_path_or_parameter_matches_nothing_and_breaks_nothing(sign_in, library):
    browser = sign_in(library.admin)

    for method, address, body, status in NOWHERE:
        assert browser.request(method, library.address(address), json=body).status_code == status, address


NUMBERED = ("/papers/{}", "/notes/{}", "/summaries/{}/versions", "/api/v1/papers/{}", "/api/v1/jobs/{}")


@pytest.mark.both_databases
def test_a_number_beyond_every_column_returns_not_found(sign_in, library):
    browser = sign_in(library.member)

    for digits in (str(2**31), str(2**63), "9" * 18, "9" * 5_000):
        for address in NUMBERED:
            assert browser.get(address.format(digits)).status_code in {404, 422}, address


@pytest.mark.both_databases
def test_a_datetime_beyond_the_calendar_is_rejected(sign_in, library):
    browser = sign_in(library.member)

    for since in ("0001-01-01T00:00:00%2B14:00", "9999-12-31T23:59:59-14:00"):
        assert browser.get(f"/api/v1/readings?since={since}").status_code == 422, since


def test_a_datetime_without_a_time_zone_is_utc(sign_in, library):
    assert sign_in(library.member).get("/api/v1/readings?since=0001-01-01T00:00:00").status_code == 200


@pytest.mark.deep
def test_saving_with_a_version_that_never_existed_saves_nothing(sign_in, library, database):
    browser = sign_in(library.member)
    before = content(database)

    for form in ("/papers/{paper_id}/edit", "/topics/{slug}/edit", "/papers/{paper_id}/summary/edit"):
        for version in ("9" * 5_000, "²", "٣", "-1"):
            fields = {"version": version, "title": "x", "name": "Training", "markdown": "x"}
            assert browser.post(library.address(form), data=fields).status_code in {409, 422}, (form, version)
    assert content(database) == before


@pytest.mark.parametrize(
    "header",
    [
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2020 00:00:00 +99999999999999999999",
        "9" * 400,
        "٣",
        "\0",
        "(" * 100_000,
    ],
)
def test_an_absurd_retry_after_header_is_ignored(header):
    assert retry_after(header) is None
