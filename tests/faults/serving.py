"""A readtrack that is served in a process of its own, for tests of what happens around it."""

import http.client
import json
import os
import subprocess
import sys
from contextlib import contextmanager

import sqlalchemy as sa

from readtrack.bootstrap import open_library
from readtrack.infra import config
from readtrack.team.accounts.commands import create_token
from readtrack.team.accounts.schemas import TokenCreate
from tests import make
from tests.nowhere import surroundings
from tests.ports import free_port
from tests.processes import PATIENCE_SECONDS, until


class Served:
    """A new library, and the readtrack that serves it in a process of its own."""

    def __init__(self, folder, environment):
        self.folder, self.port = folder, free_port()
        (folder / "data").mkdir()
        self.database = open_library(config.load({}, data=folder / "data").ready())
        with self.database.write() as tx:
            me = make.visitor(tx, "Ada", role="admin")
            _, self.secret = create_token(tx, me, TokenCreate(name="test", scopes=["read", "write", "import"]))
        self.environment = surroundings(folder / "data") | environment
        self.url = f"http://127.0.0.1:{self.port}"

    @classmethod
    @contextmanager
    def created_in(cls, folder, environment):
        served = cls(folder, environment)
        yield served
        served.database.dispose()

    @contextmanager
    def running(self, *options, within=()):
        """Serve until the end of the block, then kill it. `within`: a command that runs another one."""
        command = [*within, sys.executable, "-m", "readtrack", "serve", "--port", str(self.port), *options]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        try:
            until(lambda: self.ask("GET", "/healthz")[0] == 200, "it serves")
            yield
        finally:
            os.killpg(process.pid, 9)
            process.wait()

    def ask(self, method, path, body=None):
        """Return status and text of the answer; status 0 if there is none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        headers = {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def add(self, title):
        return self.ask("POST", "/api/v1/papers", {"title": title})[0]

    def titles(self):
        with self.database.read() as tx:
            return set(tx.scalars(sa.text("SELECT title FROM paper")))
