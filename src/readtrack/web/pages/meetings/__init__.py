"""Pages for meetings, agendas, minutes, series with candidates, and the calendar feed."""
