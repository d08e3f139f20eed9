"""Comparisons: tables under a topic that weigh things against each other, with what their signs mean."""
