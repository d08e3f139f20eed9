"""Example formulas for macros."""

import re

_ARGUMENT = re.compile(r"#([1-9])")
_LETTERS = "xyzuvwabc"  # example arguments


def format_example(name: str, body: str) -> str:
    r"""Return an example formula of a macro: `\loss`, or `\norm{x}` if it takes an argument."""
    argument_count = max((int(number) for number in _ARGUMENT.findall(body)), default=0)
    return f"\\{name}" + "".join(f"{{{letter}}}" for letter in _LETTERS[:argument_count])
