"""`offsetproof conform`: the model and RocketMQ's own classes side by side, on random walks."""

from __future__ import annotations

from typing import Annotated

import typer

from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.rocketmq_verb import using_cache
from offsetproof.cli.signals import Working
from offsetproof.conformance.on_release import rig_of
from offsetproof.conformance.stores import conform_store, store_components
from offsetproof.conformance.walks import Conformed, conform_settings, settings_to_conform
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.jars import read_lock
from offsetproof.real.sidecar import Gates
from offsetproof.reports.conformance import conformance_text
from offsetproof.verdict.exits import Exit, worst


def conform(
    claims: options.Claims = options.Claims(),
    release: Annotated[
        str, typer.Option("--release", metavar="RELEASE", help="On the classes of this release.")
    ] = "4.9.4",
    class_path: options.ClassPath = None,
    fix: Annotated[
        list[str] | None,
        typer.Option(
            "--fix", metavar="NAME", help="The classes have this fix (see `list fixes`), and so the model; repeatable."
        ),
    ] = None,
    component: Annotated[
        str | None,
        typer.Option(
            "--component",
            metavar="SCOPE",
            help="Only in this scope of the model; or offset-store or broadcast-offset-store, each by itself.",
        ),
    ] = None,
    store_class: Annotated[
        str | None,
        typer.Option("--class", metavar="CLASS", help="With such a store as component: your own class of OffsetStore."),
    ] = None,
    steps: Annotated[
        int, typer.Option("--steps", metavar="N", min=1, help="How many steps are compared, over all components.")
    ] = 20_000,
    seed: options.Seed = 0,
    gates: Annotated[
        Gates, typer.Option("--gates", help="What holds threads at lines: calls woven in, or the JVM's debugger.")
    ] = Gates.WOVEN,
    format: Annotated[str, format_option("conform")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Walk on the model and on the real classes, and compare."""
    writable(destination.output, reads=claims.named or ())
    subject = claims.load().only
    progress = destination.progress()
    progress.naming(f"conform {subject.name}")
    done: list[Conformed] = []
    with Working(progress) as stop:
        release = read_lock(release).release
        if component in store_components():
            _refuse_for_store(fix, store_class, class_path)
            done.append(_store(release, component, store_class, class_path, steps, seed, progress))
        else:
            _refuse_for_other(store_class)
            classes = rig_to_conform(release, class_path, progress)
            settings = settings_to_conform(subject, component, fix or (), release)
            tell = progress.reporter()
            done.extend(conform_settings(classes, subject, settings, steps=steps, seed=seed, gates=gates, tell=tell))
    codes = [Exit.UNKNOWN if each.not_held else Exit.DIFFERS for each in done if not each.agrees]
    if destination.is_wanted and stop.code is None:
        text = conformance_text(done, width()) if format == TEXT else writer_of("conform", format)(done)
        codes.append(deliver(text, destination.output))
    return stop.code or worst(codes)


def _store(
    release: str,
    component: str,
    store_class: str | None,
    class_path: str | None,
    steps: int,
    seed: int,
    progress: Progress,
) -> Conformed:
    rig, tell = rig_to_conform(release, None, progress), progress.reporter()
    return conform_store(rig, component, store_class, class_path, steps=steps, seed=seed, tell=tell)


def _refuse_for_other(store_class: str | None) -> None:
    if store_class is not None:
        kinds = " or ".join(store_components())
        raise typer.BadParameter(f"it is for --component {kinds}", param_hint="--class")


def _refuse_for_store(fixes: list[str] | None, store_class: str | None, class_path: str | None) -> None:
    if class_path is not None and store_class is None:
        raise typer.BadParameter(
            "without --class RocketMQ's own store is tried; name your class",
            param_hint="--classpath",
        )
    if fixes:
        raise typer.BadParameter(
            "an OffsetStore is checked against its contract, which no fix changes", param_hint="--fix"
        )


def rig_to_conform(release: str, class_path: str | None, progress: Progress) -> CompiledRig:
    """The rig of a release with the classes of a class path in front."""
    with using_cache(release):
        return rig_of(release, progress.reporter(), class_path)
