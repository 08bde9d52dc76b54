"""Which agents and collections there are: reading, making, changing and deleting them, and what needs attention."""
