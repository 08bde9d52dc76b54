"""What `manage.py nodes` says: one file per subcommand that has more than a line to say."""
