"""What the page process may load."""

from __future__ import annotations

import subprocess
import sys


def test_pages_load_neither_torch_nor_sql() -> None:
    """Importing every page imports no torch and no SQLAlchemy, even indirectly."""
    code = "import sys, tutor.ui.app; print([name for name in ('torch', 'sqlalchemy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
