"""
The specification as code: values in, values out, no I/O.
"""
