"""What torch's exceptions mean here, where the shapes alone do not tell."""

from __future__ import annotations

from tutor.meanings.rules import Rule

EINSUM = "Write one letter per axis, the same letter for the same axis: “bhqd,bhkd->bhqk”."

TORCH: tuple[Rule, ...] = (
    Rule(
        r"NotImplementedError@self: Module \[(\w+)\] is missing the required \"forward\" function",
        "{1} has no method called forward.",
        "Check the spelling of forward and that it is indented like __init__, inside the class.",
    ),
    Rule(
        r"NotImplementedError: Module \[(\w+)\] is missing the required \"forward\" function",
        "A {1} is called like a layer, but it has no forward.",
        "A ModuleList only holds layers: call the layers in it. A class of your own needs a method forward.",
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
        r"IndexError: The shape of the mask (\[.*?\]) at index (\d+) does not match the shape of the indexed tensor (\[.*?\])",
        "A mask in square brackets is not stretched: {1} does not cover {3}.{given}",
        "masked_fill stretches its mask over the missing axes.",
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
    Rule(
        r"RuntimeError: masked_fill_? only supports boolean masks, but got mask with dtype (\w+)",
        "masked_fill takes a boolean mask, and here it is of type {1}.",
        "The mask arrives boolean: ~mask turns it round, and a comparison such as m == 0 is boolean again.",
    ),
    Rule(
        r"RuntimeError: where expected condition to be a boolean tensor, but got a tensor with dtype (\w+)",
        "torch.where takes a boolean condition, and here it is of type {1}.",
        "Give it the mask as it arrives, without .float() or .int().",
    ),
    Rule(
        r"RuntimeError: (?:Subtraction|Negation), the `-` operator, (?:with|on) a bool tensor is not supported",
        "Booleans cannot be subtracted, and the mask is boolean.",
        "~mask turns a mask round.",
    ),
    Rule(
        r"TypeError: ~ \(operator.invert\) is only implemented on integer and Boolean-type tensors",
        "~ turns booleans round, and this tensor holds numbers with a fraction.{given}",
        "Apply it to the boolean mask itself; a mask made with torch.ones becomes boolean with .bool().",
    ),
    Rule(
        r"RuntimeError: Boolean value of Tensor|RuntimeError: bool value of Tensor",
        "A whole tensor is asked whether it is true, by not.",
        "~mask turns every entry round; “mask is None” asks whether there is a mask.",
        line=r"\bnot\s+(?!None\b)\w",
    ),
    Rule(
        r"RuntimeError: Boolean value of Tensor|RuntimeError: bool value of Tensor",
        "A comparison of tensors gives a tensor, and that whole tensor is asked whether it is true.",
        "Compare single numbers or shapes, use .all() or .any(); whether two names are the same thing asks “is”.",
        line=r"==|!=|[<>]|\bin\b",
    ),
    Rule(
        r"RuntimeError: Boolean value of Tensor|RuntimeError: bool value of Tensor",
        "A whole tensor is asked whether it is true, by and or or.",
        "Ask “if mask is None:” and set it there.",
        line=r"\b(?:and|or)\b",
    ),
    Rule(
        r"RuntimeError: Boolean value of Tensor|RuntimeError: bool value of Tensor",
        "A whole tensor is asked whether it is true.",
        "Ask “if mask is not None” instead of “if mask”.",
    ),
)  # fmt: skip
