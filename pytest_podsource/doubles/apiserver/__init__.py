"""
The fake apiserver: a model behind HTTP, and what a test does to both.
"""
