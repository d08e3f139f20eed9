"""Names of authors: what a source tells of their parts is kept, and what it does not tell is guessed with care."""

import copy
import json
import pickle

from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text import person_names
from readtrack.infra.text.person_names import NameParts, PersonName, decode_names, encode_names, name_parts
from tests.tables import cases

DEL_BALSO = NameParts("Del Balso", "Mike")

ORGANIZATIONS = (
    *(
        "World Health Organization",
        "European Commission",
        "Weizmann Institute",
        "Stanford University",
        "Steering Committee",
    ),
    *("Human Genome Consortium", "Mozilla Foundation", "Linguistics Association", "Gemini Team", "Khronos Group"),
    *("Acme Inc.", "Acme Ltd", "Intel Corporation", "Kubernetes Authors", "Alan Turing Centre"),
)


@cases(
    ("name", "parts"),
    [
        ("Tao He", NameParts("He", "Tao")),
        ("Mike Del Balso", DEL_BALSO),
        ("Diederik P. Kingma", NameParts("Kingma", "Diederik P.")),
        ("Laurens van der Maaten", NameParts("Maaten", "Laurens", "van der")),
        ("Laurens Van Der Maaten", NameParts("Van Der Maaten", "Laurens")),
        ("Robbert Van Renesse", NameParts("Van Renesse", "Robbert")),
        ("Nguyen Van Linh", NameParts("Linh", "Nguyen Van")),
        ("Quoc V. Le", NameParts("Le", "Quoc V.")),
        ("Christopher De Sa", NameParts("De Sa", "Christopher")),
        ("Van Morrison", NameParts("Morrison", "Van")),
        ("Martin Luther King Jr.", NameParts("King", "Martin Luther", suffix="Jr.")),
        ("Guy L. Steele III", NameParts("Steele", "Guy L.", suffix="III")),
        ("Xiang V", NameParts("V", "Xiang")),
        ("Renée d’Angelo", NameParts("d’Angelo", "Renée")),
        ("He, Tao", NameParts("He", "Tao")),
        ("van der Aalst, Wil", NameParts("Aalst", "Wil", "van der")),
        ("King, Jr., Martin", NameParts("King", "Martin", suffix="Jr.")),
        ("山田 太郎", NameParts("山田", "太郎")),
        ("王小明", NameParts("王小明")),
        ("Иван Петров", NameParts("Петров", "Иван")),
        ("محمد علي", NameParts("محمد علي")),
        ("OpenAI", NameParts("OpenAI")),
        ("Google Research", NameParts("Google Research")),
        ("Acme, Inc.", NameParts("Acme, Inc.")),
        *((name, NameParts(name)) for name in ORGANIZATIONS),
        ("Barnes and Noble", NameParts("Barnes and Noble")),
        ("", NameParts("")),
    ],
)
def test_a_name_written_as_one_is_divided_where_that_is_safe(name, parts):
    assert name_parts(name) == parts


@cases(
    ("written", "shown", "parts"),
    [
        ("Del Balso, Mike", "Mike Del Balso", DEL_BALSO),
        ("von Neumann, John", "John von Neumann", NameParts("Neumann", "John", "von")),
        ("Ford, Jr., Henry", "Henry Ford Jr.", NameParts("Ford", "Henry", suffix="Jr.")),
        ("Doe, Jane, PhD", "Jane Doe", NameParts("Doe", "Jane")),
        ("Silva, M. A.", "M. A. Silva", NameParts("Silva", "M. A.")),
        ("van Renesse, M.D.", "M.D. van Renesse", NameParts("Renesse", "M.D.", "van")),
        ("山田, 太郎", "山田 太郎", NameParts("山田", "太郎")),
    ],
)
def test_an_inverted_name_is_shown_with_the_given_name_first_and_keeps_its_parts(written, shown, parts):
    name = person_names.given_first(written)
    assert (name, name_parts(name)) == (shown, parts)


def test_a_name_with_parts_is_a_string_that_copies_keep_whole():
    name = PersonName("Mike Del Balso", DEL_BALSO)
    assert name == "Mike Del Balso"
    assert json.dumps([name]) == '["Mike Del Balso"]'
    for other in (copy.deepcopy(name), pickle.loads(pickle.dumps(name))):
        assert (other, other.parts) == (name, DEL_BALSO)


def test_equal_names_with_other_parts_are_different_values():
    plain, told = ["Mike Del Balso"], [PersonName("Mike Del Balso", NameParts("Balso", "Mike Del"))]
    assert plain == told
    assert not person_names.is_same_value(plain, told)
    assert person_names.is_same_value(told, [*told])
    assert person_names.is_same_value(2024, 2024)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
names = st.one_of(texts, st.builds(PersonName, texts, st.builds(NameParts, texts, texts, st.just(""), texts)))


@given(st.lists(names))
def test_stored_names_come_back_with_their_parts(written):
    read = decode_names(json.loads(json.dumps(encode_names(written))))
    assert read == written
    assert [name_parts(name) for name in read] == [name_parts(name) for name in written]


@given(st.text())
def test_any_text_has_parts(text):
    parts = name_parts(text)
    assert not text.strip() or parts.family or not parts.given
