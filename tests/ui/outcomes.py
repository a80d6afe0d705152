"""What a fake checker says of a trial run, by words in the text: ``raises`` stops, ``passes`` and ``only rules`` give the right numbers."""

from __future__ import annotations

from tutor.trials import (
    Compared,
    Example,
    Given,
    Grid,
    HeadMap,
    Lens,
    Looked,
    Lost,
    Maps,
    Outcome,
    Scratch,
    SmallExample,
    Stopped,
    Trial,
)

SNIPPET = "import torch\n\nQ = torch.tensor([[[1., 0., 2., -1.]]])\nprint(Q)\n# right: [[[1.00]]]\n"
_DIMS = {"B": 1, "T_q": 2, "T_k": 2, "d_model": 4, "h": 2}
_RIGHT = Grid(shape=(1, 2, 4), values=(0.5, -1.25, 2.0, 0.0, 1.0, 1.5, -0.75, 3.0))
_MINE = Grid(shape=(1, 2, 4), values=(0.5, -1.25, 2.0, 0.0, 1.0, -11.5, None, 3.0))
_WEIGHTS = Grid(shape=(1, 2, 2, 2), values=(0.75, 0.25, 0.5, 0.5, 1.0, 0.0, 0.125, 0.875))
_GIVEN = (
    Given(name="W_Q.weight", axes=("d_model", "d_model"), grid=Grid(shape=(4, 4), values=(1.0, 0.0, -1.0, 0.0) * 4)),
    Given(name="Q", axes=("B", "T_q", "d_model"), grid=Grid(shape=(1, 2, 4), values=(2.0, 0.0, -2.0, 1.0) * 2)),
    Given(name="mask", axes=("T_q", "T_k"), grid=Grid(shape=(2, 2), values=(1.0, 0.0, 1.0, 1.0)), truths=True),
)


def tried(trial: Trial, source: str, nasty: str) -> Outcome:
    """What comes of a trial; ``nasty`` is text that must not act."""
    match trial:
        case Scratch(lines=lines):
            return Looked(printed=lines)
        case SmallExample():
            return example(source, nasty)
        case Lens():
            return maps(trial, source, nasty)
    return Lost(reason="The fake has no such run.")


def example(source: str, nasty: str) -> Example:
    """The smallest example of a text: call 2 of the first case."""
    told = Example(looked_at=1, dims=_DIMS, call=2, train=True, given=_GIVEN, snippet=SNIPPET)
    if "raises" in source:
        return told.model_copy(update={"stopped": Stopped(message=nasty, next_step=f"Look again. {nasty}", line=8)})
    right = "passes" in source or "only rules" in source
    mine = _RIGHT if right else _MINE
    compared = (
        Compared(name="output", axes=("B", "T_q", "d_model"), wanted=_RIGHT, mine=mine, apart=() if right else (5, 6)),
        Compared(name="attn_w", axes=("B", "h", "T_q", "T_k"), wanted=_WEIGHTS, mine=_WEIGHTS)
        if right
        else Compared(
            name="attn_w", axes=("B", "h", "T_q", "T_k"), wanted=_WEIGHTS, instead=f"a value of type {nasty}"
        ),
    )
    return told.model_copy(update={"differs": not right, "compared": compared})


def maps(trial: Lens, source: str, nasty: str) -> Maps:
    """The maps of a text: its last head attends to every word alike, later ones too; with ``elsewhere`` the output is another one."""
    count = len(trial.words)
    at_previous = [float(column == max(row - 1, 0)) for row in range(count) for column in range(count)]
    wanted = Grid(shape=(count, count), values=tuple(at_previous))
    alike = Grid(shape=(count, count), values=(1 / count,) * count**2)
    right = "passes" in source or "elsewhere" in source
    stopped = Stopped(message=nasty, next_step=f"Look again. {nasty}", line=8) if "raises" in source else None
    mine = [None] * 4 if stopped else [wanted] * 4 if right else [wanted] * 3 + [alike]
    heads = tuple(
        HeadMap(look=look, wanted=wanted, mine=grid)
        for look, grid in zip(("the first", "the second", "the third", "the fourth"), mine, strict=True)
    )
    told = Maps(words=trial.words, causal=trial.causal, heads=heads, stopped=stopped)
    return told.model_copy(update={"mixed_otherwise": "elsewhere" in source})
