"""Names that look like another, or like nothing, are refused."""

import unicodedata
from email.utils import getaddresses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.errors import SourceRefused
from readtrack.infra.mail import build_message
from readtrack.infra.text import normalize
from readtrack.team.accounts import names as accounts_names


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Ken", "Ken"),
        ("  Ken   Ito ", "Ken Ito"),
        ("Ｋｅｎ", "Ken"),  # full width
        ("伊藤 健", "伊藤 健"),
        ("O'Neil-Smith Jr.", "O'Neil-Smith Jr."),
        ("Ken Кузнецов", "Ken Кузнецов"),  # each word in one alphabet
        ("שרה", "שרה"),
        ("e\u0301lodie", "élodie"),
        ("x" * 80, "x" * 80),
    ],
)
def test_a_name_is_stored_in_normalised_form(typed, kept):
    assert accounts_names.normalize_person_name(typed) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   ",
        "--",
        "x" * 81,
        "ﷺ" * 10,  # 18 letters each after NFKC
        "Ann\u200b",  # zero width space
        "Ann\u202e",  # right-to-left override
        "\u2066Ann",  # isolate
        "Ann\ufe0f",  # variation selector
        "\u3164",  # Hangul filler: a letter that shows nothing
        "\u2800",  # blank Braille
        "Ann\ufffc",  # where an object was
        "Ann\U00016fe4",  # Khitan filler
        "Ann\U0001d159",  # a note without its head
        "Ann\x00",
        "Ann\nBo",
        "Ann\ud800",
        "\u0430nn",  # Cyrillic a before Latin nn
        "Ρaul",  # Greek Rho
        "A" + "\u0301" * 1000,
    ],
)
def test_a_misleading_name_is_refused(typed):
    with pytest.raises(ValueError, match=r"\.$"):
        accounts_names.normalize_person_name(typed)


@given(st.text(max_size=100))
def test_normalising_a_stored_value_changes_nothing(text):
    try:
        kept = accounts_names.normalize_person_name(text)
    except ValueError:
        return
    assert accounts_names.normalize_person_name(kept) == kept
    assert normalize.key(kept) == normalize.key(text)
    assert all(unicodedata.category(c) not in {"Cc", "Cf"} for c in kept)


@pytest.mark.parametrize("typed", ["ken@example.org", "ken.ito+papers@example.org", "健@例え.jp"])
def test_a_mail_address_is_stored_as_typed(typed):
    assert accounts_names.normalize_email(typed) == typed


@pytest.mark.parametrize(
    "typed",
    [
        "ken", "ken@", "@example.org", "a@b@c", "a b@c", "a@b\u200b", "x" * 250 + "@b.cd", "a,b@c.d", "a@b,c.d",
        "<a@b.c>", "a(b)@c.d", '"a"@b.c', "g:a@b.c;", "a@[127.0.0.1]", "a@[b", ".a@b.c", "a..b@c.d", "a\\b@c.d",
    ],
)  # fmt: skip
def test_an_invalid_mail_address_is_refused(typed):
    with pytest.raises(ValueError, match=r"\.$"):
        accounts_names.normalize_email(typed)


@given(st.from_regex(r"[a.,;:<>()\[\]\"'\\=?%é日_+-]{1,8}@[a.,;:<>()\[\]\"'\\=?%é日_+-]{1,8}", fullmatch=True))
def test_mail_to_a_stored_address_goes_to_one_recipient_or_nowhere(typed):
    """Whoever writes one letter after another is not stopped by an address that somebody typed."""
    try:
        to = build_message(accounts_names.normalize_email(typed), "Hello", "World")["To"]
    except (ValueError, SourceRefused):
        return
    assert len(to.addresses) == len(getaddresses([str(to)])) == 1
