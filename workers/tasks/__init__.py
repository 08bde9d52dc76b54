"""The background jobs. Each is a door: an id comes in, the row is read again, one function is called."""
