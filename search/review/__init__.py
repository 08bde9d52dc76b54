"""What an owner should look at: lines that say the same twice, and lines about one subject that disagree."""
