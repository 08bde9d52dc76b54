"""`manage.py memory …`: what each subcommand does, a file each; the parser is in `commands/memory.py`."""
