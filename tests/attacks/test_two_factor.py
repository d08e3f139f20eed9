"""A29: a second factor is asked of everybody who has one, each code counts once, and guessing ends soon."""

import base64
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import lxml.html
import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra.errors import TooManyRequests
from readtrack.infra.models import Identity, LoginAttempt, PendingSignIn, Person, UserSession
from readtrack.infra.permissions import OPERATOR
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import CodeAttempt, login_throttle, second_factor, sessions
from readtrack.team.accounts.commands.second_factor import verify_code
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.schemas import TokenCreate
from tests import make
from tests.provider import said

pytestmark = pytest.mark.slow  # many requests to a whole application

PASSWORD = "correct horse battery"
KEY = "only for tests " * 4
SALT = "5a" * 16


@pytest.fixture(scope="module")
def hashed():
    return hash_password(PASSWORD)


@pytest.fixture
def ken(database, hashed):
    """With a second factor, turned on an hour ago."""
    with database.write() as tx:
        someone = make.visitor(tx, "Ken", password_hash=hashed, totp_salt=SALT)
        person = queries.get_person(tx, someone.id)
        person.recovery = [second_factor.recovery_hash(f"aaaa-bbbb-cccc-dd{number:02}") for number in range(10)]
        person.totp_step = int(clock.now().timestamp() // 30) - 120
    return someone


def code_now(person, later=0.0):
    secret = second_factor.derive_secret(KEY, SALT, person.id)
    return second_factor.authenticator(secret).generate_otp(int((clock.now().timestamp() + later) // 30))


def password_given(client, **more):
    return client.post("/sign-in", data={"name": "Ken", "password": PASSWORD, **more})


def code_given(client, code):
    return client.post("/sign-in/code", data={"code": code})


def is_in(client):
    return client.get("/api/v1/me").status_code == 200


def text(answer):
    return " ".join(lxml.html.fromstring(answer.text).text_content().split())


def test_a29_the_password_alone_does_not_sign_in(client, ken, database):
    answer = password_given(client, next="/topics")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in/code")
    assert not is_in(client)
    assert client.get("/papers").headers["location"].startswith("/sign-in?")
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(UserSession)) == 0
    done = code_given(client, code_now(ken))
    assert (done.status_code, done.headers["location"]) == (303, "/topics")
    assert is_in(client)


def test_a29_a_code_without_the_password_does_not_sign_in(client, ken):
    assert "sign-in has expired" in said(client, code_given(client, code_now(ken)))
    client.cookies["readtrack-waiting"] = "guessed"
    assert "sign-in has expired" in said(client, code_given(client, code_now(ken)))
    assert not is_in(client)


def test_a29_a_code_can_be_used_only_once(browsers, ken):
    browser, code = browsers(), code_now(ken)
    first, second = browser(), browser()
    password_given(first)
    password_given(second)
    assert code_given(first, code).status_code == 303
    assert code_given(second, code).status_code == 422
    assert not is_in(second)
    earlier = code_now(ken, -30.0)
    assert code_given(second, earlier).status_code == 422


def at_once(database, person, code):
    """Who comes in of four browsers that bring the same code."""
    with database.write() as tx:
        secrets = [commands.start_code_step(tx, queries.get_person(tx, person.id), next_path="/") for _ in range(4)]

    def use(secret):
        with database.write() as tx:
            waiting = sessions.find_pending_sign_in(tx, "code", secret)
            return waiting is not None and commands.complete_code_step(tx, waiting, CodeAttempt(code, KEY)) is not None

    with ThreadPoolExecutor(4) as threads:
        return sorted(threads.map(use, secrets))


def test_a29_only_one_of_two_concurrent_uses_of_a_code_succeeds(database, ken):
    assert at_once(database, ken, code_now(ken)) == [False, False, False, True]


def test_a29_concurrent_wrong_guesses_are_all_counted(database, ken):
    assert at_once(database, ken, "000000") == [False] * 4
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(LoginAttempt)) == 4


def test_a29_a_recovery_code_can_be_used_only_once(browsers, ken):
    browser = browsers()
    for status in (303, 422):
        client = browser()
        password_given(client)
        assert code_given(client, " AAAA bbbb-cccc-dd01 ").status_code == status
    client = browser()
    password_given(client)
    assert code_given(client, "aaaa-bbbb-cccc-dd02").status_code == 303


def test_a29_only_one_of_two_concurrent_uses_of_a_recovery_code_succeeds(database, ken):
    assert at_once(database, ken, "aaaa-bbbb-cccc-dd01") == [False, False, False, True]
    with database.read() as tx:
        assert len(queries.get_person(tx, ken.id).recovery) == 9


def test_a29_wrong_codes_are_limited_across_new_password_steps(browsers, ken):
    browser = browsers()
    client = browser()
    for number in range(10):
        if number % 3 == 0:
            client = browser()
            password_given(client)
        assert code_given(client, f"{number:06}").status_code == 422
    client = browser()
    password_given(client)
    refused = code_given(client, code_now(ken))
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 60
    assert not is_in(client)


@pytest.mark.deep
def test_a29_guessing_codes_locks_out_only_unknown_clients(browsers, ken):
    browser = browsers()
    known, eve = browser(), browser()
    password_given(known)
    code_given(known, "aaaa-bbbb-cccc-dd03")
    known.post("/sign-out")
    password_given(eve)
    for number in range(11):
        code_given(eve, f"{number:06}")
    password_given(known)
    assert code_given(known, code_now(ken)).status_code == 303


def test_a29_malformed_input_is_a_wrong_code(client, ken):
    password_given(client)
    for code in ("", "0", "000000\x00", "9" * 10_000, "٠٠٠٠٠٠", "-", "aaaa-bbbb-cccc-dddd", "%", "1e5"):
        assert code_given(client, code).status_code == 422, code
        assert not is_in(client)


def test_a29_a_pending_sign_in_expires_after_minutes(client, ken):
    password_given(client)
    with time_machine.travel(clock.now() + timedelta(minutes=6), tick=False):
        assert "sign-in has expired" in said(client, code_given(client, code_now(ken)))


def test_a29_a_pending_sign_in_ends_when_the_person_is_disabled(client, ken, database):
    password_given(client)
    with database.write() as tx:
        commands.disable_person(tx, make.visitor(tx, "Ada", role="admin"), ken.id)
    code_given(client, code_now(ken))
    assert not is_in(client)


def test_a29_a_pending_sign_in_ends_when_the_password_changes(client, sign_in, ken, database):
    """Whoever knew the old password does not wait there for a code."""
    password_given(client)
    change = {"current": PASSWORD, "password": "another horse battery", "code": code_now(ken)}
    assert sign_in(ken).post("/settings/password", data=change).status_code == 303
    assert "sign-in has expired" in said(client, code_given(client, code_now(ken)))
    assert not is_in(client)


def test_a29_a_pending_sign_in_ends_when_the_password_is_reset(browsers, ken, database):
    browser = browsers()
    waiting, owner = browser(), browser()
    password_given(waiting)
    with database.write() as tx:
        code = commands.create_reset_link(tx, make.visitor(tx, "Ada", role="admin"), ken.id)
    assert owner.post(f"/invitations/accept/{code}", data={"password": "another horse battery"}).status_code == 303
    assert "sign-in has expired" in said(waiting, code_given(waiting, code_now(ken)))
    assert not is_in(waiting)


@pytest.mark.parametrize("way", ["", "/proxy"])
def test_a29_adding_a_sign_in_method_without_a_code_requires_a_code(browsers, provider, ken, database, way):
    """Else whoever holds the session, but not the app, comes in for ever."""
    given = {
        "oidc_issuer": provider.url,
        "oidc_client_id": "me",
        "auth_header": "X-User",
        "trusted_proxies": "192.0.2.7",
    }
    client = browsers(**given)()
    client.headers["X-User"] = "eve"
    password_given(client)
    code_given(client, "aaaa-bbbb-cccc-dd01")
    path = f"/settings/identities{way}"
    assert "Authentication code" in client.get("/settings/identities").text
    for wrong, sentence in (("", "Enter the code"), ("000000", "Incorrect or already used code")):
        refused = client.post(path, data={"current": PASSWORD, "code": wrong})
        assert refused.status_code == 422
        assert sentence in refused.text
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Identity)) == 0
        assert tx.scalar(sa.select(sa.func.count()).select_from(PendingSignIn)) == 0
    assert client.post(path, data={"current": PASSWORD, "code": code_now(ken)}).status_code in {200, 303}


