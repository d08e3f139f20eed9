"""Vocabulary of notes: titles, names, venues, dates, marks, and kinds of lines without addresses."""
