"""Sample notes of a fictional team, for trying the import."""

from importlib.resources import files


def read_sample_notes() -> str:
    """Return the text of the sample notes."""
    return files("readtrack.ingest").joinpath("sample_notes.txt").read_text(encoding="utf-8")
