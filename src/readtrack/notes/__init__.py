"""Raw notes become entries. Pure: no network, no database. One file per shape of note, told apart by content.

lines -> inline -> shapes/*, which ask headings, pieces, tables, org, bibliography, words -> repeats -> aliases
"""

from readtrack.notes.decoding import decode
from readtrack.notes.entry import Entry
from readtrack.notes.preview import preview_json, tally
from readtrack.notes.reading import parse

__all__ = ["Entry", "decode", "parse", "preview_json", "tally"]
