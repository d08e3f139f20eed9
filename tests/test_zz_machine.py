import time, threading, cProfile, pstats
import tests.test_editing_machine as m
from tests.test_editing_machine import *
m.RUNS["sqlite"] = 250
import anyio.to_thread, anyio._backends._asyncio as b
P = cProfile.Profile()
orig = anyio.to_thread.run_sync
import contextvars, starlette.concurrency
async def run(func, *a, **k):
    def timed():
        P.enable()
        try: return func(*a)
        finally: P.disable()
    return await orig(timed, **k)
@pytest.fixture(autouse=True)
def prof(monkeypatch):
    import os
    if os.environ.get("PROF"): monkeypatch.setattr(anyio.to_thread, "run_sync", run)
    yield
    if os.environ.get("PROF"): pstats.Stats(P).sort_stats('cumtime').print_stats(75)
