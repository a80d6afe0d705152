"""An exercise tutor for attention code: observes a submission in a sandbox, judges it outside."""

__version__ = "0.1.0"
