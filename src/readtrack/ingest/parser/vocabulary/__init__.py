"""The words of notes: titles, names, venues, dates, marks, and what a line without addresses says. Pure."""
