"""What torch's exceptions mean here, where the shapes alone do not tell."""

from __future__ import annotations

from tutor.meanings.rules import Rule

EINSUM = "Write one letter per axis, the same letter for the same axis: “bhqd,bhkd->bhqk”."

TORCH: tuple[Rule, ...] = (
    Rule(
        r"RuntimeError: t\(\) expects a tensor with <= 2 dimensions, but self is (\d)D",
        "t turns a matrix, and this tensor has {1} axes.{given}",
        "transpose(-2, -1) exchanges the last two axes, however many stand in front.",
    ),
    Rule(
        r"RuntimeError: chunk expects `chunks` to be greater than 0, got: (-?\d+)",
        "chunk is asked for {1} parts.",
        "Give it the number of parts: chunk(3, dim=-1) makes three.",
    ),
    Rule(
        r"RuntimeError: expand\(.*the number of sizes provided \((\d+)\) must be greater or equal to the number of dimensions in the tensor \((\d+)\)",
        "What is assigned here has more axes, {2}, than the place it is assigned to, {1}.{given}",
        "Compare the index on the left with the shape of what stands on the right.",
        line=r"\]\s*=(?!=)",
    ),
    Rule(
        r"RuntimeError: expand\(.*the number of sizes provided \((\d+)\) must be greater or equal to the number of dimensions in the tensor \((\d+)\)"
        r"|RuntimeError: Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        "expand and repeat need one number for every axis, and here there are fewer than the tensor has axes.{given}",
        "Name every axis: -1 keeps one in expand, 1 keeps one in repeat.",
    ),
    Rule(
        r"RuntimeError: The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at non-singleton dimension (\d+)",
        "What is assigned here has size {2} where its place has {1}, on axis {3}.{given}",
        "Compare the index on the left with the shape of what stands on the right; only an axis of size 1 stretches.",
        line=r"\]\s*=(?!=)",
    ),
    Rule(
        r"IndexError: invalid index of a 0-dim tensor",
        "A tensor without axes holds one number, and here it is indexed once more.",
        "Each index in square brackets takes one axis away: count them, or write a colon for an axis to keep.",
    ),
    Rule(
        r"IndexError: only integers, slices .*are valid indices(?: \(got ([\w.]+)\))?",
        "A tensor is indexed with something that picks no entry: {1}.",
        "Whole numbers, colons, None and boolean tensors do; a number made by / has a fraction, one made by // has none.",
    ),
    Rule(
        r"IndexError: select\(\): index (-?\d+) out of range for tensor of size (\[.*?\]) at dimension (\d+)"
        r"|RuntimeError: start \((-?\d+)\) \+ length \((\d+)\) exceeds dimension size \((\d+)\)",
        "More is asked of an axis than it has: {0}.{given}",
        "Counting starts at 0; look which axis you mean.",
    ),
    Rule(
        r"RuntimeError: tri[lu]: input tensor must have at least 2 dimensions",
        "A triangle is cut out of a matrix, and this tensor has fewer than two axes.{given}",
        "Make it of the two lengths: torch.ones(T_q, T_k).tril().",
    ),
    Rule(
        r"RuntimeError: size mismatch, got input \((\d+)\), mat \(([\dx]+)\), vec \((\d+)\)",
        "A product does not fit: a matrix of {2} meets a vector of {3} numbers.{given}",
        "A weight of nn.Linear has two axes, (out_features, in_features): look where one of them was lost.",
    ),
    Rule(
        r"RuntimeError: Given normalized_shape=(\[.*?\]), expected input with shape (\[.*?\])",
        "layer_norm is set up for a last axis of {1}, and the tensor ends differently.{given}",
        "The size in its parentheses is that of the last axis, d_model; the exercise itself needs no layer norm.",
    ),
    Rule(
        r"RuntimeError: view size is not compatible.*",
        "view was asked of a tensor whose memory is not in the order of its axes, as after transpose.",
        "Put .contiguous() before the view, or use reshape.",
    ),
    Rule(
        r"RuntimeError: shape '(\[.*?\])' is invalid for input of size (\d+)",
        "A view or reshape to {1} does not fit: the tensor holds {2} numbers, and the sizes multiply to something else.",
        "Check which length and which width this tensor really has; a number from an example, or T_q where T_k is meant, fits only by luck.",
    ),
    Rule(
        r"RuntimeError: only one dimension can be inferred",
        "This view or reshape has more than one -1, and torch can work out only one size.",
        "Give all sizes but one: they follow from the shapes of the inputs, d_model and h.",
    ),
    Rule(
        r"RuntimeError: unflatten: Provided sizes (\[.*?\]) don't multiply up to the size of dim (\d+) \((\d+)\)",
        "unflatten cannot cut axis {2} of size {3} into {1}: these do not multiply to {3}.{given}",
        "The last axis is d_model = h · d_k: cut it into (h, d_k).",
    ),
    Rule(
        r"RuntimeError: split_with_sizes expects split_sizes to sum exactly to (\d+) .*split_sizes=(\[.*?\])",
        "The parts {2} do not add up to the size of that axis, {1}.{given}",
        "Check which axis is split and how wide it is here.",
    ),
    Rule(
        r"RuntimeError: mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
        "A matrix product does not fit: {1}x{2} times {3}x{4}.",
        "What stands on the left ends in an axis of {2}, and {3} is what the right one (or the layer) takes: check which of the two is meant.",
    ),
    Rule(
        r"RuntimeError: Expected size for first two dimensions of batch2 tensor to be: (\[.*?\]) but got: (\[.*?\])",
        "A batched product does not fit: the second tensor should start with {1} but starts with {2}.",
        "In a @ b the last axis of a must equal the last but one of b: print both shapes before this line.",
    ),
    Rule(
        r"RuntimeError: The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        "Two tensors do not fit together: size {1} against {2} on axis {3}.",
        "Print both shapes before this line; only an axis of size 1 stretches to fit.",
    ),
    Rule(
        r"RuntimeError: output with shape (\[.*?\]) doesn't match the broadcast shape (\[.*?\])",
        "An operation in place cannot make its tensor larger: {1} should become {2}.",
        "Write a = a + b rather than a += b, and look whether the smaller tensor lacks an axis.",
    ),
    Rule(
        r"RuntimeError: The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at non-singleton dimension (\d+)",
        "expand cannot make {1} out of {2} on axis {3}: only an axis of size 1 stretches.{given}",
        "Put in an axis of size 1 with unsqueeze first, or keep the size that is there (-1).",
    ),
    Rule(
        r"RuntimeError: permute\(\): duplicate dims|RuntimeError: repeated dim in permute",
        "permute names an axis twice.{given}",
        "Name every axis exactly once.",
    ),
    Rule(
        r"RuntimeError: permute\(.*|RuntimeError: number of dims don't match in permute",
        "permute must name every axis of the tensor once, and it names more or fewer.",
        "Count the axes of the tensor at this point; heads are an axis of their own.",
    ),
    Rule(
        r"IndexError: Dimension out of range \(expected to be in range of \[(-\d+), (\d+)\], but got (-?\d+)\)",
        "An axis is asked for that is not there: {3}, where {1} to {2} are possible.",
        "Count the axes of the tensor at this point: from 0, or from the end with -1.",
    ),
    Rule(
        r"IndexError: too many indices for tensor of dimension (\d+)",
        "The index names more axes than the tensor has, which are {1}.",
        "Count the axes of the tensor at this point; heads are an axis of their own.",
    ),
    Rule(
        r"IndexError: index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)",
        "Index {1} is asked for on an axis of size {3}: counting starts at 0.{given}",
        "Look which axis you mean; a colon keeps one whole, as in x[:, i].",
    ),
    Rule(
        r"RuntimeError: Tensors must have same number of dimensions: got (\d+) and (\d+)",
        "Tensors that are joined must have equally many axes, and these have {1} and {2}.{given}",
        "Bring them to the same axes first, or look whether they should be joined at all.",
    ),
    Rule(
        r"RuntimeError: Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got size (\d+)",
        "Tensors that are joined along axis {1} must agree in all others, and here {2} meets {3}.{given}",
        "Check along which axis they should be joined (dim), and whether they should be joined at all.",
    ),
    Rule(
        r"RuntimeError: stack expects each tensor to be equal size",
        "stack takes tensors of one shape.{given}",
        "Look why their shapes differ: parts cut along the wrong axis, or queries and keys, which may differ in length and are treated each on its own.",
    ),
    Rule(
        r"RuntimeError: (contracted dimensions need to match.*|inner\(\) the last dimension must match.*)",
        "The axes that are multiplied have different sizes: {1}.{given}",
        "For attention write q @ k.transpose(-2, -1): there it is the last axis of both that is multiplied and summed.",
    ),
    Rule(
        r"IndexError: tensors used as indices must be",
        "A tensor of numbers with a fraction is used as an index.",
        "Only whole numbers and booleans pick entries; to change entries by a mask, use masked_fill.",
    ),
    Rule(
        r"TypeError: (?:iteration over|len\(\) of) a 0-d tensor",
        "A tensor without axes holds one number, and here it is treated like a list.",
        "Look which sum, mean or index on this line or before it took the axes away; dim=… keeps the others.",
    ),
    Rule(
        r"RuntimeError: einsum\(\): subscript (\w) has size (\d+) for operand (\d+) which does not broadcast with previously seen size (\d+)",
        "In the einsum equation the letter {1} stands for two sizes, {4} and {2}.{given}",
        "Lay the letters beside the shapes: either one stands in the wrong place, or a tensor is not what the equation expects (weights end in an axis of keys).",
    ),
    Rule(
        r"RuntimeError: einsum\(\): the number of subscripts in the equation \((\d+)\) does not match the number of dimensions \((\d+)\)",
        "The einsum equation has {1} letters for a tensor of {2} axes.{given}",
        EINSUM,
    ),
    Rule(
        r"RuntimeError: einsum\(\): (invalid subscript|.*subscripts must be in)",
        "The einsum equation holds a sign that is neither a letter, a comma, “->” nor “...”.",
        "An axis is one single letter, so T_q becomes q. " + EINSUM,
    ),
    Rule(r"(?:RuntimeError|ValueError): einsum\(\): (.*)", "The einsum equation does not fit: {1}.{given}", EINSUM),
)  # fmt: skip
