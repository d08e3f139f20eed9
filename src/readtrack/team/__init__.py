"""Collaboration: accounts, discussion, questions, assignments, meetings, notifications, activity."""
