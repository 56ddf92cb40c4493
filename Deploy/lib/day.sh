# shellcheck shell=bash
# A day that is played on this machine: the programs are built, and a private RabbitMQ is started, then the processes
# that serve; all of them end with the script. It reads: here, root, folder, and products, which are built. It sets:
# programs, and pids of the processes by name.

readonly ready_limit=60 # seconds until a process says that it is ready; normal is less than one
readonly broker_limit=240 # longer than Deploy/broker itself waits for a node
readonly drain_limit=30

build() {
  require_swift "$root"
  say 'building (the first time takes some minutes)'
  local product log=$folder/build.log
  for product in "${products[@]}"; do
    swift build --package-path "$root" -c release --product "$product" >"$log" 2>&1 9>&- || { tail -n 40 "$log" >&2; fail 'the build failed'; }
  done
  programs=$(swift build --package-path "$root" -c release --show-bin-path)
}

# The broker ends when its stdin does, and that is held by this script alone.
start_broker() {
  mkfifo "$folder/broker.commands" "$folder/broker.answers"
  "$here/broker" <"$folder/broker.commands" >"$folder/broker.answers" 2>"$folder/broker.log" 9>&- &
  broker=$!
  exec 7>"$folder/broker.commands" 8<"$folder/broker.answers"
  local ready url
  read -r -t "$broker_limit" ready url <&8 && [[ $ready == ready ]] || give_up 'RabbitMQ does not start'
  export TELLER_BROKER_URL=$url # never an argument: those can be read by everybody
}

end_broker() {
  exec 7>&-
  if [[ -n ${broker-} ]]; then
    kill -TERM "$broker" 2>/dev/null || true # where it is still starting, it does not read
    wait "$broker" || true
  fi
}

# However it ends; the status is that of the script.
finish_day() {
  local status=$?
  end_broker || true
  finish_guarded "$status"
}

# Starts a process and waits until its log says that it is ready.
start() { # name, what a ready line contains, command…
  local name=$1 ready=$2 log=$folder/$1.log follower
  shift 2
  : >"$log"
  run_recorded "$folder/$name.pid" "$@" >>"$log" 2>&1 7>&- 8>&- 9>&- &
  pids[$name]=$!
  exec 6< <(exec timeout "$ready_limit" tail --pid="${pids[$name]}" -n +1 -f "$log" 2>/dev/null 7>&- 8>&- 9>&-)
  follower=$!
  grep -q -m 1 -- "$ready" <&6 || give_up "the $name did not get ready"
  exec 6<&-
  kill "$follower" 2>/dev/null || true
}

give_up() {
  local log
  for log in "$folder"/*.log; do
    [[ -s $log && $log != */build.log ]] || continue
    say "--- ${log##*/}"
    tail -n 20 "$log" >&2
  done
  fail "$*"
}

# In a session of its own, like the others; on Ctrl-C it is told before the guard ends the rest, so that it can leave the
# terminal as it was.
play() { # program, flags
  local status=0
  trap 'leave 130' INT
  trap 'leave 143' TERM
  trap 'leave 129' HUP
  run_recorded "$folder/day.pid" "$programs/$1" day "${@:2}" 7>&- 8>&- 9>&- &
  day=$!
  wait "$day" || status=$?
  rm -f "$folder/day.pid"
  ((status < 2)) || give_up "the day ended with status $status"
  return "$status"
}

leave() { # status
  kill -TERM "$day" 2>/dev/null || true
  await_gone "$day" 5 || true
  exit "$1"
}

# Who serves goes before the broker: in good order, as at the end of a real day.
end_in_turn() { # names
  local name
  for name in "$@"; do
    kill -TERM "${pids[$name]}" 2>/dev/null || true
    await_gone "${pids[$name]}" "$drain_limit" || say "the $name did not drain in ${drain_limit} s and is ended"
    rm -f "$folder/$name.pid"
  done
}
