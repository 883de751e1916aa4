"""What a spot check notices ends the program with 255, and names action, arguments, field and both of its values."""

from __future__ import annotations

from pathlib import Path

from cli.program import run_anew

MODEL = '''"""A model beside a lowering that is wrong for remainders, as a defect of the checker would be."""

from offsetproof.compiled.instructions import WRITERS
from offsetproof.ir.kind import Kind
from offsetproof.lang import Array, Index, Model, Scope, action, always, array, integer, require

RIGHT = WRITERS[Kind.MOD]
WRITERS[Kind.MOD] = lambda block, node, given: block.line(f"xor i64 {RIGHT(block, node, given)}, WRONG")
CLERK = Index("clerk", "clerks")


class Office(Model):
    scopes = (Scope("small", {"clerks": 2, "files": 40}),)
    done: Array[int] = array(CLERK, integer(0, "files"))
    stamp: int = integer(0, 7)

    @action(c=CLERK)
    def clerk_files(self, c: int) -> None:
        require(self.done[c] < self.scope.files)
        self.done[c] = self.done[c] + 1
        if self.done[0] == 23 and self.done[1] == 17:
            self.stamp = self.done[c] % 4

    @always
    def stamp_is_known(self) -> bool:
        return self.stamp < 7
'''


def test_rare_difference_is_code_255_with_action_arguments_field_and_both_values(tmp_path: Path) -> None:
    (tmp_path / "office.py").write_text(MODEL.replace("WRONG", "1"))
    ran = run_anew("check", "office.py", cwd=tmp_path)
    assert (ran.code, ran.out) == (255, "")
    assert "Traceback" not in ran.err
    told = " ".join(ran.err.split())
    assert (
        "clerk_files(c=1) gives stamp 1 in Python and 0 in the compiled model, where done[0]=23, done[1]=16" in told
        or "clerk_files(c=0) gives stamp 3 in Python and 2 in the compiled model, where done[0]=22, done[1]=17" in told
    )


def test_the_same_model_without_the_difference_holds(tmp_path: Path) -> None:
    (tmp_path / "office.py").write_text(MODEL.replace("WRONG", "0"))
    ran = run_anew("check", "office.py", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "agree with the model's own Python" in " ".join(ran.out.split())
