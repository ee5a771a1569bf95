"""What can be run by itself, one file each: a page of figures."""
