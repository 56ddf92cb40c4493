"""Runs a command on a terminal of its own. Arguments: the terminal's columns, and the command.

A line of standard input, a JSON string, is typed there; a JSON list of two numbers is the terminal's new size, columns
and rows. What the terminal shows is printed as it comes, a JSON string a
line. Ends as the command does: with its exit status, or 128 + N when signal N ended it.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios

columns, command = int(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    # As on a person's terminal; who runs the tests may ignore some of them.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
        signal.signal(number, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execv(command[0], command)

typed = b""
sources = [terminal, 0]
while terminal in sources:
    for source in select.select(sources, [], [])[0]:
        try:
            data = os.read(source, 65536)
        except OSError:  # the terminal of a command that has ended
            data = b""
        if not data:
            sources.remove(source)
        elif source == terminal:
            print(json.dumps(data.decode(errors="replace")), flush=True)
        else:
            *lines, typed = (typed + data).split(b"\n")
            for line in lines:
                value = json.loads(line)
                if isinstance(value, str):
                    os.write(terminal, value.encode())
                else:
                    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", value[1], value[0], 0, 0))
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.exit(status if status >= 0 else 128 - status)
