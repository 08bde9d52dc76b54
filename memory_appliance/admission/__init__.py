"""Which requests come in, how many at once, and how often the same caller may ask."""
