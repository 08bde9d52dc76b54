"""Background jobs as rows: their kinds, their life, a person's wish to stop one."""
