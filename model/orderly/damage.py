"""What a violation does to messages that are consumed in order: as in the concurrent model, less its own actions."""

from __future__ import annotations

from dataclasses import replace

from offsetproof.model.orderly.rocketmq import RocketMQOrderly
from offsetproof.model.shared import damage

DAMAGE = replace(damage.DAMAGE, outside=tuple(name for name in damage.OUTSIDE if name in RocketMQOrderly.actions))
"""What the checker needs to say how bad a violation is."""
