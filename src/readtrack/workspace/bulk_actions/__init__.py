"""One act on many papers at once: those that are chosen, or all that match a question; each with its own outcome."""
