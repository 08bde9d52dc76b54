"""What several servers share through PostgreSQL: generations, vectors, a clock, turns at work that comes round."""
