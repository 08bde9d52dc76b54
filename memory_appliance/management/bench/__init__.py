"""`manage.py bench`: how fast this machine searches an agent's own notes."""
