"""How the model of replicas is replayed on the real classes of the release, with real files in two folders.

The rig (`real/java/ReplicasRig`) has of each broker the real ConsumerOffsetManager with its file,
ConsumerManageProcessor for commits and queries, AdminBrokerProcessor.getAllConsumerOffset,
SlaveSynchronize.syncConsumerOffset, since 5.0.0 BrokerPreOnlineService.syncMetadataReverse, and
PullMessageProcessor.rejectRequest; of each client the real RemoteBrokerOffsetStore, and MQClientInstance with its
addresses and its look at the route. Scripted, not real: the name server, the network, the start and the end of a
process, topics.json, the max offset, a reset on its way to the client, and what else a pull, a rebalance and a
listener do. A version moves by 500 real commits of another group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offsetproof.lang import Scope
from offsetproof.lang.rigging import Rigging

_BOUNDS = ("queues", "messages", "consumers", "slave_reads", "acting_master", "stored", "new_topic", "cold")
_OF_BROKERS = (".phase", ".on_its_way", "].offset")
_OF_CLIENTS = (".listed[", ".asks_max[", ".position[", ".pulled[", ".knows_master")


def _settings(scope: Scope, state: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG001  # the scope says it all
    """What the rig is built with."""
    return {"kind": "replicas", **{name: int(scope.bounds[name]) for name in _BOUNDS}}


def _fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the rig shows as well: all but versions, topics and history."""
    return {path: value for path, value in state.items() if not path.startswith("ghost_") and _is_shown(path)}


def _is_shown(path: str) -> bool:
    return path.endswith(_OF_BROKERS) or any(name in path for name in _OF_CLIENTS)


RIGGING = Rigging(
    settings=_settings,
    fields_in_rig=_fields_in_rig,
    is_outcome=lambda field: ".table[" in field or ".file[" in field,
)
"""What the actions of the model of replicas are to the rig."""
