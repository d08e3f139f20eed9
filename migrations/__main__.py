"""`python migrations "what changes"` writes the next migration: what the models have and a migrated library has not."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command
from alembic.config import Config

from readtrack.infra.db import Database, migrate

HERE = Path(__file__).parent


def main(title: str) -> None:
    number = 1 + max(int(path.name[:4]) for path in HERE.glob("versions/[0-9]*.py"))
    with TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/library.sqlite3")
        migrate(database)
        config = Config()
        config.set_main_option("script_location", str(HERE))
        config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
        with database.engines[0].connect() as connection:
            config.attributes["connection"] = connection
            command.revision(config, title, autogenerate=True, rev_id=f"{number:04}")
        database.dispose()


if __name__ == "__main__":
    main(sys.argv[1])
