"""Codes of authenticator apps: those of the standard, each once, for about half a minute."""

import base64
import re
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.team.accounts.commands import second_factor

OF_THE_STANDARD = b"12345678901234567890"


@pytest.mark.parametrize(
    ("seconds", "code"),
    [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924"), (20000000000, "353130")],
)
def test_codes_follow_rfc_6238(seconds, code):
    assert second_factor.authenticator(OF_THE_STANDARD).generate_otp(seconds // 30) == code


@pytest.mark.parametrize(("early", "fits"), [(-61, False), (-30, True), (0, True), (30, True), (61, False)])
def test_a_code_is_valid_one_step_before_and_after(early, fits):
    now = 1_800_000_015.0
    code = second_factor.authenticator(OF_THE_STANDARD).generate_otp(int((now + early) // 30))
    assert (second_factor.find_step(OF_THE_STANDARD, code, now=now, last_step=0) is not None) == fits


def test_a_code_is_valid_once_and_invalidates_earlier_ones():
    now = 1_800_000_000.0
    here = int(now // 30)
    used = second_factor.find_step(
        OF_THE_STANDARD, second_factor.authenticator(OF_THE_STANDARD).generate_otp(here), now=now, last_step=0
    )
    assert used == here
    for step in (here - 1, here):
        assert (
            second_factor.find_step(
                OF_THE_STANDARD,
                second_factor.authenticator(OF_THE_STANDARD).generate_otp(step),
                now=now,
                last_step=used,
            )
            is None
        )


def test_a_corrected_clock_that_was_years_ahead_locks_nobody_out():
    now = 1_800_000_000.0
    here = int(now // 30)
    code = second_factor.authenticator(OF_THE_STANDARD).generate_otp(here)
    assert second_factor.find_step(OF_THE_STANDARD, code, now=now, last_step=here + 1_000_000) == here
    assert second_factor.find_step(OF_THE_STANDARD, code, now=now, last_step=here + 10) is None


@pytest.mark.parametrize("typed", ["287 082", " 287-082 ", "287082\n"])
def test_a_code_may_be_typed_in_groups(typed):
    assert second_factor.find_step(OF_THE_STANDARD, typed, now=59.0, last_step=0) == 1


@pytest.mark.parametrize("typed", ["", "28708", "2870820", "28708x", "２８７０８２", "-287082-0", "287082\0"])
def test_an_invalid_code_never_matches(typed):
    assert second_factor.find_step(OF_THE_STANDARD, typed, now=59.0, last_step=0) is None


@given(st.text(max_size=40))
def test_any_input_is_accepted_without_an_error(text):
    assert second_factor.find_step(OF_THE_STANDARD, text, now=59.0, last_step=0) in {None, 0, 1, 2}
    assert re.fullmatch(r"[0-9a-f]{64}", second_factor.recovery_hash(text))


def test_each_person_and_each_salt_have_their_own_secret():
    secrets = {
        second_factor.derive_secret(key, salt, person) for key in ("k", "l") for salt in ("s", "t") for person in (1, 2)
    }
    assert len(secrets) == 8
    assert {len(secret) for secret in secrets} == {20}


def test_the_otpauth_url_contains_secret_issuer_and_name():
    told = urlsplit(second_factor.provisioning_uri(OF_THE_STANDARD, "青木: 陽子", "reading.example.org"))
    fields = parse_qs(told.query)
    assert (told.scheme, told.netloc) == ("otpauth", "totp")
    assert unquote(told.path) == "/readtrack (reading.example.org):青木  陽子"
    assert fields["secret"] == [base64.b32encode(OF_THE_STANDARD).decode()]
    assert fields["issuer"] == ["readtrack (reading.example.org)"]


def test_a_port_is_not_mistaken_for_a_name():
    told = urlsplit(second_factor.provisioning_uri(OF_THE_STANDARD, "Ken", "127.0.0.1:8000"))
    assert unquote(told.path).split(":") == ["/readtrack (127.0.0.1 8000)", "Ken"]


def test_the_qr_code_is_an_svg_without_scripts():
    kind, _, drawn = unquote(second_factor.qr_code_uri("otpauth://totp/<script>")).partition(",")
    assert kind.startswith("data:image/svg+xml")
    assert "<svg" in drawn
    assert not re.search(r"script|on\w+=|href", drawn)


def test_recovery_codes_are_many_and_long_and_compared_ignoring_formatting():
    codes = second_factor.new_recovery()
    assert len(set(codes)) == second_factor.RECOVERY_CODES
    assert all(re.fullmatch(r"([a-z2-7]{4}-){3}[a-z2-7]{4}", code) for code in codes)
    assert second_factor.recovery_hash(codes[0].upper().replace("-", " ")) == second_factor.recovery_hash(codes[0])
