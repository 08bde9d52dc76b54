"""The first start: first user, first key, the demo agent; checks of the options; a data folder that was moved."""
