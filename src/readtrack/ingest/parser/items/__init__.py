"""One piece of a note, a bullet or a line: its links parted by what they are of, and each thing an entry. Pure."""
