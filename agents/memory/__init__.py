"""Reading a memory: search, get and status, the recall of one turn, and counts of what was used."""
