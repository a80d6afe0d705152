"""Which of a submission's code runs: the names followed, the branches never taken, and the lines a loop repeats."""

from __future__ import annotations

import ast

import pytest

from checkers._nodes import live, name_of, span
from checkers._source import RunningCode

NET = """{above}
class Net:
    def __init__(self):
        self.first = 0
    {methods}
    def forward(self, x):
        {body}
        return x
{below}
"""
EMPTY = {"above": "", "methods": "", "body": "pass", "below": ""}


def _runs(**passages):
    """Whether the name ``target`` stands in code that runs."""
    return RunningCode(NET.format(**EMPTY | passages), "Net").line_of(frozenset({"target"})) is not None


@pytest.mark.parametrize(
    "passages",
    [
        {"body": "x = target(x)"},
        {"body": "x: object = target(x)"},
        {"body": "if False:\n            pass\n        else:\n            x = target(x)"},
        {"body": "if x:\n            x = target(x)"},
        {"above": "attend = target", "body": "x = attend(x)"},
        {"above": "attend: object = target", "body": "x = attend(x)"},
        {"above": "attend = None\nattend |= target", "body": "x = attend(x)"},
        {"above": "first, (attend, last) = 1, (target, 2)", "body": "x = attend(x)"},
        {"above": "if READY:\n    attend = target", "body": "x = attend(x)"},
        {"above": "if READY:\n    pass\nelse:\n    attend = target", "body": "x = attend(x)"},
        {"above": "try:\n    attend = 1\nexcept ImportError:\n    attend = target", "body": "x = attend(x)"},
        {"above": "try:\n    attend = 1\nfinally:\n    attend = target", "body": "x = attend(x)"},
        {"above": "@target\ndef attend(x):\n    return x", "body": "x = attend(x)"},
        {"above": "def make():\n    def attend(x):\n        return target(x)\n    return attend", "body": "x = make()(x)"},
        {"above": "class Base:\n    size = target", "body": "x = Base.size"},
        {"above": "class Base(target):\n    pass", "body": "x = Base()"},
        {"above": "@target\nclass Base:\n    pass", "body": "x = Base()"},
        {"methods": "def __call__(self, x): return target(x)"},
        {"methods": "def help_out(self, x): return target(x)", "body": "x = self.help_out(x)"},
        {"methods": "def help_out(self, x): return target(x)", "body": "x = getattr(self, 'help_out')(x)"},
        {"methods": "def one(self, x): return target(x)\n    def two(self, x): return self.one(x)", "body": "x = self.two(x)"},
        {"below": "Net.forward = lambda self, x: target(x)"},
    ],
)  # fmt: skip
def test_what_the_entry_leads_to_runs(passages):
    """Names are followed through assignments of every form, functions, methods and classes."""
    assert _runs(**passages)


def test_a_class_that_is_met_on_the_way_takes_nothing_from_the_first():
    """The methods of both are followed, in whatever order they are looked up."""
    source = NET.format(
        above="class Core:\n    def forward(self, x):\n        return target(x)\n",
        methods="def help_out(self, x): return target(x)",
        body="x = self.help_out(Core()(x))",
        below="",
    )
    nodes = RunningCode(source, "Net").nodes
    assert sum(isinstance(node, ast.Name) and node.id == "target" for node in nodes) == 2


@pytest.mark.parametrize(
    "passages",
    [
        {"above": "def attend(x: target) -> target:\n    return x", "body": "x = attend(x)"},
        {"body": "x: target = x"},
        {"body": "if False:\n            x = target(x)"},
        {"body": "if 0:\n            x = target(x)"},
        {"body": "if TYPE_CHECKING:\n            x = target(x)"},
        {"body": "if typing.TYPE_CHECKING:\n            x = target(x)"},
        {"above": "attend = target"},
        {"methods": "def __repr__(self): return target(self)"},
        {"methods": "def __str__(self): return target(self)"},
        {"methods": "def __quick(self, x): return target(x)"},
        {"methods": "def quick__(self, x): return target(x)"},
        {"methods": "def help_out(self, x): return target(x)", "body": "x = getattr(self, name)(x)"},
        {"below": "class Demo:\n    def attend(self, x):\n        return target(x)", "body": "x = self.attend(x)"},
        {"below": "class Demo:\n    attend = target", "body": "x = self.attend(x)"},
        {"below": "def main():\n    attend = target", "body": "x = self.attend(x)"},
    ],
)  # fmt: skip
def test_what_only_stands_there_does_not_run(passages):
    """Annotations, branches never taken, what is printed only, and methods of classes that nothing uses."""
    assert not _runs(**passages)


