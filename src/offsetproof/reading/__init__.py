"""Reading what others wrote: files that are what their name says, and JSON that has nothing but what it should have."""
