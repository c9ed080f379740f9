"""Print what an extra of the installed boardrace needs, one requirement a line.

For tools that want only an extra's packages, without building boardrace again.
"""

import re
import sys
from importlib.metadata import requires

for requirement in requires("boardrace") or []:
    name, _, condition = requirement.partition(";")
    if re.search(rf"""extra\s*==\s*['"]{re.escape(sys.argv[1])}['"]""", condition):
        print(name.strip())
