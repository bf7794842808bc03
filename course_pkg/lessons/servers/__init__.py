"""Small MCP servers that lessons and exercises start: `python -m course_pkg.lessons.servers…`.

In: a line of JSON on stdin. Out: a line of JSON on stdout. Each is short enough to be read whole.

Without an SDK, and behaving badly in known ways: `lines.py` reads and writes the lines,
`troubled.py` crashes, hangs and prints rubbish when asked to, `paged.py` lists its tools in pages.
With the SDK: `library.py`, `shop.py` and `archive.py` have tools of the same name, results of many
blocks (`covers.py` draws the pictures) and a list that changes; `programs.py` runs local programs.
"""
