"""Settings with which a readtrack asks nobody: every service, and the way to all other hosts, is a dead end."""

import os
from pathlib import Path

from readtrack.infra.config import OWN_URLS, Settings

# On loopback, where nothing listens. By its name, that it is another host than the 127.0.0.1 of a stand-in: each host
# has its own pace, and one that fails again and again rests.
NOWHERE = "http://localhost:9"
BASES = tuple(name for name in Settings.model_fields if name.endswith("_url") and name not in OWN_URLS)


def bases() -> dict[str, str]:
    """The base of each service: nowhere."""
    return dict.fromkeys(BASES, NOWHERE)


def surroundings(data: Path, **given: object) -> dict[str, str]:
    """The environment of a readtrack in a process of its own; `given` are settings, by their names in Python."""
    named = {"data": data, "proxy": NOWHERE, **bases(), **given}
    others = {name: value for name, value in os.environ.items() if not name.startswith("READTRACK_")}
    return others | {f"READTRACK_{name.upper()}": str(value) for name, value in named.items()}
