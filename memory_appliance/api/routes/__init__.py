"""One file per resource: each call is a door that checks, calls one function and shapes the answer."""
