"""Activity: the team's feed, the event log for programs, and the audit trail.

All three are views of one events table.
"""
