"""From what one sees, in one's own words or as a line of a log, to the cases that say it."""
