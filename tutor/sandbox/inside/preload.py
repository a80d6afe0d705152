"""Imports and warms up everything a worker may need: behind the walls nothing can be imported any more.

torch's eager code touches its compiler package, ``torch._dynamo``, in a few places (optimisers, ``torch.func``,
checkpointing) only to say "do not compile this", ``torch.distributed.tensor`` only to ask whether a tensor is one of its kind,
and ``symbolic_shapes``, which loads sympy, only to compare two shapes of numbers. Importing them costs longer than torch itself
and 70 MB, so stand-ins answer instead. If the warm-up ever finds them wanting, the real packages are imported.

Left out for their cost, and so not available to submissions: ``torch.func.jvp`` and ``jacrev`` and linear
layers on the meta device (0.3 to 0.8 s each), ``torch.compile`` (compiles nothing here), ``flex_attention``.
"""

from __future__ import annotations

import contextlib
import io
import operator
import sys
import types
import warnings
from importlib import import_module
from typing import Any

import torch
from torch import nn

DYNAMO, DTENSOR, SHAPES = "torch._dynamo", "torch.distributed.tensor", "torch.fx.experimental.symbolic_shapes"
# Imported lazily by torch on first use; each of them once failed behind the walls.
LAZY_MODULES = (
    "torch._subclasses.schema_check_mode",
    "torch.profiler._cupti_monitor",
    "torch.utils.checkpoint",
    "torch.utils.serialization.config",
)
STUDENTS_MODULES = (
    "abc", "argparse", "bisect", "cProfile", "collections", "contextlib", "copy", "dataclasses", "datetime", "decimal",
    "doctest", "enum", "fractions", "functools", "getpass", "graphlib", "heapq", "html", "inspect", "io", "itertools", "json", "logging",
    "math", "numbers", "operator", "pathlib", "pdb", "pprint", "random", "re", "secrets", "statistics", "string", "sys",
    "textwrap", "time", "timeit", "traceback", "tracemalloc", "typing", "typing_extensions", "unicodedata", "unittest", "uuid", "warnings",
)  # fmt: skip


def preload() -> None:
    """Import, install the stand-in or the real compiler package, and run every kind of operation once."""
    for name in STUDENTS_MODULES:
        import_module(name)
    for name in LAZY_MODULES:
        with contextlib.suppress(ImportError):  # another version of torch may not have it, nor need it
            import_module(name)
    for name in ("numpy", "numpy.random", "numpy.fft", "numpy.linalg"):
        with contextlib.suppress(ImportError):
            import_module(name)
    _install_stand_ins()
    try:
        warm_up()
    except (AttributeError, ImportError, TypeError):
        _remove_stand_ins()
        import_module(DYNAMO)
        import_module(SHAPES)
        warm_up()
    torch.manual_seed(0)