def test_a29_a_password_reset_link_requires_the_code_too(client, ken, database):
    with database.write() as tx:
        code = commands.create_reset_link(tx, make.visitor(tx, "Ada", role="admin"), ken.id)
    answer = client.post(f"/invitations/accept/{code}", data={"password": "another horse battery"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in/code")
    assert not is_in(client)
    with database.read() as tx:
        assert queries.get_person(tx, ken.id).totp_salt == SALT


def test_a29_a_pending_sign_in_of_another_kind_is_not_accepted(client, ken, database):
    with database.write() as tx:
        secret = sessions.start_pending_sign_in(tx, "oidc", next_path="/", person_id=ken.id)
    client.cookies["readtrack-waiting"] = secret
    code_given(client, code_now(ken))
    assert not is_in(client)


def test_a29_a_token_cannot_disable_two_factor_or_read_the_secret(client, ken, database):
    for scope in ("read", "write", "feed"):
        with database.write() as tx:
            _, secret = commands.create_token(tx, ken, TokenCreate(name="ci", scopes=[scope]))
        headers = {"Authorization": f"Bearer {secret}"}
        for path in ("second-factor", "second-factor/new", "second-factor/off", "second-factor/codes", "identities"):
            data = {"code": code_now(ken), "secret": ""}
            answer = client.post(f"/settings/{path}", data=data, headers=headers)
            assert answer.status_code in {403, 404}, (scope, path)
            assert "otpauth" not in answer.text
    with database.read() as tx:
        assert queries.get_person(tx, ken.id).totp_salt == SALT


def test_a29_disabling_two_factor_requires_a_code_and_ends_other_sessions(sign_in, ken, database):
    here, elsewhere = sign_in(ken), sign_in(ken)
    assert here.post("/settings/second-factor/off", data={"current": PASSWORD, "code": "000000"}).status_code == 422
    assert is_in(elsewhere)
    assert "Saved" in said(
        here, here.post("/settings/second-factor/off", data={"current": PASSWORD, "code": code_now(ken)})
    )
    assert is_in(here)
    assert not is_in(elsewhere)
    with database.read() as tx:
        person = queries.get_person(tx, ken.id)
        assert (person.totp_salt, person.totp_step, person.recovery) == ("", 0, [])


def test_two_factor_is_enabled_with_a_code_from_its_secret(sign_in, database, hashed):
    with database.write() as tx:
        mei = make.visitor(tx, "Mei", password_hash=hashed)
    here, elsewhere = sign_in(mei), sign_in(mei)
    page = lxml.html.fromstring(here.post("/settings/second-factor/new").text)
    kept = page.xpath("string(//input[@name='secret']/@value)")
    shown = page.xpath("string(//figcaption/code)").replace(" ", "")
    wrong = here.post("/settings/second-factor", data={"secret": kept, "code": "000000", "current": PASSWORD})
    assert wrong.status_code == 422
    assert shown in wrong.text.replace(" ", "")
    secret = base64.b32decode(shown)
    code = second_factor.authenticator(secret).generate_otp(int(clock.now().timestamp() // 30))
    done = here.post("/settings/second-factor", data={"secret": kept, "code": code, "current": PASSWORD})
    codes = lxml.html.fromstring(done.text).xpath("//ol/li/code/text()")
    assert len(codes) == 10
    assert not is_in(elsewhere)
    me = here.get("/api/v1/me").json()
    assert (me["second_factor"], me["recovery_codes"]) == (True, 10)
    with database.read() as tx:
        person = queries.get_person(tx, mei.id)
        assert second_factor.recovery_hash(codes[0]) in person.recovery
        assert not {*codes, shown} & {*person.recovery, person.totp_salt}


def test_a_secret_created_for_another_person_enables_nothing(sign_in, database, hashed):
    with database.write() as tx:
        mei, eve = (make.visitor(tx, name, password_hash=hashed) for name in ("Mei", "Eve"))
    offered = lxml.html.fromstring(sign_in(eve).post("/settings/second-factor/new").text)
    kept = offered.xpath("string(//input[@name='secret']/@value)")
    for secret in (kept, kept[:-2] + "AA", "", "nonsense"):
        answer = sign_in(mei).post("/settings/second-factor", data={"secret": secret, "code": "000000"})
        assert answer.status_code == 400, secret


def test_new_recovery_codes_replace_the_old_ones(sign_in, browsers, ken):
    page = sign_in(ken).post("/settings/second-factor/codes", data={"code": code_now(ken), "current": PASSWORD})
    codes = lxml.html.fromstring(page.text).xpath("//ol/li/code/text()")
    client = browsers()()
    password_given(client)
    assert code_given(client, "aaaa-bbbb-cccc-dd05").status_code == 422
    assert code_given(client, codes[3]).status_code == 303


def test_the_operator_can_disable_two_factor_for_a_person_who_lost_it(sign_in, client, ken, database):
    here = sign_in(ken)
    with database.write() as tx:
        assert commands.reset_second_factor(tx, OPERATOR, ken.id)
        assert not commands.reset_second_factor(tx, OPERATOR, ken.id)
    assert not is_in(here)
    assert password_given(client).headers["location"] == "/"


def test_a29_after_the_secret_key_changes_only_recovery_codes_work(browsers, ken):
    browser = browsers(secret_key="another key " * 4)
    client = browser()
    password_given(client)
    assert code_given(client, code_now(ken)).status_code == 422
    assert code_given(client, "aaaa-bbbb-cccc-dd01").status_code == 303
    assert is_in(client)


def test_a_copy_of_the_database_is_not_enough_to_generate_codes(database, ken):
    with database.read() as tx:
        row = tx.execute(sa.select(*sa.inspect(Person).columns).where(col(Person.id) == ken.id)).one()
        assert tx.scalar(sa.select(sa.func.count()).select_from(PendingSignIn)) == 0
    told = repr(row)
    assert second_factor.format_secret(second_factor.derive_secret(KEY, SALT, ken.id)).replace(" ", "") not in told
    assert second_factor.derive_secret("another secret key", SALT, ken.id) != second_factor.derive_secret(
        KEY, SALT, ken.id
    )


def test_the_code_page_explains_what_to_do(client, ken):
    password_given(client)
    page = text(client.get("/sign-in/code"))
    assert "recovery code" in page
    assert "reset-second-factor" in page


def test_a29_each_wrong_code_lengthens_the_delay_up_to_a_day(database, ken):
    start, waits = clock.now(), []
    later = timedelta(0)
    for _ in range(20):
        with time_machine.travel(start + later, tick=False), database.write() as tx:
            person = queries.get_person(tx, ken.id)
            assert not verify_code(tx, person, CodeAttempt("000000", KEY))
        wait = wait_after(database, ken, start + later)
        waits.append(wait)
        later += timedelta(seconds=wait)
    assert waits[:9] == [0] * 9
    assert waits[9:] == [600, 1200, 2400, 4800, 9600, 19200, 38400, 76800, 86400, 86400, 86400]


def wait_after(database, person, moment):
    """How long the next code has to wait, which is not tried."""
    with time_machine.travel(moment, tick=False), database.write() as tx, tx.begin_nested() as undone:
        try:
            login_throttle.count_attempt(tx, f"code:{person.id}")
        except TooManyRequests as refused:
            return refused.retry_after
        undone.rollback()
    return 0


def test_a29_a_correct_code_resets_the_wrong_code_counter(database, ken):
    with database.write() as tx:
        for _ in range(9):
            verify_code(tx, queries.get_person(tx, ken.id), CodeAttempt("000000", KEY))
        assert verify_code(tx, queries.get_person(tx, ken.id), CodeAttempt(code_now(ken), KEY))
        assert tx.scalar(sa.select(sa.func.count()).select_from(LoginAttempt)) == 0


def test_a29_wrong_codes_do_not_expire_after_ten_minutes_like_wrong_passwords(database, ken):
    with database.write() as tx:
        for _ in range(10):
            login_throttle.count_attempt(tx, f"code:{ken.id}")
        login_throttle.count_attempt(tx, f"person:{ken.id}")
    with time_machine.travel(clock.now() + timedelta(minutes=11)), database.write() as tx:
        login_throttle.count_attempt(tx, f"code:{ken.id}")
        with pytest.raises(TooManyRequests):
            login_throttle.count_attempt(tx, f"code:{ken.id}")
        assert tx.scalar(sa.select(sa.func.count()).select_from(LoginAttempt)) == 11
