"""Signing in as the commands know it: attempts, sessions, and who they belong to."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra.errors import TooManyRequests
from readtrack.infra.models import LoginAttempt, UserSession
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import login_throttle
from readtrack.team.accounts.passwords import Verdict, check_password, fingerprint, hash_password
from tests import make
from tests.depth import DEEP

pytestmark = [
    pytest.mark.slow,
    pytest.mark.both_databases,
]  # many requests to a whole application

PASSWORD = "correct horse battery"
RIGHT = Verdict(is_correct=True)


@pytest.fixture(scope="module")
def hashed():
    return hash_password(PASSWORD)


def come_in(database, name, password=PASSWORD, address="192.0.2.1", **more):
    """The three steps, as the page takes them: the secret, or None."""
    with database.write() as tx:
        claim = commands.claim_sign_in(tx, name, address=address, device=more.pop("device", None))
    verdict = check_password(password, claim.password_hash)
    with database.write() as tx:
        person = commands.verify_claim(tx, claim, verdict)
        came_in = commands.sign_in_new(tx, person, agent="a test", **more) if person else None
    return came_in[1] if came_in else None


def visitor_of(database, secret):
    with database.read() as tx:
        return queries.find_visitor_by_sign_in(tx, secret)


@pytest.mark.deep
@pytest.mark.parametrize(
    "name", ["Ken Ito", "ken ito", "  KEN  ITO ", "Ｋｅｎ Ito", "ken@example.org", "KEN@example.org"]
)
def test_name_and_address_are_accepted_in_any_spelling(database, hashed, name):
    with database.write() as tx:
        ken = make.person(tx, "Ken Ito", email="ken@example.org", email_key="ken@example.org", password_hash=hashed)
    visitor = visitor_of(database, come_in(database, name))
    assert (visitor.id, visitor.name, visitor.scopes) == (ken.id, "Ken Ito", None)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("fields", "password"),
    [
        ({}, "wrong horse battery"),
        ({"disabled_at": clock.now()}, PASSWORD),
        ({"password_hash": ""}, PASSWORD),
        ({"password_hash": ""}, ""),
    ],
    ids=["wrong password", "disabled", "no password yet", "no password for no password"],
)
def test_nothing_else_signs_in(database, hashed, fields, password):
    with database.write() as tx:
        make.person(tx, "Ken", **{"password_hash": hashed, **fields})
    assert come_in(database, "Ken", password) is None
    assert come_in(database, "Nobody", password) is None


def test_failed_attempts_are_kept_and_a_success_resets_them(database, hashed):
    with database.write() as tx:
        make.person(tx, "Ken", password_hash=hashed)
    come_in(database, "Ken", "wrong horse battery")
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(LoginAttempt)) == 2  # the account's and the address's
    assert come_in(database, "Ken")
    with database.read() as tx:
        assert tx.scalars(sa.select(col(LoginAttempt.subject))).all() == [
            "address:192.0.2.1"
        ]  # what the wrong one cost the address


@pytest.mark.deep
def test_an_account_allows_ten_attempts_from_anywhere(database, hashed):
    with database.write() as tx:
        make.person(tx, "Ken", email="k@example.org", email_key="k@example.org", password_hash=hashed)
    for number in range(login_throttle.MAX_ATTEMPTS):
        name = "Ken" if number % 2 else "K@example.org"  # both names count together
        assert come_in(database, name, "wrong horse battery", address=f"192.0.2.{number}") is None
    with pytest.raises(TooManyRequests) as refused:
        come_in(database, "ken", address="192.0.2.99")
    assert 0 < refused.value.retry_after <= 600


@pytest.mark.one_database
def test_an_address_allows_fifty_attempts_on_any_account(database, monkeypatch):
    monkeypatch.setattr(login_throttle, "MAX_ATTEMPTS_FROM_ADDRESS", 50 if DEEP else 14)
    for number in range(login_throttle.MAX_ATTEMPTS_FROM_ADDRESS):
        assert come_in(database, f"Nobody {number}", address="192.0.2.7") is None
    with pytest.raises(TooManyRequests):
        come_in(database, "Somebody else", address="192.0.2.7")
    assert come_in(database, "Somebody else", address="192.0.2.8") is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff", True),  # one household has them all
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("testclient", "testclient", True),
    ],
)
def test_ipv6_addresses_of_one_network_count_together(one, other, same):
    assert (login_throttle.from_address(one) == login_throttle.from_address(other)) is same


@pytest.mark.deep
def test_the_limit_expires_even_if_somebody_keeps_trying(database, hashed):
    with database.write() as tx:
        make.person(tx, "Ken", password_hash=hashed)
    with time_machine.travel(clock.now(), tick=False) as clockwork:
        for number in range(login_throttle.MAX_ATTEMPTS):
            come_in(database, "Ken", "wrong horse battery", address=f"192.0.2.{number}")
        for _ in range(3):
            clockwork.shift(timedelta(minutes=3))
            with pytest.raises(TooManyRequests):
                come_in(database, "Ken", address="198.51.100.1")
        clockwork.shift(timedelta(minutes=1))
        assert come_in(database, "Ken", address="198.51.100.1")


@pytest.mark.deep
def test_others_cannot_lock_a_person_out_of_a_known_browser(database, hashed):
    with database.write() as tx:
        ken = make.person(tx, "Ken", password_hash=hashed)
        mei = make.person(tx, "Mei", password_hash=hashed)
    for number in range(login_throttle.MAX_ATTEMPTS):
        come_in(database, "Ken", "wrong horse battery", address=f"192.0.2.{number}")
    assert come_in(database, "Ken", address="198.51.100.1", device=("a word", ken.id))
    with pytest.raises(TooManyRequests):
        come_in(database, "Ken", address="198.51.100.1", device=("a word", mei.id))


def test_a_few_failures_of_others_at_one_address_lock_nobody_out(database, hashed):
    """A whole office may have one address."""
    with database.write() as tx:
        make.person(tx, "Ken", password_hash=hashed)
    for number in range(login_throttle.MAX_ATTEMPTS):
        come_in(database, f"Nobody {number}", address="192.0.2.7")
    assert come_in(database, "Ken", address="192.0.2.7")


@pytest.mark.deep
@pytest.mark.one_database
def test_a_known_browser_can_sign_in_whatever_else_was_tried_from_its_address(database, hashed, monkeypatch):
    monkeypatch.setattr(login_throttle, "MAX_ATTEMPTS_FROM_ADDRESS", 50 if DEEP else 14)
    with database.write() as tx:
        ken = make.person(tx, "Ken", password_hash=hashed)
    for number in range(login_throttle.MAX_ATTEMPTS_FROM_ADDRESS):
        come_in(database, f"Nobody {number}", address="192.0.2.7")
    assert come_in(database, "Ken", address="192.0.2.7", device=("a word", ken.id))


@pytest.mark.deep
def test_a_known_browser_has_a_limit_too(database, hashed):
    with database.write() as tx:
        ken = make.person(tx, "Ken", password_hash=hashed)
    for number in range(login_throttle.MAX_ATTEMPTS):
        come_in(database, "Ken", "wrong horse battery", address=f"192.0.2.{number}", device=("a word", ken.id))
    with pytest.raises(TooManyRequests):
        come_in(database, "Ken", address="198.51.100.1", device=("a word", ken.id))


def test_signing_in_again_ends_the_browsers_previous_session(database, hashed):
    with database.write() as tx:
        make.person(tx, "Ken", password_hash=hashed)
    first = come_in(database, "Ken")
    second = come_in(database, "Ken", instead_of=visitor_of(database, first))
    assert first != second
    assert visitor_of(database, first) is None
    assert visitor_of(database, second).name == "Ken"


def test_a_password_changed_between_the_steps_fails_the_sign_in(database, hashed):
    with database.write() as tx:
        ken = make.visitor(tx, "Ken", password_hash=hashed)
        claim = commands.claim_sign_in(tx, "Ken", address="192.0.2.1")
    with database.write() as tx:
        queries.get_person(tx, ken.id).password_hash = hash_password("another horse battery")
    with database.write() as tx:
        assert commands.verify_claim(tx, claim, RIGHT) is None


def test_a_weak_hash_is_replaced_by_the_newly_computed_one(database, hashed):
    with database.write() as tx:
        ken = make.visitor(tx, "Ken", password_hash="weak")
        claim = commands.claim_sign_in(tx, "Ken", address="192.0.2.1")
        commands.verify_claim(tx, claim, Verdict(is_correct=True, new_hash=hashed))
    with database.read() as tx:
        assert queries.get_person(tx, ken.id).password_hash == hashed


def test_a_session_ends_by_signing_out_after_thirty_days_and_by_disabling(database):
    with database.write() as tx:
        admin = make.visitor(tx, "Ada", role="admin")
        came_in = [commands.sign_in_new(tx, make.person(tx), agent="") for _ in range(3)]
        people, secrets = zip(*came_in, strict=True)
    with database.write() as tx:
        commands.sign_out(tx, people[0])
        commands.disable_person(tx, admin, people[1].id)
    assert visitor_of(database, secrets[0]) is None
    assert visitor_of(database, secrets[1]) is None
    with time_machine.travel(clock.now() + timedelta(days=29)):
        assert visitor_of(database, secrets[2]) is not None
    with time_machine.travel(clock.now() + timedelta(days=30)):
        assert visitor_of(database, secrets[2]) is None


def test_signing_out_elsewhere_keeps_this_session_and_those_of_others(database):
    with database.write() as tx:
        ken, mei = make.person(tx), make.person(tx)
        me, here = commands.sign_in_new(tx, ken, agent="")
        _, there = commands.sign_in_new(tx, ken, agent="")
        _, hers = commands.sign_in_new(tx, mei, agent="")
        commands.sign_out_others(tx, me)
    assert visitor_of(database, here) is not None
    assert visitor_of(database, there) is None
    assert visitor_of(database, hers) is not None


def test_a_session_is_stored_only_as_its_hash(database):
    with database.write() as tx:
        _, secret = commands.sign_in_new(tx, make.person(tx), agent="Firefox\x00")
    with database.read() as tx:
        row = tx.execute(sa.select(sa.text("*")).select_from(UserSession)).one()
    assert row.secret_hash == fingerprint(secret)
    assert secret not in str(row)


def test_session_use_is_recorded_at_most_once_an_hour(database):
    with time_machine.travel(clock.now(), tick=False) as clockwork:
        with database.write() as tx:
            _, secret = commands.sign_in_new(tx, make.person(tx), agent="")
        assert not visitor_of(database, secret).use_due
        clockwork.shift(timedelta(hours=1))
        visitor = visitor_of(database, secret)
        assert visitor.use_due
        with database.write() as tx:
            commands.record_use(tx, visitor)
            assert queries.list_sign_ins(tx, visitor)[0].seen_at == clock.now()
        assert not visitor_of(database, secret).use_due


def test_the_current_person_is_found_with_one_statement(database, statements):
    with database.write() as tx:
        _, secret = commands.sign_in_new(tx, make.person(tx), agent="")
    with statements() as seen:
        visitor_of(database, secret)
    assert len(seen) == 1
