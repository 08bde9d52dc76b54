"""Makers of the data that ships with the engine, from texts of this repository; nothing imports them."""
