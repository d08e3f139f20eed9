"""Input models of comparisons, shared by forms and the JSON API."""

from collections import Counter
from typing import Annotated, Self

from pydantic import Field, model_validator

from readtrack.infra.i18n import gettext as _
from readtrack.infra.schemas import StrictModel
from readtrack.infra.text.input_types import OneLine
from readtrack.library.comparisons import scale as comparisons_scale
from readtrack.library.comparisons.parse_table import LONGEST_CELL, MOST_COLUMNS, MOST_ROWS

LONGEST_TITLE = 200

CellText = Annotated[str, Field(max_length=LONGEST_CELL), OneLine]


class ComparisonRowFields(StrictModel):
    """A row: one cell for each column, and the id of the paper it is about."""

    cells: list[CellText]
    paper: int | None = None


class ScaleSign(StrictModel):
    """A sign of the scale and its meaning."""

    sign: Annotated[str, Field(min_length=1, max_length=comparisons_scale.LONGEST_SIGN), OneLine]
    meaning: Annotated[str, Field(max_length=comparisons_scale.LONGEST_MEANING), OneLine] = ""


class ComparisonFields(StrictModel):
    """A whole table. `scale`: the best sign first."""

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE), OneLine]
    columns: Annotated[list[CellText], Field(min_length=1, max_length=MOST_COLUMNS)]
    rows: Annotated[list[ComparisonRowFields], Field(max_length=MOST_ROWS)] = Field(default_factory=list)
    scale: Annotated[list[ScaleSign], Field(max_length=comparisons_scale.MOST_SIGNS)] = Field(default_factory=list)

    @model_validator(mode="after")
    def _validate_shape(self) -> Self:
        for number, row in enumerate(self.rows, 1):
            if len(row.cells) != len(self.columns):
                message = _("Row {number} has {cells} cells, and the table has {columns} columns.").format(
                    number=number, cells=len(row.cells), columns=len(self.columns)
                )
                raise ValueError(message)
        twice = [
            sign
            for sign, count in Counter(comparisons_scale.normalize_sign(each.sign) for each in self.scale).items()
            if count > 1
        ]
        if twice:
            message = _("The sign {sign} stands in the scale twice.").format(sign=twice[0])
            raise ValueError(message)
        return self
