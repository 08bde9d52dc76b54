"""What a start does before anything is served: refuse what it must not touch, bring it up to date, repair, warn."""
