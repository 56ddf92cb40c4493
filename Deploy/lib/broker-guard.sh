#!/usr/bin/env bash
# Cleans up behind Deploy/broker, which holds the other end of this process's stdin for as long as it lives: however it
# ends, kill -9 included, what it has started is ended by its recorded pid and its folder is removed.
set -uo pipefail
trap '' INT TERM HUP PIPE
folder=$1
# shellcheck source=Deploy/lib/processes.sh
source "$(dirname "${BASH_SOURCE[0]}")/processes.sh"

read -r -N 1 _ || true # until the broker's script is gone: it never writes

if [[ -s $folder/container ]]; then
  container=$(<"$folder/container")
  docker rm --force --volumes "$container" >/dev/null 2>&1 || true
fi
for file in "$folder"/*.pid; do
  [[ ! -s $file ]] || end_tree "$(<"$file")" || echo "broker: process $(<"$file") does not end" >&2
done
rm -rf "$folder"
