"""What may not be done with values: operations that fields do not have, and sorts that do not meet."""

from __future__ import annotations

from lang.refusals import Row, Section, in_action

VALUES = Section(
    "What a field's value cannot do",
    (
        Row("int() of a field", in_action("self.x = int(self.x)  # HERE"), "compare it, or index an array with it"),
        Row(
            "loop over range of a field", in_action("for _ in range(self.x):  # HERE\n    self.b = True"), "compare it"
        ),
        Row("loop over an index", in_action("for _ in WORKERS:  # HERE\n    self.b = True"), "write range(2)"),
        Row(
            "index of a list",
            in_action("self.x = [0, 1, 2, 3][self.x]  # HERE"),
            "compare it, or index an array with it",
        ),
        Row(
            "key of a dict",
            in_action("self.x = {Colour.RED: 0, Colour.BLUE: 1}[self.e]  # HERE"),
            "compare the values one by one",
        ),
        Row("member of a set", in_action("self.b = self.x in {1, 2}  # HERE"), "compare the values one by one"),
        Row("text by %", in_action('self.b = "%r" % self.x == "1"  # HERE'), "leave strings to the trace"),
        Row(
            "text by % with a name",
            in_action('t = "%r"\nself.b = t % self.x == "1"  # HERE'),
            "leave strings to the trace",
        ),
        Row("text by format", in_action('self.b = "{!r}".format(self.x) == "1"  # HERE'), "leave strings to the trace"),
        Row(
            "text of an array", in_action('t = "%r"\nself.b = t % self.few == ""  # HERE'), "leave strings to the trace"
        ),
        Row(
            "node of a field",
            in_action("self.b = self.x.node == 1  # HERE"),
            "the attribute node, which is neither declared",
        ),
        Row("f-string", in_action('self.b = f"{self.x}" == "1"  # HERE'), "leave strings to the trace"),
        Row("str()", in_action('self.b = str(self.e) == "Colour.RED"  # HERE'), "in messages of errors only"),
        Row(
            "text of a field in a message",
            in_action('if self.b:\n    raise ValueError(f"bad {self.x}")  # HERE'),
            "leave strings to the trace",
        ),
        Row("float()", in_action("self.b = float(self.x) > 0.5  # HERE"), "whole numbers"),
        Row("fraction", in_action("require(self.x < 1.5)  # HERE"), "a float"),
        Row("division with a fraction", in_action("self.x = self.x / 2  # HERE"), "write //"),
        Row("power", in_action("self.x = self.x ** 2  # HERE"), "numbers have +, -, *"),
        Row("bits of a number", in_action("self.x = self.x & 1  # HERE"), "numbers have +, -, *"),
        Row("shift", in_action("self.x = 1 << self.x  # HERE"), "numbers have +, -, *"),
        Row("~ of a truth value", in_action("self.b = ~self.b  # HERE"), "write negation(x)"),
        Row("len of a set", in_action("self.x = len(self.s)  # HERE"), "write .count()"),
        Row("offset set of a field", in_action("self.s = OffsetSet(self.x)  # HERE"), "write OffsetSet().add(value)"),
        Row("mask of a field", in_action("self.s = OffsetSet.of_mask(self.x)  # HERE"), "keep the set itself"),
        Row("^ of sets", in_action("self.s = self.s ^ OffsetSet(1)  # HERE"), "sets have |, & and -"),
        Row("order of members", in_action("require(self.e < Colour.BLUE)  # HERE"), "this operation on an enum member"),
        Row("value of a member", in_action("self.x = self.e.value  # HERE"), "use the operations of its type"),
        Row("list times a field", in_action("self.b = [0] * self.x == []  # HERE"), "a list"),
    ),
)

