"""The JSON of a preview and the count of lines."""

import json

from readtrack.ingest import parser


def test_the_preview_uses_the_api_field_names_in_line_order():
    text = "# Caches\nA Story (OSDI'22)\nhttps://arxiv.org/pdf/2305.15778v2\n"
    topic, paper = parser.preview_json(parser.parse(text), "notes.txt")
    assert topic["kind"] == "topic"
    assert json.loads(json.dumps(paper)) == {
        "file": "notes.txt",
        "lines": [2, 3],
        "part": 1,
        "kind": "paper",
        "identifiers": ["arxiv:2305.15778"],
        "mentions": [],
        "twin": "",
        "links": [{"url": paper["links"][0]["url"], "role": "pdf"}],
        "title": "A Story",
        "topics": ["Caches"],
        "aliases": [],
        "venue": "OSDI",
        "year": 2022,
        "authors": [],
        "date": "",
        "read_on": "",
        "rating": "",
        "abstract": "",
        "status": None,
        "details": None,
        "text": "",
        "decision": "add",
        "reason": "",
    }


def test_kept_items_show_their_own_kind_and_others_the_entry_kind():
    text = "https://zenn.dev/a/articles/0123456789abcd\nhttps://zenn.dev/a/articles/0123456789abcd x\n- NCCL\n"
    assert [each["kind"] for each in parser.preview_json(parser.parse(text), "")] == ["article", "mention", "topic"]


def test_the_tally_counts_lines_not_entries():
    entries = parser.parse("A\nhttps://arxiv.org/abs/2305.15778\n\n\nhttps://github.com/c/d できる？\n")
    assert parser.tally(entries) == {"paper": 3, "blank": 2, "question": 0}
