"""What the server counts and how Prometheus reads it.

Every process counts in its own memory and writes its totals down every few seconds, each into a file of its own
(`shared.py`); a scrape, which any web process may get, adds the files up. The library's own way for several processes
maps files into memory: on a full disk the first new counter kills its process by SIGBUS. Counters in the control
database would add a write to every search.
"""
