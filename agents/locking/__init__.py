"""Locks across processes and servers, and how long a request may wait for one."""
