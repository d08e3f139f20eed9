"""Bulk actions on chosen papers or on all matches of a query, with a separate outcome for each paper."""
