"""What columns of the tables hold: kinds of jobs, public ids, values that SQLite keeps in a column of another type."""
