# shellcheck shell=bash
# A private broker as a container: the same functions as broker-process.sh. Its ports are fixed, so that it comes back
# under the same address after a kill, and published on the loopback interface only.

readonly container_control_port=15690
readonly pause_attempts=10

prepare() {
  command -v docker >/dev/null || fail "--image needs the docker command and an engine (DOCKER_HOST)"
  docker version >/dev/null 2>&1 || fail "no Docker engine answers at ${DOCKER_HOST:-its default address}: start one, or set DOCKER_HOST"
  docker image inspect "$image" >/dev/null 2>&1 || docker pull --quiet "$image" >/dev/null ||
    fail "there is no image $image here, and it cannot be pulled"
  choose_ports
  configure
}

choose_ports() {
  port=$(free_ports 4) || fail 'no free ports between 17408 and 31808'
  control_port=$((port + 1)) tls_port=$((port + 2)) management_port=$((port + 3))
}

configure() {
  export_control_environment 0.0.0.0 "$container_control_port"
  export RABBITMQ_DEFAULT_USER=$user RABBITMQ_DEFAULT_PASS=$password RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=$control_arguments
  mkdir -p "$folder/etc/conf.d"
  { common_configuration && tls_configuration 5671 /etc/rabbitmq/tls && management_configuration 0.0.0.0 15672; } >"$folder/etc/conf.d/90-private.conf"
  [[ -z $tls ]] || cp -R "$folder/tls" "$folder/etc/"
  echo "[${management:+rabbitmq_management}]." >"$folder/etc/enabled_plugins"
  chmod -R a+rX "$folder/etc" # read by the container's own user; it holds no secret but a throwaway key
}

# Variables without a value are taken from the environment: the password is in no argument.
create_container() {
  container=teller-broker-$port-$$
  echo "$container" >"$folder/container"
  docker create --name "$container" --hostname broker --publish "127.0.0.1:$port:5672" \
    ${tls:+--publish "127.0.0.1:$tls_port:5671"} ${management:+--publish "127.0.0.1:$management_port:15672"} \
    --publish "127.0.0.1:$control_port:$container_control_port" \
    --env RABBITMQ_DEFAULT_USER --env RABBITMQ_DEFAULT_PASS --env RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS \
    --env BROKER_CONTROL --env BROKER_CONTROL_ADDRESS --env BROKER_CONTROL_PORT --env BROKER_CONTROL_SECRET \
    "$image" >/dev/null || return 1
  docker cp --quiet "$folder/etc/." "$container:/etc/rabbitmq/"
}

node_start() {
  [[ -n ${container-} ]] || create_container || return 1
  docker start "$container" >/dev/null || return 1
  await_ready
}

node_runs() { [[ -n ${container-} && $(docker inspect --format '{{.State.Running}}' "$container" 2>/dev/null) == true ]]; }

node_kill() {
  node_runs || return 0
  docker kill --signal KILL "$container" >/dev/null && docker wait "$container" >/dev/null
}

node_stop() {
  node_runs || return 0
  node_thaw 2>/dev/null || true
  docker stop --time "$stop_limit" "$container" >/dev/null
}

node_is_frozen() { [[ $(docker inspect --format '{{.State.Paused}}' "$container" 2>/dev/null) == true ]]; }

# A runtime may give up freezing a process that is busy ("unable to freeze"): it is tried again.
node_freeze() {
  local attempt
  for ((attempt = 0; attempt < pause_attempts; attempt++)); do
    if docker pause "$container" >/dev/null || node_is_frozen; then return; fi
    sleep 0.2
  done
  return 1
}

node_thaw() { docker unpause "$container" >/dev/null; }

node_wipe() {
  [[ -n ${container-} ]] || return 0
  docker rm --force --volumes "$container" >/dev/null || return 1
  container=
}

# As the node's own user: another one would read another cookie.
node_ctl() { # arguments…
  run_recorded "$folder/ctl.pid" timeout --kill-after=1 "$ctl_limit" docker exec --user rabbitmq "$container" rabbitmqctl "$@"
}

node_log() { [[ -z ${container-} ]] || docker logs --tail 15 "$container" 2>&1 || true; }
