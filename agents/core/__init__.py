"""What every room uses: errors, actors, the audit log, paths, the table of agent settings. It imports no other room."""
