"""What a consumer asks of its OffsetStore, as a model: `contract` has the store, `rigging` how a real one does it.

It is for `offsetproof conform --component offset-store`, which holds anybody's implementation of the interface against
it. It has no claims of its own: those are about the consumer that uses the store.
"""
