"""find_dates(): which days a question means, in six languages, by grammar files that stand beside the code.

The date parsers that exist were tried first: they do not know 上周三, 去年五月, "last March", "el lunes pasado" or
"в прошлую среду", take words for dates ("we" for Wednesday), and need up to 140 ms for a phrase.
"""

from search.dates.find import DateSpan, find_dates
from search.dates.write import written_dates
from search.dates.zone import zone

__all__ = ["DateSpan", "find_dates", "written_dates", "zone"]
