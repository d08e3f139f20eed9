"""What people do together: accounts, discussion, questions, assignments, meetings, notifications, activity."""
