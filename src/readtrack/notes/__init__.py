"""Raw notes become entries. Pure: no network, no database. One file per shape of note, told apart by content.

lines -> shapes/* (headings, lists, tables, title and address …), which ask found, phrases, titles, wording -> repeats
"""

from readtrack.notes.decoding import decode
from readtrack.notes.entry import Entry
from readtrack.notes.preview import preview_json, tally
from readtrack.notes.reading import parse

__all__ = ["Entry", "decode", "parse", "preview_json", "tally"]
