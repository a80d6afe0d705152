"""Everything that is visible beside a student's code. It imports nothing else of the project and holds no answer."""
