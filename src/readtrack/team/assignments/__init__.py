"""Assignments: who should read what, how deep, by when. They suggest; nobody's status is changed by another person."""
