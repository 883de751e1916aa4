"""What was answered, written for people and for programs: a file per format, as text that somebody else prints."""
