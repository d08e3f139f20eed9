"""readtrack: a team's reading, from raw notes to what everybody knows.

Two doors (`pages.py` = HTML, `api.py` = JSON) over questions (`queries.py`) and verbs (`commands.py`), a folder per
concept: papers, readings, summaries, topics, people, imports, queue; board, views, bulk, trash, progress, palette,
searching; discussion, questions, assignments, meetings, notices, activity, home. `notes/` turns raw text into entries
and `sources/` knows the sites (both pure); `search/` finds, `exports/` gives away, `demo/` shows. `models/` has every
table, `db/` the transactions, `jobs.py` the queue, `egress/` the one way out, `policy.py` who may do what. `web/`
is what both doors share; `app.py` puts the parts together, `cli/` starts them. Rules of the house:
docs/architecture.md.
"""

__version__ = "0.1.0"
