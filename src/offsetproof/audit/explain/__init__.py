"""Explain: the stories of the model that would leave the lines of a finding."""
