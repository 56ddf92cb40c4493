# shellcheck shell=bash
# Processes, by their recorded pids only: never by name. (`ps` and `pgrep` are not part of a minimal Debian: /proc is.)
# What has a limit needs say.sh.

# The pids of everything below a process, the process itself not included. What ends meanwhile is none of them.
descendants() { # pid
  { cat /proc/[0-9]*/status 2>/dev/null || true; } | awk -v root="$1" '
    $1 == "Pid:" { pid = $2 }
    $1 == "PPid:" { parent[pid] = $2 }
    END {
      for (pid in parent)
        for (above = parent[pid]; above in parent; above = parent[above])
          if (above == root) { print pid; break }
    }'
}

# True while a process exists and is more than an exit status that waits to be read.
is_alive() { # pid
  [[ -r /proc/$1/status ]] && ! grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null && [[ -d /proc/$1 ]]
}

# True when SIGSTOP has reached every thread of a process.
all_threads_stopped() { # pid
  awk '$1 == "State:" && $2 != "T" { runs = 1 } END { exit runs }' "/proc/$1/task"/*/status 2>/dev/null
}

# Waits until a process is gone: 0, or 1 when it is still there after the limit.
await_gone() { # pid, seconds
  local deadline=$((SECONDS + $2))
  while is_alive "$1"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.02
  done
}

# Ends a process and all below it at once, and waits until none is left.
end_tree() { # pid
  local pid
  local -a pids
  mapfile -t pids < <(descendants "$1")
  for pid in "$1" "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  for pid in "$1" "${pids[@]}"; do await_gone "$pid" 10 || return 1; done
}

# Runs a command in a session of its own, so that a Ctrl-C at the terminal does not reach it, and as a recorded child:
# the command writes its pid itself before it begins, so there is no moment in which it runs unrecorded. Does not return:
# to be called with `&`, and $! is the command's own pid then.
run_recorded() { # pid file, command…
  # shellcheck disable=SC2016
  exec setsid /bin/sh -c 'echo $$ >"$0" && exec "$@"' "$@" </dev/null
}

# Waits for a child of this shell, and returns its status. One that reaches the limit is ended with all that is below
# it, and 124 is returned. `timeout` would reach one process group only: `swift test` gives the tests another one.
wait_limited() { # pid, seconds, what it is
  local deadline=$((SECONDS + $2))
  while is_alive "$1"; do
    if ((SECONDS >= deadline)); then
      say "${0##*/}: $3 did not end within $2 s"
      # The shell tells of a child that was killed.
      end_tree "$1" 2>/dev/null || say "${0##*/}: some of it does not end"
      wait "$1" 2>/dev/null || true
      return 124
    fi
    sleep 0.2
  done
  wait "$1"
}

# As a recorded child, so that nothing of it survives this script, and with a limit.
run_limited() { # pid file, seconds, what it is, command…
  local status=0
  run_recorded "$1" "${@:4}" 9>&- &
  wait_limited $! "$2" "$3" || status=$?
  rm -f "$1"
  return "$status"
}

port_is_open() { # port
  { true 8<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null
}

# The first of so many neighbouring ports on which nothing listens, below the range from which the kernel takes its own.
free_ports() { # how many
  local first port attempt
  for ((attempt = 0; attempt < 100; attempt++)); do
    first=$((17408 + (RANDOM * 32768 + RANDOM) % 1800 * 8))
    for ((port = first; port < first + $1; port++)); do
      ! port_is_open "$port" || continue 2
    done
    echo "$first"
    return
  done
  return 1
}
