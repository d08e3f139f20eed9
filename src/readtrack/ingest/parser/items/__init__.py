"""Parsing of one piece of a note, such as a bullet or a line, into entries by its links."""
