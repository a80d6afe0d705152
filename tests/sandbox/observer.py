"""A stand-in for ``inside/observe.py``: runs the source and sends back what it left in ``answer`` and ``results``."""


def serve(job, tensors, emit):
    space = {"__name__": "submission", "tensors": tensors, "emit": emit}
    try:
        exec(compile(job["source"], "submission.py", "exec"), space)  # noqa: S102
        emit({"answer": space.get("answer")}, list(space.get("results", ())))
    except MemoryError:
        emit.make_room()
        emit({"error": "MemoryError"}, [])
    except Exception as error:
        emit({"error": type(error).__name__, "text": str(error)[:500]}, [])
    emit({"done": True}, [])
