"""What this program is and which version of it; a module of its own, so that every room may know it."""

__version__ = "0.1.0"

ABOUT = "A stateful model checker for the way Apache RocketMQ moves consumer offsets."
