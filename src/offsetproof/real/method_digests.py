"""What a method does, as a digest of its bytecode: equal where only lines, or the numbering of constants, have moved.

Left out are line numbers, names of local variables, and the order of the constant pool: what an instruction names goes
in as text. Numbers that the compiler gives out go in as what they stand for: a jump as the place of its target among
the instructions, a lambda and an accessor (`lambda$run$0`, `access$100`) as the digest of its own body. Another
compiler, or another target of the same one, may still make another digest of the same source.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from offsetproof.lang.anchor import Anchor
from offsetproof.real.class_file import ClassFile, Method
from offsetproof.real.program import AbsentError, JavaProgram, lambdas_in, methods_of

_NUMBERED = re.compile(r"(lambda\$[^ ;(]*\$|access\$)\d+")
FIELDS = "<fields>"
"""A class without its methods, as if it were one of them: it never runs."""
_DEEP = 20
_ALONE = _DEEP + 1
"""So deep nothing that a body names is looked at."""
_LDC, _LDC_W = 0x12, 0x13
_ONE_OF = {**{opcode: opcode for opcode in range(256)}, _LDC_W: _LDC}
"""Instructions that differ in nothing but how large the number of a constant is, as one of them."""


@dataclass(frozen=True, order=True)
class AnchoredMethod:
    """A method that anchors name, as they name it: its overloads are one."""

    java_class: str
    method: str

    def __str__(self) -> str:
        return f"{self.java_class}.{self.method}"


def anchored_methods(anchors: Iterable[Anchor]) -> tuple[AnchoredMethod, ...]:
    """The methods that anchors name, in whatever release, each once, in order."""
    places = [place for anchor in anchors for place in (anchor, *anchor.others)]
    return tuple(sorted({AnchoredMethod(place.java_class, place.method) for place in places}))


def digest_of(method: AnchoredMethod, program: JavaProgram) -> str:
    """The digest of a method with all of its overloads; AbsentError where the program does not have it."""
    class_file, named = methods_of(Anchor(method.java_class, method.method), program)
    return _short_digest("\n".join(sorted(_text_of(class_file, each, program) for each in named)))


def digests(methods: Iterable[AnchoredMethod], program: JavaProgram) -> dict[AnchoredMethod, str | None]:
    """The digests of methods; None for one that the program does not have."""
    found: dict[AnchoredMethod, str | None] = {}
    for method in methods:
        try:
            found[method] = digest_of(method, program)
        except AbsentError:
            found[method] = None
    return found


def methods_in(class_file: ClassFile, program: JavaProgram) -> dict[AnchoredMethod, str]:
    """The digests of all methods of a class, but for bodies of lambdas and accessors, which are part of others."""
    words = _words_of(class_file, program)
    named: dict[AnchoredMethod, list[str]] = {}
    for method in class_file.methods:
        if not _NUMBERED.fullmatch(method.name):
            named.setdefault(AnchoredMethod(words, method.name), []).append(_text_of(class_file, method, program))
    return {method: _short_digest("\n".join(sorted(texts))) for method, texts in named.items()}


@dataclass(frozen=True)
class Body:
    """An overload of a method, or a lambda in it, with what it does as text.

    `alone` is the same without the bodies of the lambdas and accessors that it names, `operations` also without jumps.
    """

    class_file: ClassFile
    method: Method
    text: str
    alone: str
    operations: tuple[str, ...]

    @property
    def signature(self) -> tuple[str, str]:
        """Its name, without a number that the compiler gave out, and its descriptor."""
        return _NUMBERED.sub(r"\1", self.method.name), self.method.descriptor

    def line_of_change(self, released: Iterable[Body]) -> int | None:
        """The line of its first operation that is not the release's, or of its last where only the end is gone.

        Its first line where nothing differs but jumps and flags, or where the release has no such body. None where
        only a lambda does something else, which is a body of its own.
        """
        code = self.method.code
        before = [each for each in released if each.signature == self.signature]
        if any(each.alone == self.alone for each in before):
            return None
        if code is None or not before or any(each.operations == self.operations for each in before):
            return self.method.line
        same = max(_common_length(self.operations, each.operations) for each in before)
        return code.line_at(code.instructions[min(same, len(code.instructions) - 1)].at)


def changed_bodies(method: AnchoredMethod, program: JavaProgram, release: JavaProgram) -> list[tuple[Body, int | None]]:
    """The bodies of a method that do not do what those of the release do, each with its `line_of_change`."""
    released = _bodies_of(method, release)
    known = {each.text for each in released}
    return [(each, each.line_of_change(released)) for each in _bodies_of(method, program) if each.text not in known]


def _bodies_of(method: AnchoredMethod, program: JavaProgram) -> list[Body]:
    """The overloads of a method and the lambdas in it; none where it is not there."""
    try:
        class_file, named = methods_of(Anchor(method.java_class, method.method), program)
    except AbsentError:
        return []
    return [_body(class_file, each, program) for each in (*named, *lambdas_in(class_file, method.method))]


def _body(class_file: ClassFile, method: Method, program: JavaProgram) -> Body:
    return Body(
        class_file,
        method,
        _text_of(class_file, method, program),
        _text_of(class_file, method, program, _ALONE),
        tuple(_operations(class_file, method, program, _ALONE)),
    )


def _common_length(these: Sequence[str], those: Sequence[str]) -> int:
    """How many of the first are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(these, those, strict=False)))


