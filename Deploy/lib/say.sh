# shellcheck shell=bash
# What every script here says, it says on stderr, so that stdout stays a script's answer. And no script ends without a
# word: a command that fails where nobody asks whether it does ends the script, and is named. `$(…)` is no exception.

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "${0##*/}: $*"
  exit 1
}

# What the first lines of a script say of it.
help_if_asked() { # arguments…
  local argument
  for argument in "$@"; do
    if [[ $argument == --help || $argument == -h ]]; then
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
      exit
    fi
  done
}

say_what_failed() { # status, line, command as it is written
  say "${0##*/}: line $2 of ${BASH_SOURCE[1]##*/} ended with $1: ${3%%$'\n'*}"
}

shopt -s inherit_errexit
set -o errtrace
trap 'say_what_failed "$?" "$LINENO" "$BASH_COMMAND"' ERR
