"""
How strong the cases are: mutants of the reference's core, and which cases kill them.

Run it as ``python -m tests.mutation``; the mutations are mutmut's.
"""
