"""Hosts that the team wants never to be asked."""
