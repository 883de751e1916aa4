"""The stateful engine: Hypothesis drives the model as a state machine, and steered walks go where it does not get."""
