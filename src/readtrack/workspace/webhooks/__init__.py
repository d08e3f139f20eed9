"""Webhooks: the activity of the team, sent to addresses that members choose (https://www.standardwebhooks.com)."""
