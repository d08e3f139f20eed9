"""Titles in italics, with a short name or a subject before them."""

from readtrack.ingest import parser
from tests.tables import cases

OTHERS = "".join(
    f"\n*A Story of {name} and Their Makers*\n" for name in ("Caches", "Wires", "Wheels", "Engines", "Looms")
)


def read(line, others=OTHERS):
    (entry,) = (entry for entry in parser.parse(f"# Things\n\n{line}\n{others}") if entry.first == 3)
    return entry


@cases(
    ("line", "title", "remark"),
    [
        ("*caches for small engines*", "caches for small engines", ""),
        ("B2W. *Caches for Small Engines*", "Caches for Small Engines", "B2W"),
        ("小型机 *caches for engines* 值得一看", "caches for engines", "小型机 值得一看"),
        ("- *Caches for Small Engines* read again", "Caches for Small Engines", "read again"),
    ],
)
def test_among_titles_in_italics_italics_are_a_title(line, title, remark):
    entry = read(line)
    assert (entry.kind, entry.title, entry.text) == ("paper", title, remark)


@cases(
    ("line", "others"),
    [
        ("*caches for small engines*", ""),
        ("*caches for small engines*", OTHERS + "\n*not yet sorted at all*\n" * 5),
        ("this is *important*", OTHERS),
        ("as told in *Journal of Engines* 1843", OTHERS),
    ],
)
def test_other_words_in_italics_are_no_title(line, others):
    assert read(line, others).kind != "paper"
