"""Assignments: who should read which paper, how deeply and by when.

They never change another person's status.
"""
