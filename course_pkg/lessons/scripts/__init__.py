"""Programs that notebooks show and run: the same code as in their cells, as a file.

In: nothing. Out: text on the terminal. Each runs by its path: `python one_call.py`.
"""

from pathlib import Path

#: Notebook 10's first calls, as a program.
ONE_CALL = Path(__file__).with_name("one_call.py")

__all__ = ["ONE_CALL"]
