"""What is done to a memory between requests: consolidation, checks of its notes, forgetting, snapshots of its index."""
