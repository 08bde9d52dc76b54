"""Documents to text: converted in a confined process, the text kept beside the index."""