def warm_up() -> None:
    """Touch what lessons on attention use, so that first-use costs are paid here once and not in every worker."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _attention()
        _transforms()
        _training()
        _comfort()


def _attention() -> None:
    x = torch.randn(2, 5, 12, requires_grad=True)
    attention = nn.MultiheadAttention(12, 3, batch_first=True)
    output: Any = attention(x, x, x)[0]
    output.square().sum().backward()
    nn.functional.scaled_dot_product_attention(x, x, x)
    nn.functional.dropout(nn.LayerNorm(12)(nn.functional.gelu(x)), 0.1).double().float().isfinite().all()


def _transforms() -> None:
    x = torch.randn(3, 4)
    torch.func.vmap(lambda row: row * 2)(x)
    torch.func.grad(lambda value: value.square().sum())(x)
    layer = nn.Linear(4, 4)
    torch.func.functional_call(layer, dict(layer.named_parameters()), (x,))


def _training() -> None:
    for optimiser in (torch.optim.SGD, torch.optim.AdamW):
        layer = nn.Linear(4, 4)
        step: Any = optimiser(layer.parameters(), lr=0.1)
        step.zero_grad()
        layer(torch.randn(3, 4)).sum().backward()
        step.step()
    value = torch.randn(3, requires_grad=True)
    for reentrant in (True, False):
        torch.utils.checkpoint.checkpoint(lambda x: x.square(), value, use_reentrant=reentrant).sum().backward()


def _comfort() -> None:
    leaf = torch.randn(2, 3, requires_grad=True)
    doubled: Any = leaf * 2
    doubled.backward(torch.ones(2, 3))
    file = io.BytesIO()
    torch.save({"a": torch.ones(2)}, file)
    file.seek(0)
    torch.load(file)
    value = torch.randn(4, 4)
    torch.broadcast_shapes((4, 1), (4,))  # type: ignore[no-untyped-call]
    value.dim_order()
    str(value)
    repr(nn.Linear(2, 2))
    torch.testing.assert_close(value, value)
    torch.linalg.svd(value)
    torch.fft.fft(value)
    torch.eye(3).to_sparse()
    torch.nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
    nn.Conv1d(4, 4, 3)(torch.randn(1, 4, 8))


def _install_stand_ins() -> None:
    dynamo: Any = types.ModuleType(DYNAMO)
    dynamo.disable = dynamo.disallow_in_graph = dynamo.allow_in_graph = _unchanged
    dynamo.graph_break = dynamo.mark_dynamic = dynamo.mark_static = _nothing
    dynamo.is_compiling = dynamo.is_dynamo_supported = _false
    dynamo.compiled_autograd = types.SimpleNamespace(_disable=contextlib.nullcontext)
    dynamo.config = types.SimpleNamespace(error_on_nested_fx_trace=False, patch=_no_patch)
    dtensor: Any = types.ModuleType(DTENSOR)
    dtensor.DTensor = type("DTensor", (), {})
    for module in (dynamo, dtensor, _shapes()):
        parent, _, name = module.__name__.rpartition(".")
        module.__path__ = []
        sys.modules[module.__name__] = module
        vars(import_module(parent))[name] = module


def _shapes() -> Any:
    """What torch asks about sizes that may be unknown, answered for sizes that are plain numbers."""
    shapes: Any = types.ModuleType(SHAPES)
    shapes.expect_true = shapes.guard_or_false = shapes.guard_or_true = shapes.guard_size_oblivious = bool
    shapes.guard_bool = shapes.statically_known_true = bool
    shapes.statically_known_false = operator.not_
    shapes.sym_eq, shapes.sym_and, shapes.sym_or = operator.eq, _every, _some
    shapes.guarding_hint_or_throw = shapes.optimization_hint = _same
    shapes.guard_int = shapes.guard_float = shapes.guard_scalar = _same
    shapes.has_guarding_hint = shapes.has_static_value = _true
    shapes.is_concrete_int = shapes.is_concrete_float = shapes.is_concrete_bool = _true
    shapes.is_nested_int = shapes.is_symbolic = shapes.has_symbolic_sizes_strides = _false
    shapes.has_free_symbols = shapes.has_free_unbacked_symbols = _false
    shapes.free_symbols = shapes.free_unbacked_symbols = _none
    shapes._advise_is_size = shapes._advise_is_bounded = _nothing
    shapes.constrain_range = shapes._constrain_range_for_size = shapes.constrain_unify = _nothing
    return shapes


def _remove_stand_ins() -> None:
    for module in (DYNAMO, DTENSOR, SHAPES):
        parent, _, name = module.rpartition(".")
        sys.modules.pop(module, None)
        vars(import_module(parent)).pop(name, None)


def _unchanged(function: Any = None, *_args: Any, **_options: Any) -> Any:
    return _unchanged if function is None else function


def _nothing(*_args: Any, **_options: Any) -> None:
    return None


def _no_patch(*_args: Any, **_options: Any) -> contextlib.nullcontext[None]:
    return contextlib.nullcontext()


def _false(*_args: Any) -> bool:
    return False


def _true(*_args: Any) -> bool:
    return True


def _same(value: Any, *_args: Any, **_options: Any) -> Any:
    return value


def _every(*conditions: Any) -> bool:
    return all(conditions)


def _some(*conditions: Any) -> bool:
    return any(conditions)


def _none(*_args: Any) -> frozenset[Any]:
    return frozenset()
