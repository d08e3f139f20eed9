"""Passwords and secrets: compared slowly, stored as hashes only."""

import hashlib

import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from readtrack.team.accounts.passwords import check_password, fingerprint, hash_password, new_secret
from readtrack.team.accounts.schemas import PasswordSet


def test_the_correct_password_matches_and_others_do_not():
    stored = hash_password("correct horse battery")
    assert check_password("correct horse battery", stored).is_correct
    assert not check_password("correct horse batterz", stored).is_correct


def test_a_hash_names_its_algorithm_and_does_not_contain_the_password():
    stored = hash_password("correct horse battery")
    assert stored.startswith("$argon2id$")
    assert "horse" not in stored


def test_a_password_matches_in_any_unicode_composition():
    assert check_password("cafe\u0301 au lait, twice", hash_password("caf\u00e9 au lait, twice")).is_correct


@pytest.mark.parametrize("password", ["", "anything at all"])
def test_an_unknown_person_matches_no_password(password):
    verdict = check_password(password, "")
    assert not verdict.is_correct
    assert verdict.new_hash is None


def test_an_outdated_hash_is_replaced_after_a_correct_password():
    weak = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=1024, parallelism=1),)).hash("correct horse battery")
    verdict = check_password("correct horse battery", weak)
    assert verdict.is_correct
    assert verdict.new_hash is not None
    assert check_password("correct horse battery", verdict.new_hash) == type(verdict)(is_correct=True)


def test_secrets_are_unique_and_long():
    made = {new_secret("rt_") for _ in range(100)}
    assert len(made) == 100
    assert all(secret.startswith("rt_") and len(secret) >= 46 for secret in made)


def test_a_fingerprint_is_the_sha_256_of_the_secret():
    assert fingerprint("rt_abc") == hashlib.sha256(b"rt_abc").hexdigest()


@pytest.mark.parametrize(
    "password",
    [
        "passwordpassword",
        "Password1234!",
        "P@ssw0rdP@ssw0rd",
        "qwertyuiopasdf",
        "1q2w3e4r5t6y",
        "123456789012",
        "abcdefghijkl",
        "aaaaaaaaaaaa",
        "letmeinletmein",
        "iloveyou1234",
        "KenIto KenIto",
        "ken.ito@example.org1",
        "kenitokenito",
        "KenIto123456",
    ],
)
def test_an_easily_guessed_password_is_refused(password):
    with pytest.raises(ValueError, match="easy to guess"):
        PasswordSet(name="Ken Ito", email="ken.ito@example.org", password=password)


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "an old one, and long",
        "私の長い合言葉はこれです",
        "x7#Kp2 vQz9!m",
        "seven ships sail " * 15,
    ],
)
def test_a_strong_password_is_accepted_at_any_length(password):
    assert PasswordSet(name="Ken Ito", email="ken.ito@example.org", password=password).password == password
