"""What this program is and which version of it; a module of its own, so that every room may know it."""

import time

__version__ = "0.1.0"

ABOUT = "A stateful model checker for the way Apache RocketMQ moves consumer offsets."

LOADED_AT = time.time()
"""When this process began to load the program, in seconds since 1970: this module is the first of it."""
