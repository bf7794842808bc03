"""Print a month: `show_calendar.py -- YEAR-MONTH`."""

from __future__ import annotations

import argparse
import calendar
import datetime
import sys


def month_of(text: str) -> datetime.date:
    """The first day of a month. Raises `ValueError` for what is none."""
    return datetime.date.fromisoformat(f"{text}-01")


def main() -> None:
    """Print one month."""
    parser = argparse.ArgumentParser(description="Print the calendar of a month.")
    parser.add_argument("month", type=month_of)
    month: datetime.date = parser.parse_args().month
    sys.stdout.write(calendar.TextCalendar().formatmonth(month.year, month.month))


if __name__ == "__main__":
    main()