def test_a_text_that_cannot_be_read_counts_as_empty():
    """There is nothing that runs, and nothing raises."""
    code = RunningCode("class Net:\n  def", "Net")
    assert (code.running, code.nodes, code.imported, code.own) == ((), (), {}, frozenset())
    assert ast.unparse(code.tree) == ""


def test_own_names_are_those_the_file_gives_a_value_to():
    """Functions, classes, arguments, variables and attributes; what is only read is another's."""
    text = "async def a(b): pass\nclass C: pass\nd = e\nself.f = g.h\ndef i(): pass\nfor j in k: pass"
    assert RunningCode(text, "C").own == frozenset("abCdfij")


def test_imports_are_known_by_what_they_stand_for():
    """A dotted module is used by its first part and means its last."""
    text = "import torch\nimport torch.nn.functional as F\nimport a.b\nfrom c.d import e, f as g"
    assert RunningCode(text, "Net").imported == {
        "torch": "torch", "F": "functional", "a": "b", "e": "e", "g": "f",
    }  # fmt: skip


CONSTRUCTED = """class Net:
    def __init__(self):
        target = 0

    def forward(self, x):
        other = x.float()
        target = other.target
        return float(target)
"""


def test_the_first_line_that_uses_a_name():
    """As a name or an attribute, with a dot as an attribute only; the constructor counts unless it is left out."""
    code = RunningCode(CONSTRUCTED, "Net")
    assert code.line_of(frozenset({"target"})) == 3
    assert code.line_of(frozenset({"target"}), constructor=False) == 7
    assert code.line_of(frozenset({".float"})) == 6
    assert code.line_of(frozenset({"float"})) == 6
    assert code.line_of(frozenset({".other"})) is None


def test_a_name_is_the_last_part():
    """What is neither a name nor an attribute has none."""
    assert [name_of(ast.parse(text, mode="eval").body) for text in ("x", "F.softmax", "f()", "1")] == [
        "x", "softmax", "", "",
    ]  # fmt: skip


def test_annotations_are_left_out_and_what_stands_beside_them_is_not():
    """Defaults, bodies and values come after annotations and count."""
    tree = ast.parse("def f(a: b = c) -> d:\n    e: g = h")
    assert {name_of(node) for node in live(tree)} - {""} == set("ceh")


def test_a_node_stands_on_all_its_lines():
    """From its first to its last."""
    (node,) = ast.parse("\n\nf(\n  x,\n)\n").body
    assert list(span(node)) == [3, 4, 5]


NESTED = """class Net:
    def head(self, x):
        return x @ x

    def outer(self, x):
        return self.head(x)

    def forward(self, x):
        for sample in x:
            for head in sample:
                self.outer(head)
            done = self.done
        after = x @ x
        while x.sum() @ x:
            x = x - 1
        for item in (
            x @ x,
        ):
            print(item)
        return after
"""


@pytest.mark.parametrize(
    ("lines", "loop"),
    [({11}, 10), ({12}, 9), ({13}, None), ({14}, 14), ({15}, 14), ({17}, None), ({19}, 16), ({3}, 10), ({20}, None)],
)
def test_the_innermost_loop_repeats_a_line(lines, loop):
    """Through as many calls as there are functions; what a loop goes over is worked out once, a condition each time."""
    assert RunningCode(NESTED, "Net").loop_around(frozenset(lines)) == loop


def test_a_loop_that_stands_in_no_function_is_found_too():
    """The entry may be a function that is written as a lambda."""
    assert RunningCode("attend = lambda q: [\n    q @ k for k in q]", "attend").loop_around(frozenset({2})) == 1
