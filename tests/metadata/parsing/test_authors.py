"""Names in answers: who wrote a work, and what only stands where a name is due."""

import time

import pytest

from readtrack.metadata.parsing import authors, citation_cff, json_fields
from tests.tables import cases

NOBODIES = [
    "et al.", "et. al", "and others", "Anonymous", "Anonymous Authors", "admin", "Administrator", "Editor",
    "Editorial Staff", "Unknown", "null", "N/A", "", " ", ":", "…", "@kettle", "https://www.example.com/kettle",
    "www.example.com", "Website design and development by Kettle", "Powered by Kettle", "x" * 301,
]  # fmt: skip
SOMEBODIES = [
    "Jane Doe",
    "D N Astrov",
    "X",
    "山田 花子",
    "Kettle Collaboration",
    "Others Ann",
    "Alan Editor",
    "Ng",
    "Ko",
]
WRITTEN = [
    ("HEIDRUN", "KIRSCHKE", "Heidrun Kirschke"),
    ("JEAN-PAUL", "O'BRIEN", "Jean-Paul O'Brien"),
    ("AJ", "WAKEFIELD", "AJ Wakefield"),
    ("J. R.", "SMITH", "J. R. Smith"),
    ("XU", "LI", "XU LI"),
    ("", "ATLAS", "ATLAS"),
    ("Yann", "LeCun", "Yann LeCun"),
    ("Jane", "DOE", "Jane DOE"),
    ("花子", "山田", "花子 山田"),
]


@cases("name", NOBODIES)
def test_text_that_is_not_a_name_gives_no_author(name):
    assert authors.is_nobody(name)
    assert json_fields.author_names([name, "Jane Doe"]) == ("Jane Doe",)


@cases("name", SOMEBODIES)
def test_a_name_gives_an_author(name):
    assert not authors.is_nobody(name)


@cases(("given", "family", "shown"), WRITTEN)
def test_names_in_capitals_are_written_in_title_case(given, family, shown):
    assert json_fields.person_name(given, family) == shown


def test_an_academic_degree_is_not_part_of_a_name():
    assert json_fields.person_name("Jane", "Doe", "PhD") == "Jane Doe"
    assert json_fields.person_name("Jane", "Doe", "Jr.") == "Jane Doe Jr."


@cases(
    ("title", "subtitle", "whole"),
    [
        ("Kettles", "a Study", "Kettles: a Study"),
        ("Kettles:", "a Study", "Kettles: a Study"),
        ("Kettles?", "A Study", "Kettles? A Study"),
        ("Kettles", "(invited)", "Kettles (invited)"),
        ("Kettles: A Study", "a study", "Kettles: A Study"),
        ("Kettles", "", "Kettles"),
        ("", "A Study", ""),
    ],
)
def test_a_subtitle_follows_its_title(title, subtitle, whole):
    assert json_fields.join_title(title, subtitle) == whole


@cases("piece", [" ", "\n", ", ", "<", "</", "<p>", "et al ", "@a.b", "by "])
def test_hostile_responses_are_parsed_quickly(piece):
    text = piece * (50_000 // len(piece))
    started = time.perf_counter()
    json_fields.prose(text)
    json_fields.line(text)
    authors.is_nobody(text)
    assert time.perf_counter() - started < 10


@pytest.mark.deep
@pytest.mark.parametrize("brackets", ["{" * 50_000, "[" * 50_000, "{a: " * 10_000])
def test_deeply_nested_brackets_are_not_followed(brackets):
    started = time.perf_counter()
    assert citation_cff.parse_citation(f"cff-version: 1.2.0\ntitle: {brackets}") == {}
    assert time.perf_counter() - started < 10


def test_unstorable_text_is_cleaned():
    assert json_fields.line("Ket\0tle \ud800") == "Ket\ufffdtle \ufffd"
    assert "\0" not in json_fields.prose("Wa\0rm")
