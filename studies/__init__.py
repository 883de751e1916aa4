"""Studies: what was measured or decided once, kept as data, and the parts of the pages in docs/ that are made of it.

A study has a module that does the work and writes `data/`, and, where that is long, one that makes text of the data.
`pages.py` lists all parts, and `python -m studies` writes them. The models are those that the tests share.
"""

import sys
from pathlib import Path

from studies.helping import stop_where_help_is_asked

ROOT = Path(__file__).parents[1]
DOCS, RECORDS = ROOT / "docs", ROOT / "studies" / "data"

sys.path.insert(0, str(ROOT / "tests"))

stop_where_help_is_asked()
