"""Tools that write data of this repository; each is run by a target of the Makefile."""