SORTS = Section(
    "Values of two sorts",
    (
        Row(
            "choose of a truth value and a number",
            in_action("self.x = choose(self.b, self.c, 2)  # HERE"),
            "a truth value and a number",
        ),
        Row(
            "choose of a member and a number",
            in_action("self.x = choose(self.b, self.e, 2)  # HERE"),
            "a member of Colour and a number",
        ),
        Row(
            "choose of two enums",
            in_action("self.e = choose(self.b, self.e, Shape.ROUND)  # HERE"),
            "a member of Colour and a member of Shape",
        ),
        Row(
            "choose by a constant", in_action("self.x = choose(True, self.c, 2)  # HERE"), "a truth value and a number"
        ),
        Row("choose by a number", in_action("self.x = choose(self.x, 1, 2)  # HERE"), "a truth value is needed"),
        Row("choose by a real number", in_action("self.x = choose(1, 1, 2)  # HERE"), "a truth value is needed"),
        Row("smaller of a truth value", in_action("self.x = smaller(self.b, 1)  # HERE"), "a number is needed"),
        Row("larger of real truth values", in_action("self.x = larger(True, 1)  # HERE"), "a number is needed"),
        Row("sum with a truth value", in_action("self.x = self.x + self.b  # HERE"), "a number and a truth value"),
        Row("sum of truth values", in_action("self.x = sum(self.few)  # HERE"), "truth value"),
        Row("minus a truth value", in_action("self.x = -self.b  # HERE"), "write choose(x, 1, 0)"),
        Row(
            "truth value compared with a number",
            in_action("require(self.b == 1)  # HERE"),
            "a truth value and a number",
        ),
        Row("truth value ordered", in_action("require(self.b < self.c)  # HERE"), "this operation on a truth value"),
        Row(
            "number compared with a member",
            in_action("require(self.x == Colour.RED)  # HERE"),
            "a number and a member of Colour",
        ),
        Row(
            "members of two enums compared",
            in_action("require(self.e != Shape.ROUND)  # HERE"),
            "a member of Colour and a member of Shape",
        ),
        Row(
            "& of a truth value and a number",
            in_action("require(self.b & self.x)  # HERE"),
            "a truth value and a number",
        ),
        Row("every of numbers", in_action("require(every([self.x]))  # HERE"), "a truth value is needed"),
        Row(
            "among another sort",
            in_action("require(among(self.x, Colour.RED))  # HERE"),
            "a number and a member of Colour",
        ),
        Row("array index that is a truth value", in_action("self.few[self.b] = True  # HERE"), "an array's index"),
        Row("set with a truth value", in_action("self.s = self.s.add(self.b)  # HERE"), "a number is needed"),
    ),
)

COLLECTIONS = Section(
    "Arrays, components, queues and bags",
    (
        Row("truth of an array", in_action("require(self.few)  # HERE"), "any() or all()"),
        Row("arrays of two sorts", in_action("require(self.few == self.many)  # HERE"), "compare arrays of one sort"),
        Row("truth of a component", in_action("require(self.life)  # HERE"), "ask one of its fields"),
        Row(
            "components of two classes",
            in_action("require(self.life == self.other)  # HERE"),
            "compare components of one class",
        ),
        Row(
            "component compared with None",
            in_action("require(self.life == None)  # noqa: E711  # HERE"),
            "compare components of one class",
        ),
        Row("len of a queue", in_action("require(len(self.q) > 0)  # HERE"), "write .count"),
        Row("len of a bag", in_action("require(len(self.g) > 0)  # HERE"), "write .has(...) or .empty"),
        Row("loop over a bag", in_action("require(all(n for n in self.g))  # HERE"), "ask .has(...)"),
        Row("assignment to a component", in_action("self.life = self.life  # HERE"), "assign to its fields instead"),
        Row(
            "push of other fields",
            in_action("self.q.push(other=1)  # HERE"),
            "exactly the fields value",
            instead="`push(value=1)`",
        ),
    ),
)

SECTIONS = (VALUES, SORTS, COLLECTIONS)
