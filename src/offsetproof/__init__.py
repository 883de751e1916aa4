"""offsetproof: a stateful model checker for the way Apache RocketMQ moves consumer offsets.

    from offsetproof.lang import Model, action, always, flag, require

`offsetproof.lang` is what a model file imports; the command line is `offsetproof`.
"""

from offsetproof.version import __version__ as __version__
