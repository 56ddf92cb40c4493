# shellcheck shell=bash
# A temporary folder for a script and for the pids of what it starts, with a guard that outlives the script by as long
# as cleaning up takes. Needs say.sh and processes.sh, and `here`: the folder of the scripts.

# Sets `folder`. Nobody else may hold the guard's stdin open: whatever is started in the background closes descriptor 9.
# The guard is no child of this script: who ends this script with all that is below it does not end the guard.
begin_guarded() { # name
  umask 077
  folder=$(mktemp -d "${TMPDIR:-/tmp}/teller-$1.XXXXXX")
  exec 9> >(exec setsid --fork "$BASH" "$here/lib/guard.sh" "$folder")
  trap finish_guarded EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
}

# The guard's last deed is to remove the folder.
finish_guarded() { # the script's status, where another command has run since it ended
  local status=${1-$?} deadline=$((SECONDS + 90))
  trap '' TERM INT HUP PIPE
  exec 9>&-
  while [[ -e $folder ]] && ((SECONDS < deadline)); do sleep 0.02; done
  exit "$status"
}
