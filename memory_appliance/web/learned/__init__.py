"""What an agent learned: the notes of agents and flushes, to be kept or rejected by people."""
