"""What torch's exceptions about number types, devices, gradients and stored weights mean here."""

from __future__ import annotations

from tutor.meanings.rules import Rule

DEVICE = 'Remove .cuda(), .to("cuda") and device="…"; a new tensor follows the inputs with device=Q.device.'
TYPE = "Leave out conversions such as .half(), .double() or .long(); a new tensor follows the inputs with dtype=Q.dtype.{layers}"
BACKWARD = "The checker runs backward itself: remove it here; training code has its place outside."

GRADIENT: tuple[Rule, ...] = (
    Rule(
        r"RuntimeError: Expected one of cpu, cuda.* device type at start of device string: (\w+)|RuntimeError: Invalid device string: '(.*?)'",
        "“{first}” names no device that torch knows.",
        "A new tensor follows the inputs with device=Q.device; a number type is written without quotes, torch.float32.",
    ),
    Rule(
        r"RuntimeError: Device index must not be negative",
        "A device is asked for by the number -1, which is what get_device() gives where there is no graphics processor.",
        "A new tensor follows the inputs with device=Q.device.",
    ),
    Rule(
        r"ValueError: invalid type: '(\w+)'",
        "type was given “{1}”, which is no number type of torch.",
        "Write .bool() or .float(), or .to(torch.bool).",
    ),
    Rule(
        r"RuntimeError: mean\(\): could not infer output dtype.*Got: (\w+)"
        r"|RuntimeError: result type \w+ can't be cast to the desired output type (\w+)",
        "The result has a fraction, and the tensor holds numbers of type {first}.{given}",
        "Look where that tensor comes from; .float() makes numbers with a fraction of it.",
    ),
    Rule(
        r"RuntimeError: expected scalar type (\w+) but found (\w+)|RuntimeError: expected m1 and m2 to have the same dtype, "
        r"but got: (.*) != (.*)|RuntimeError: .*must have the same dtype, but got (\w+) and (\w+)",
        "Two tensors of different number types meet: {all}.{given}",
        TYPE,
    ),
    Rule(
        r"(?:NotImplementedError|RuntimeError): \"(\w+)\" not implemented for '(Bool|Long|Int|Short|Byte|Char)'",
        "This operation does not work on a tensor of type {2}.{given}",
        "Look which tensor on this line holds booleans or whole numbers: a mask is used in masked_fill, not in a product or a softmax.",
    ),
    Rule(
        r"(?:AssertionError|RuntimeError): (?:Torch not compiled with CUDA|Found no NVIDIA driver|No CUDA GPUs|CUDA error|.*not linked with support for)"
        r"|\w+: .*(?:'MPS' backend|'CUDA' backend|MPS backend)",
        "The code asks for a graphics processor, and there is none here.",
        DEVICE,
    ),
    Rule(
        r"RuntimeError: Expected all tensors to be on the same device|RuntimeError: .*is not on the expected device"
        r"|(?:RuntimeError|NotImplementedError): .*(?:meta tensor|device meta)",
        "Tensors on different devices meet.",
        DEVICE,
    ),
    Rule(
        r"RuntimeError: Can't call numpy\(\) on Tensor that requires grad",
        "numpy was given a tensor that still collects gradients.",
        "Stay with torch: it has the same functions, and after numpy no gradient comes back.",
    ),
    Rule(
        r"RuntimeError: [Oo]nly Tensors of floating point.* can require gradients",
        "Gradients are asked for a tensor of whole numbers.",
        "Make it of numbers with a fraction, as in torch.ones or torch.tensor([1.0]); better still, leave the weights to nn.Linear.",
    ),
    Rule(
        r"RuntimeError: a (?:view of a )?leaf Variable that requires grad is being used in an in-place operation",
        "A weight, or an input that gradients are asked for, is changed in place.{given}",
        "Write the result to a new name: no +=, no *=, no method whose name ends in _.{starting}",
    ),
    Rule(
        r"RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation",
        "A tensor was changed in place after another step had used it, so the gradient can no longer be worked out.",
        "Write the result to a new name: no +=, no *=, no method whose name ends in _.",
    ),
    Rule(
        r"RuntimeError: element 0 of tensors does not require grad",
        "A gradient is asked of something that depends on no weight.",
        BACKWARD,
    ),
    Rule(r"RuntimeError: Trying to backward through the graph a second time", "backward is called twice on the same calculation.", BACKWARD),
    Rule(
        r"RuntimeError: grad can be implicitly created only for scalar outputs",
        "backward is called on a whole tensor rather than on one number.",
        BACKWARD,
    ),
    Rule(
        r"RuntimeError: Error\(s\) in loading state_dict for (\w+):\s*Missing key\(s\) in state_dict: (.*)",
        "load_state_dict was given no value for {2}.",
        "The checker puts the weights in itself: remove the load_state_dict.",
    ),
    Rule(
        r"RuntimeError: Error\(s\) in loading state_dict for (\w+):\s*(.*)",
        "The stored weights do not fit {1}: {2}.",
        "The checker puts the weights in itself: remove the load_state_dict.",
    ),
)  # fmt: skip
