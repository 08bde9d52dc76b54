"""The subcommands of `manage.py models`."""
