"""What errors mean here: tables of rules, and readings of the shapes and names that an error is about."""
