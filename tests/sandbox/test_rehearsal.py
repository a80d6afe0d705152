"""What lies in every worker's memory must help nobody: the rehearsal is a job like any other, and no answer."""

from __future__ import annotations

import ast
from pathlib import Path

from tutor.model import Status
from tutor.sandbox.inside import rehearsal
from tutor.sandbox.inside.observe import serve

INSIDE = Path(rehearsal.__file__).parent


def test_the_rehearsal_runs_to_its_end(monkeypatch):
    """A rehearsal that raised would warm nothing up and never be noticed."""
    headers = []
    monkeypatch.setattr(rehearsal, "_pack", lambda header, tensors: headers.append(header))
    rehearsal.rehearse(serve)
    assert headers[-1] == {"done": True}
    assert {header["ending"] for header in headers[:-1]} == {"returned"}


def test_the_rehearsal_is_no_answer(judged):
    """Handed in, it passes no milestone."""
    assessment = judged(rehearsal.SOURCE.replace("class Rehearsal", "class MultiHeadAttention"))
    assert Status.PASSED not in {milestone.status for milestone in assessment.milestones}


def test_no_text_in_the_package_holds_another_program():
    """The rehearsal is the only string beside student code that is a program with a class."""
    programs = []
    for file in INSIDE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "class " in node.value:
                programs += [file.name] if "nn.Module" in node.value and "def " in node.value else []
    assert programs == ["rehearsal.py"]
