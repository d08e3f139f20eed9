"""Run as a program: starts readtracks at once (it has imported all of it before) and ends them as a power cut would.

Each line it reads is one order in JSON: {"run": arguments, "environment": …, "log": path, "times": {…}} gives the
number of the new process, {"kill": number} and {"wait": number} give its status.
"""

import importlib
import json
import os
import sys
from datetime import timedelta
from typing import Any

import readtrack.app  # noqa: F401 - imported beforehand: the command line does it only when it serves
from readtrack.cli import main


def obey(order: dict[str, Any]) -> int:
    if "run" in order:
        return os.fork() or _become(order)
    number = int(order.get("kill") or order["wait"])
    if "kill" in order:
        os.kill(number, 9)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def _become(order: dict[str, Any]) -> int:
    os.environ |= order["environment"]
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    for name, value in order["times"].items():
        module, _, constant = name.rpartition(".")
        setattr(importlib.import_module(module), constant, timedelta(seconds=value) if constant == "LEASE" else value)
    sys.argv = ["readtrack", *order["run"]]
    main()
    sys.exit(0)


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{obey(json.loads(line))}\n")
        sys.stdout.flush()
