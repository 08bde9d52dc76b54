"""The server itself: is it well, its models, the doctor, backups, options, about. For owners."""
