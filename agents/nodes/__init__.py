"""Several servers on one control database: which agents are whose, and how an agent moves from one to another."""
