"""Dates as notes write them: read to the precision they state, never further."""

import time
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text.titles.dates import iso_date, iso_date_in_year_field, iso_day, take_date
from tests.tables import cases


@cases(
    ("cell", "iso"),
    [
        ("2024.05", "2024-05"),
        ("2023-03", "2023-03"),
        ("2023/01/25", "2023-01-25"),
        ("【2023/01/25】", "2023-01-25"),
        ("２０２３／０５", "2023-05"),
        ("2023年5月", "2023-05"),
        ("2023年5月16日（火）", "2023-05-16"),
        ("23年5月", "2023-05"),
        ("20230516", "2023-05-16"),
        ("202305", "2023-05"),
        ("23.05", "2023-05"),
        ("[23/05]", "2023-05"),
        ("July 2019", "2019-07"),
        ("Jul 2018", "2018-07"),
        ("Mai 2019", "2019-05"),
        ("Sept. 2023", "2023-09"),
        ("Nov-2023", "2023-11"),
        ("2023 May", "2023-05"),
        ("Jan '23", "2023-01"),
        ("16 May 2023", "2023-05-16"),
        ("May 16th, 2023", "2023-05-16"),
        ("Tue, 16 May 2023", "2023-05-16"),
        ("05/2023", "2023-05"),
        ("16/05/2023", "2023-05-16"),
        ("12/25/2023", "2023-12-25"),
        ("31/12/99", "1999-12-31"),
        ("99/12/31", "1999-12-31"),
        ("4/4/24", "2024-04-04"),
        ("2023", "2023"),
        ("2023年", "2023"),
        ("Spring 2022", "2022"),
        ("2023 Q2", "2023"),
        ("Date: 2023.05", "2023-05"),
        ("日付：2023/05/16", "2023-05-16"),
        ("2023-05-16 (Tue)", "2023-05-16"),
        ("2020-05-01T10:23:00Z", "2020-05-01"),
        ("2020-05-01 10:23", "2020-05-01"),
        ("<2020-05-01 Fri>", "2020-05-01"),
        ("[2020-05-01 Fri 10:23]", "2020-05-01"),
        ("<2020-05-01 Fri 10:00-11:00>", "2020-05-01"),
        ("<2020-05-01 Fri 10:00 +1w>", "2020-05-01"),
    ],
)
def test_a_date_cell_is_read_with_its_precision(cell, iso):
    assert iso_date(cell) == iso
    assert take_date(cell) == ("", iso)


@cases(("cell", "iso"), [("9/04/24", "2024"), ("05.06.2023", "2023"), ("May/June 2019", "2019"), ("25/05/24", "")])
def test_an_ambiguous_date_is_read_only_as_far_as_both_readings_agree(cell, iso):
    assert iso_date(cell) == iso


@cases(
    "cell",
    ["2012.12345", "2005.14165", "2022-2023", "2023-24", "2023.02.30", "Jan 23", "3.14", "1/2", "May", "", "v2023.1.2"],
)
def test_an_invalid_or_uncertain_date_is_none(cell):
    assert iso_date(cell) == ""
    assert take_date(cell) == (cell, "")


@cases(
    ("text", "rest", "iso"),
    [
        ("[23/05] A Story", "A Story", "2023-05"),
        ("【2023/01/25】缓存的故事", "缓存的故事", "2023-01-25"),
        ("2023-05-16: A Story", "A Story", "2023-05-16"),
        ("2024.05 A Story", "A Story", "2024-05"),
        ("2024-05-06 | A Story", "A Story", "2024-05-06"),
        ("A Story (July 2019)", "A Story", "2019-07"),
        ("A Story, May 16, 2023", "A Story", "2023-05-16"),
        ("A Story, 2023", "A Story", "2023"),
        ("A Story (2023)", "A Story", "2023"),
        ("A Story - 2024.05", "A Story", "2024-05"),
        ("A Story 2024.05", "A Story", "2024-05"),
        ("[2023.05] A Story (2024.06)", "A Story (2024.06)", "2023-05"),
        ("A Story of 2023", "A Story of 2023", ""),
        ("The 2019 Conference", "The 2019 Conference", ""),
        ("Version 2023.1 of a Story", "Version 2023.1 of a Story", ""),
        ("Stories", "Stories", ""),
    ],
)
def test_a_date_at_either_end_of_a_text_is_removed(text, rest, iso):
    assert take_date(text) == (rest, iso)


@cases(
    ("field", "iso"),
    [
        ("'17", "2017"),
        ("’98", "1998"),
        ("FY21", "2021"),
        ("fy 85", "1985"),
        ("2021-06", "2021-06"),
        ("17", ""),
        ("A", ""),
    ],
)
def test_a_field_for_the_year_may_have_two_digits_with_their_mark(field, iso):
    assert iso_date_in_year_field(field) == iso


def test_only_a_complete_date_is_a_day():
    assert iso_day("<2020-05-01 Fri>") == "2020-05-01"
    assert iso_day("2020-05") == ""


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_date_is_read_back_from_its_usual_spellings(day):
    for form in (
        "%Y-%m-%d",
        "%Y/%m/%d",
        "%Y.%m.%d",
        "%Y年%m月%d日",
        "%d %B %Y",
        "%B %d, %Y",
        "<%Y-%m-%d %a>",
        "%Y%m%d",
    ):
        assert iso_date(day.strftime(form)) == day.isoformat()


@given(st.one_of(st.text(max_size=40), st.text("0123456789/-.年月日 ()[]May,'", max_size=30)))
def test_any_text_is_read_without_failing(text):
    rest, iso = take_date(text)
    assert len(rest) <= len(text)
    assert iso == "" or len(iso) in {4, 7, 10}


@cases("unit", ["2023-", "[", "(2023", "July ", "1/", "2023/01/ ", " ", "2023年5月"])
def test_a_long_hostile_text_is_read_quickly(unit):
    started = time.process_time()
    take_date(unit * 100_000)
    assert time.process_time() - started < 10
