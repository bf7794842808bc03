"""Small MCP servers that behave badly in known ways, for lessons and exercises.

In: a line of JSON on stdin. Out: a line of JSON on stdout. They use no SDK, so each is also short
enough to be read whole. Each runs as a process of its own: `python -m course_pkg.lessons.servers…`.

`lines.py` reads and writes the lines. `troubled.py` crashes, hangs and prints rubbish when asked
to; `paged.py` gives its list of tools in pages.
"""
