"""What goes in and out of the API's calls, one file per resource."""
