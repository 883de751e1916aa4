"""Conformance of an OffsetStore: anybody's class of that interface beside the contract that a consumer relies on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

from offsetproof.checking.catalogue import STORES
from offsetproof.conformance.on_release import running
from offsetproof.conformance.walks import Conformed, why_nothing
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import NoSubjectError
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.conform import Conformer
from offsetproof.real.replay import Replayer
from offsetproof.real.schedule import RigSchedule
from offsetproof.real.sidecar import CommandRefusedError, Gates, Sidecar


def store_components() -> dict[str, str]:
    """The kinds of store, each with the class that RocketMQ has for it."""
    stock: dict[str, str] = _contract().STOCK
    return stock


def conform_store(
    rig: CompiledRig,
    component: str,
    java_class: str | None = None,
    class_path: str | None = None,
    *,
    steps: int,
    seed: int,
    tell: Callable[[object], None] = lambda said: None,
) -> Conformed:
    """Walks the contract of a kind of store beside a class, RocketMQ's own if none is named.

    `class_path` is where the class is. NoSubjectError where it is not there, is no OffsetStore, or cannot be made.
    """
    contract, tried = _contract(), java_class or store_components()[component]
    tell(tried)
    if class_path:
        _refuse_hidden(rig, tried)
        rig = replace(rig, class_path=os.pathsep.join([rig.class_path, class_path]))
    scope = next(scope for scope in contract.OffsetStore.scopes if scope.name == component)
    staged = Staged(contract.OffsetStore, Setting(scope))
    schedule = RigSchedule(contract.rigging_of(tried), dict.fromkeys(contract.OffsetStore.actions, ()), ())
    begun = time.monotonic()
    with running(rig, Gates.WOVEN) as sidecar:
        _make_once(sidecar, tried, schedule.rigging.settings(scope, {}))
        result = Conformer(staged, Replayer(sidecar, schedule), seed).go(steps)
    seconds = time.monotonic() - begun
    return Conformed(component, tried, rig.release, result, seconds, not_held=why_nothing(result, steps))


def _refuse_hidden(rig: CompiledRig, java_class: str) -> None:
    """NoSubjectError for a class of which the release has one as well, which is found first."""
    entry = java_class.replace(".", "/") + ".class"
    jars = [part for part in rig.class_path.split(os.pathsep) if is_zipfile(part)]
    for jar in jars:
        with ZipFile(jar) as zipped:
            if entry in zipped.NameToInfo:
                raise NoSubjectError(
                    f"--class {java_class}: {Path(jar).name} of release {rig.release} has it as well and stands "
                    "before --classpath, so yours would not be tried; give it another name"
                )


def _make_once(sidecar: Sidecar, java_class: str, settings: Mapping[str, Any]) -> None:
    try:
        sidecar.ask("rig", **settings)
    except CommandRefusedError as error:
        why = error.why.removeprefix("java.lang.IllegalArgumentException: ")
        raise NoSubjectError(f"--class {java_class}: {why}") from None


def _contract() -> Any:
    return import_module(STORES)
