"""From two ranked lists to one: fuse, weigh by age and importance, diversify, select."""
