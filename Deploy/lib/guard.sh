#!/usr/bin/env bash
# Cleans up behind a script, which holds the other end of this process's stdin for as long as it lives: however it ends,
# kill -9 included, what it has started is ended by its recorded pid and its folder is removed.
#
#   guard.sh FOLDER      ends what FOLDER/*.pid name, removes the containers that FOLDER/container names, the network
#                        that FOLDER/network names, the compose project that FOLDER/project names, and FOLDER
set -uo pipefail
trap '' INT TERM HUP PIPE
# shellcheck source=Deploy/lib/processes.sh
source "$(dirname "${BASH_SOURCE[0]}")/processes.sh"

# One function that ends with `exit`: a shell reads its script as it goes, and this one waits for days.
main() { # folder
  local folder=$1 file tick
  read -r -N 1 _ || true # until the script is gone: it never writes

  if [[ -s $folder/container ]]; then
    xargs docker rm --force --volumes <"$folder/container" >/dev/null 2>&1 || true
  fi
  if [[ -s $folder/network ]]; then
    docker network rm "$(<"$folder/network")" >/dev/null 2>&1 || true
  fi
  if [[ -s $folder/project ]]; then
    docker compose --project-name "$(<"$folder/project")" down --volumes --timeout 1 >/dev/null 2>&1 || true
  fi
  for file in "$folder"/*.pid; do
    [[ ! -s $file ]] || end_tree "$(<"$file")" || echo "process $(<"$file") does not end" >&2
  done
  # What was started may have had guards of its own, which are at work now in folders within this one.
  for ((tick = 0; tick < 1500; tick++)); do
    compgen -G "$folder/tmp/teller-*.??????" >/dev/null || break
    sleep 0.02
  done
  rm -rf "$folder"
  exit
}

main "$1"
