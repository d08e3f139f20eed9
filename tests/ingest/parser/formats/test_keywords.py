"""Names in a field that lists keywords: split by one rule, whatever the format."""

from readtrack.ingest import parser
from tests.tables import cases

LISTED = '"Storage, caching"; Serving (batching, paging), paging、attention'
NAMES = ("Storage, caching", "Serving (batching, paging)", "paging", "attention")
QUOTED = LISTED.replace('"', '\\"')
DOUBLED = LISTED.replace('"', '""')


@cases(
    "text",
    [
        f"@article{{a,\n title={{A Story of Caches}},\n year={{2020}},\n keywords={{{LISTED}}},\n}}\n",
        f"TY  - JOUR\nTI  - A Story of Caches\nPY  - 2020\nKW  - {LISTED}\nER  - \n",
        f'[{{"type":"article","title":"A Story of Caches","keyword":"{QUOTED}"}}]',
        f'title,year,keywords\nA Story of Caches,2020,"{DOUBLED}"\n',
        f"## A Story of Caches in the Cloud\nAuthors: Ada Lovelace, Ken Abe\nKeywords: {LISTED}\n",
        f"---\ntitle: A Story of Caches\ndoi: 10.1145/1.2\ntags: {LISTED}\n---\n",
    ],
)
def test_keywords_are_split_by_one_rule_in_every_format(text):
    [paper] = [entry for entry in parser.parse(text) if entry.kind == "paper"]
    assert paper.topics == NAMES


SUBJECTS = ("C", "C++", "C#", "3D", "k8s", "V8", "R&D", "x86-64", "caches")
LIST = ", ".join(SUBJECTS)


@cases(
    "text",
    [
        f"@article{{a,\n title={{A Story of Caches}},\n keywords={{05.45.-a, 68Q15, {LIST}}},\n}}\n".replace(
            "&", r"\&"
        ),
        "TY  - JOUR\nTI  - A Story of Caches\n" + "".join(f"KW  - {name}\n" for name in SUBJECTS) + "ER  - \n",
        f'[{{"type":"article","title":"A Story of Caches","keyword":"{LIST}"}}]',
        f'title,year,tags\nA Story of Caches,2020,"{LIST}"\n',
    ],
)
def test_short_subjects_are_kept(text):
    [paper] = [entry for entry in parser.parse(text) if entry.kind == "paper"]
    assert paper.topics == SUBJECTS
