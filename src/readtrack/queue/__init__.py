"""The queue at the doors: what the worker does, did, will do."""
