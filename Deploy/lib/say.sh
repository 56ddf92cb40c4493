# shellcheck shell=bash
# What every script here says, it says on stderr, so that stdout stays a script's answer.

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "${0##*/}: $*"
  exit 1
}
