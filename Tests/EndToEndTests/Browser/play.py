"""Plays scenarios in a real Chromium: play.py ADDRESS FACTS MODULE…"""

import sys

from browser import run

if __name__ == "__main__":
    sys.exit(run(sys.argv))
