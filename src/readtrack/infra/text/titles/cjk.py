"""Letters of Chinese, Japanese and Korean, between whose words no spaces stand."""

import re

CJK_LETTERS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # for a class of characters
CJK = re.compile(f"[{CJK_LETTERS}]")
