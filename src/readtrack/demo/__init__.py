"""A library to look round in: what it holds is in `content`, how it comes into a database in `filling`."""

from readtrack.demo.content import sample_notes
from readtrack.demo.filling import fill

__all__ = ["fill", "sample_notes"]
