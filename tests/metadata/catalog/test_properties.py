"""Whatever a dump holds: a piece is a work, nothing, or told as bad; and what is kept comes back as it was."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.metadata.catalog import loader, store
from readtrack.metadata.catalog.dumps import arxiv_json, crossref_json, dblp_xml
from readtrack.metadata.catalog.dumps.types import DumpChunk
from tests.metadata.catalog.samples import PAPER, RECORD, WORK

pytestmark = pytest.mark.slow  # `make check` is to be quick

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
_ANYTHING = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)
_FORMS = {"arxiv": (arxiv_json.FORM, PAPER), "crossref": (crossref_json.LINES, WORK)}


def odd(fields):
    return st.dictionaries(st.sampled_from(sorted(fields)), _ANYTHING, max_size=4)


def kept(said):
    """As it comes out of the catalogue."""
    return replace(store.unpack_facts(store.pack_facts(said)), links=(), service="", raw="")


@pytest.mark.parametrize("name", sorted(_FORMS))
@given(data=st.data())
def test_any_line_is_a_work_or_a_bad_line(name, data):
    form, fields = _FORMS[name]
    line = json.dumps({**fields, **data.draw(odd(fields))})
    with suppress(ValueError):
        work = loader.read_chunk(form, DumpChunk(1, line.encode()))
        if work is not None:
            assert kept(work.metadata) == replace(work.metadata, links=(), service="", raw="")
            assert store.index_numbers(work.metadata)


@given(text=st.binary(max_size=300), place=st.integers(0, len(RECORD)), cut=st.integers(0, 50))
def test_any_record_is_a_work_or_a_bad_record(text, place, cut):
    spoilt = RECORD.encode()[:place] + text + RECORD.encode()[place + cut :]
    with suppress(ValueError):
        work = loader.read_chunk(dblp_xml.FORM, DumpChunk(1, spoilt))
        assert work is None or kept(work.metadata).title == work.metadata.title


@pytest.mark.parametrize("escaped", [r"\ud800", r"\u0000", r"\uDFFF\ud83d"])
def test_unstorable_characters_are_replaced(library, escaped):
    line = json.dumps({**PAPER, "title": "Herons XX at rest"}).replace("XX", escaped)
    library.load("x.json", f"{line}\n".encode())
    assert "\ufffd" in library.known.find_title("Herons at rest")[0].title
