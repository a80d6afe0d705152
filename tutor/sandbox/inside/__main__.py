"""Entry of a process that holds student code: ``python -I <this folder> <configuration>``; the configuration says which kind.

Run by path and not as a module, so that no other package of the project is ever imported, or importable, in here.
"""

import importlib
import importlib.util
import json
import sys
from pathlib import Path


def main() -> None:
    """Make this folder the package ``inside``, drop it from the module path and hand over."""
    folder = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != folder]
    spec = importlib.util.spec_from_file_location(
        "inside", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"The sandbox package in {folder} is incomplete. Install the project again.")
    package = importlib.util.module_from_spec(spec)
    sys.modules["inside"] = package
    spec.loader.exec_module(package)
    kind = {"zygote": "inside.zygote", "worker": "inside.spawned"}[json.loads(sys.argv[1])["role"]]
    importlib.import_module(kind).main(sys.argv[1])


if __name__ == "__main__":
    main()
