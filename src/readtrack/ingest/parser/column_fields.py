"""What the columns of a delimited file can be read as. Loaded without the parser, which is slow to load."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from readtrack.infra.text.normalize import clean_line

COLUMN_FIELDS = (
    "title", "reference", "authors", "year", "date", "venue", "publisher", "url", "doi", "arxiv", "code", "video",
    "slides", "link", "topics", "tags", "folders", "status", "read_on", "rating", "notes", "abstract", "citation_key",
    "type", "extra",
)  # fmt: skip
MAX_COLUMNS = 200
MAX_NAME_CHARS = 100
JOINED_FIELDS = frozenset({"topics", "tags", "folders", "notes", "url", "code", "link"})  # may have several columns
NEEDED_FIELDS = frozenset({"title", "reference", "url", "doi", "arxiv"})  # a paper has one of them


@dataclass(frozen=True)
class FileColumns:
    """The columns of a delimited file.

    `names`: of the header, made unique; a column without a name is called "Column 2". `fields`: what each column is
    read as, one of COLUMN_FIELDS or "" if it is not used. `samples`: a value of each. `is_table`: False if the parser
    reads the lines as free text, and `fields` are only a suggestion.
    """

    delimiter: str
    has_header: bool
    names: tuple[str, ...]
    fields: tuple[str, ...]
    samples: tuple[str, ...] = ()
    is_table: bool = True

    def with_fields(self, chosen: Mapping[str, str]) -> "FileColumns":
        """Return the columns with the chosen fields by name. Fields that the parser found give way to chosen ones."""
        taken = {field for field in chosen.values() if field not in JOINED_FIELDS}
        found = ("" if field in taken else field for field in self.fields)
        fields = (chosen.get(name, field) for name, field in zip(self.names, found, strict=True))
        return replace(self, fields=tuple(fields), is_table=True)

    @property
    def has_paper_names(self) -> bool:
        """True if a column holds what each paper is recognized by."""
        return not NEEDED_FIELDS.isdisjoint(self.fields)


def cut_name(name: str) -> str:
    """Return the name of a column as it is shown and compared."""
    return clean_line(name)[:MAX_NAME_CHARS].strip()
