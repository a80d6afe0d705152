"""Loads and measurements that need more than the tutor itself: learners over the network, and a browser."""
