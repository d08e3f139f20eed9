"""What the team did: the feed, the log for programs, and the audit trail; three views of one table of events."""
