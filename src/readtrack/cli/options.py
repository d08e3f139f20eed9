"""Arguments and options shared by several commands.

Imports only typer, as `--help` loads this module.
"""

from pathlib import Path
from typing import Annotated

import typer

As = Annotated[str, typer.Option("--as", metavar="PERSON", help="Who does it; the only active person when not said.")]
Port = Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")]
Host = Annotated[str, typer.Option(help="Address to listen on. Other machines need BASE_URL to be set.")]
Query = Annotated[str, typer.Option(help="Which papers, in the words of the search box; all when not said.")]
Zip = Annotated[Path, typer.Argument(metavar="FILE", help="The zip.")]
Name = Annotated[str, typer.Argument(help="Name or e-mail.")]
