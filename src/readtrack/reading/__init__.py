"""Reading: each person's status, queue, summaries and drafts."""
