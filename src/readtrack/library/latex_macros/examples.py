"""A macro as it looks in a formula. Pure."""

import re

_ARGUMENT = re.compile(r"#([1-9])")
_LETTERS = "xyzuvwabc"  # what stands for what follows it


def format_example(name: str, body: str) -> str:
    r"""The formula that shows it: `\loss`, or `\norm{x}` of one that wants something to follow."""
    wanted = max((int(number) for number in _ARGUMENT.findall(body)), default=0)
    return f"\\{name}" + "".join(f"{{{letter}}}" for letter in _LETTERS[:wanted])
