"""The search playground: ask an agent's memory, see why each passage came out where it did."""