def fields_of(class_file: ClassFile, program: JavaProgram) -> tuple[AnchoredMethod, dict[str, str]]:
    """What a class is beside its methods, under a name like a method's: its fields, flags and parents, as texts."""
    return AnchoredMethod(_words_of(class_file, program), FIELDS), dict(class_file.fields)


def _words_of(class_file: ClassFile, program: JavaProgram) -> str:
    """A class as anchors name it: through those around it, and by its parent where it has no name."""
    around, _, own = class_file.name.rpartition("$")
    if not around or not program.has(around):
        return class_file.name.rpartition("/")[2]
    word = re.split(r"[/$]", class_file.parents[-1])[-1] if own.isdigit() else own
    return f"{_words_of(program.class_named(around), program)}.{word}"


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text_of(class_file: ClassFile, method: Method, program: JavaProgram, deep: int = 0) -> str:
    """What a method is and does, as text."""
    name = _NUMBERED.sub(r"\1", method.name)
    return "\n".join([f"{name}{method.descriptor} {method.access:#x}", *_code(class_file, method, program, deep)])


def _code(class_file: ClassFile, method: Method, program: JavaProgram, deep: int) -> Iterator[str]:
    if method.code is None:
        return
    number = {each.at: place for place, each in enumerate(method.code.instructions)}
    number[method.code.instructions[-1].next] = len(number)
    operations = _operations(class_file, method, program, deep)
    for each, operation in zip(method.code.instructions, operations, strict=True):
        jumps = " ".join(str(number[target]) for target in each.targets)
        yield f"{operation} {jumps}".rstrip()
    for (begin, end, at), caught in zip(method.code.handlers, method.code.caught, strict=True):
        yield f"try {number[begin]} {number[end]} {number[at]} {caught}"


def _operations(class_file: ClassFile, method: Method, program: JavaProgram, deep: int) -> Iterator[str]:
    """Its instructions, but for where they jump."""
    if method.code is None:
        return
    for each in method.code.instructions:
        operand = _resolve(class_file, method.code.names.get(each.at, ""), program, deep) or str(each.operand)
        yield f"{_ONE_OF[each.opcode]} {operand} {each.dimensions} {each.rest.hex()}"


def _resolve(class_file: ClassFile, named: str, program: JavaProgram, deep: int) -> str:
    """What an instruction names, with the digest of the body for each name that the compiler has numbered."""
    if deep > _DEEP:
        return _NUMBERED.sub(r"\1", named)
    return _NUMBERED.sub(lambda found: _digest_of_numbered(class_file, found[0], named, program, deep), named)


def _digest_of_numbered(class_file: ClassFile, name: str, named: str, program: JavaProgram, deep: int) -> str:
    owner = next((word for word in re.split(r"[ .]", named) if program.has(word)), class_file.name)
    home = program.class_named(owner) if program.has(owner) else class_file
    bodies = [each for each in home.methods if each.name == name]
    return _short_digest("\n".join(_text_of(home, each, program, deep + 1) for each in bodies)) if bodies else name
