"""Notifications: events that concern a person, in the inbox and optionally in a daily mail."""
