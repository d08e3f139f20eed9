"""CJK letters, which are written without spaces between words."""

import re

CJK_LETTERS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # For use in a regex character class.
CJK = re.compile(f"[{CJK_LETTERS}]")
