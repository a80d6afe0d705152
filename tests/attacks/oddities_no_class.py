"""Offers nothing at all."""

print("hello")
