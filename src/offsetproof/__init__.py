"""offsetproof: a stateful model checker for the way Apache RocketMQ moves consumer offsets.

    from offsetproof.lang import Model, action, always, flag, require

`offsetproof.lang` is what a model file imports; the command line is `offsetproof`.
"""

__version__ = "0.1.0"
