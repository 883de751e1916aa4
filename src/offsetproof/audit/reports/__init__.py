"""Reports: what an audit found, for people, programs and browsers."""
