"""What it takes to show a text: an ordinary one of 10 kB, and the worst of those of 100 kB: `python -m bench.texts`.

Processor time of one thread, in milliseconds, as other processes disturb that least.
"""

import statistics
import time

from readtrack import markdown
from readtrack.markdown.render_context import RenderContext
from tests.attacks.test_texts import FLOODS
from tests.browser.dressed import MACROS, TEXT
from tests.markdown.test_markdown import PATHOLOGICAL

ORDINARY, LONGEST, RUNS = 10_000, 100_000, 15
MOST_ORDINARY, MOST = 30.0, 1_000.0  # milliseconds
AROUND = RenderContext(people={"ada": 7}, macros=MACROS)


def main() -> None:
    ordinary = [_took(f"{(TEXT * 10)[:ORDINARY]}\n{run}") for run in range(RUNS)][3:]
    print(f"text of 10 kB: median {statistics.median(ordinary):.1f} ms (at most {MOST_ORDINARY:.0f})")
    print(f"ordinary text of 100 kB: {_took((TEXT * 100)[: LONGEST - 3_000]):.0f} ms (at most {MOST:.0f})")
    hostile = {name: (text * 2)[:LONGEST] for name, text in {**FLOODS, **PATHOLOGICAL}.items()}
    took = sorted(
        ((_took(text), name) for name, text in hostile.items() if len(text.encode()) <= LONGEST), reverse=True
    )
    print(f"worst of {len(took)} hostile texts: {took[0][0]:.0f} ms (at most {MOST:.0f}), {took[0][1]!r}")


def _took(text: str) -> float:
    begun = time.thread_time()
    markdown.render(text, AROUND)
    return (time.thread_time() - begun) * 1_000


if __name__ == "__main__":
    main()
