"""`manage.py evaluate`: what the command prints and compares; the measuring itself is in `search/evaluation`."""
