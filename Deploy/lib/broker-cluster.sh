# shellcheck shell=bash
# A private broker of three nodes, each a container, in a network of their own: the same functions as
# broker-container.sh. `kill`, `start`, `stop` and `freeze` take the number of a node, and mean all without one;
# `ctl` goes to the first node that runs. The ports are published on the loopback interface only.

readonly nodes=(1 2 3)
readonly pause_attempts=10

prepare() {
  command -v docker >/dev/null || fail "--cluster needs the docker command and an engine (DOCKER_HOST)"
  docker version >/dev/null 2>&1 || fail "no Docker engine answers at ${DOCKER_HOST:-its default address}: start one, or set DOCKER_HOST"
  docker image inspect "$image" >/dev/null 2>&1 || docker pull --quiet "$image" >/dev/null ||
    fail "there is no image $image here, and it cannot be pulled"
  choose_ports
  configure
}

choose_ports() { port=$(free_ports "${#nodes[@]}") || fail 'no free ports between 17408 and 31808'; }

node_port() { echo $((port + $1 - 1)); }

# All addresses in one.
url() { # virtual host
  local node addresses=
  for node in "${nodes[@]}"; do addresses+=,127.0.0.1:$(node_port "$node"); done
  printf 'amqp://%s:%s@%s/%s' "$user" "$password" "${addresses#,}" "${1-}"
}

# pause_minority: of a cluster that is cut in two, only one side goes on. net_ticktime, in seconds: a node that is silent
# is taken for dead.
configure() {
  local node
  export RABBITMQ_DEFAULT_USER=$user RABBITMQ_DEFAULT_PASS=$password RABBITMQ_ERLANG_COOKIE=$password
  mkdir -p "$folder/etc/conf.d"
  {
    common_configuration
    echo 'cluster_partition_handling = pause_minority'
    echo 'net_ticktime = 15'
    echo 'cluster_formation.peer_discovery_backend = classic_config'
    for node in "${nodes[@]}"; do echo "cluster_formation.classic_config.nodes.$node = rabbit@node$node"; done
  } >"$folder/etc/conf.d/90-private.conf"
  echo '[].' >"$folder/etc/enabled_plugins"
  chmod -R a+rX "$folder/etc" # read by the containers' own user; it holds no secret
}

# Variables without a value are taken from the environment: no secret is in an argument.
create_containers() {
  local node
  cluster=teller-cluster-$port-$$
  for node in "${nodes[@]}"; do echo "$cluster-$node"; done >"$folder/container"
  echo "$cluster" >"$folder/network"
  docker network create "$cluster" >/dev/null || return 1
  for node in "${nodes[@]}"; do
    docker create --name "$cluster-$node" --hostname "node$node" --network "$cluster" --network-alias "node$node" \
      --publish "127.0.0.1:$(node_port "$node"):5672" \
      --env RABBITMQ_DEFAULT_USER --env RABBITMQ_DEFAULT_PASS --env RABBITMQ_ERLANG_COOKIE "$image" >/dev/null || return 1
    docker cp --quiet "$folder/etc/." "$cluster-$node:/etc/rabbitmq/" || return 1
  done
}

containers() { # node, or nothing
  local node
  for node in ${1:-"${nodes[@]}"}; do echo "$cluster-$node"; done
}

node_start() { # node, or nothing
  local node
  [[ -n ${cluster-} ]] || create_containers || return 1
  # shellcheck disable=SC2046
  docker start $(containers "${1-}") >/dev/null || return 1
  for node in ${1:-"${nodes[@]}"}; do await_node "$node" || return 1; done
  [[ -n ${1-} ]] || await_cluster
}

await_node() { # node
  local deadline=$((SECONDS + start_limit))
  until (port=$(node_port "$1") && answers_amqp) 2>/dev/null; do
    node_runs "$1" || return 1
    ((SECONDS < deadline)) || return 1
    sleep 0.2
  done
}

# All have found each other.
await_cluster() {
  local deadline=$((SECONDS + start_limit))
  until [[ $(ctl_at 1 eval 'length(rabbit_nodes:list_running()).' 2>/dev/null) == "${#nodes[@]}" ]]; do
    ((SECONDS < deadline)) || return 1
    sleep 0.5
  done
}

node_runs() { # node, or nothing: any
  local container
  [[ -n ${cluster-} ]] || return 1
  for container in $(containers "${1-}"); do
    [[ $(docker inspect --format '{{.State.Running}}' "$container" 2>/dev/null) != true ]] || return 0
  done
  return 1
}

node_kill() { # node, or nothing
  local container
  for container in $(containers "${1-}"); do
    docker kill --signal KILL "$container" >/dev/null 2>&1 && docker wait "$container" >/dev/null
  done
  return 0
}

# shellcheck disable=SC2046
node_stop() { docker stop --time "$stop_limit" $(containers "${1-}") >/dev/null; } # node, or nothing

# A runtime may give up freezing a process that is busy: it is tried again.
node_freeze() { # node, or nothing
  local container attempt
  for container in $(containers "${1-}"); do
    for ((attempt = 0; attempt < pause_attempts; attempt++)); do
      # It may be frozen after a refusal, too.
      ! docker pause "$container" >/dev/null || continue 2
      [[ $(docker inspect --format '{{.State.Paused}}' "$container" 2>/dev/null) != true ]] || continue 2
      sleep 0.2
    done
    return 1
  done
}

node_thaw() { return 1; }

node_wipe() {
  [[ -n ${cluster-} ]] || return 0
  # shellcheck disable=SC2046
  docker rm --force --volumes $(containers) >/dev/null || return 1
  docker network rm "$cluster" >/dev/null || return 1
  cluster=
}

ctl_at() { # node, arguments…
  timeout --kill-after=1 "$ctl_limit" docker exec --user rabbitmq "$cluster-$1" rabbitmqctl "${@:2}"
}

node_ctl() { # arguments…
  local node
  for node in "${nodes[@]}"; do
    if node_runs "$node"; then
      run_recorded "$folder/ctl.pid" timeout --kill-after=1 "$ctl_limit" \
        docker exec --user rabbitmq "$cluster-$node" rabbitmqctl "$@"
    fi
  done
  return 1
}

make_virtual_host() { # name → what went wrong, on stdout
  { ctl_at 1 add_vhost "$1" && ctl_at 1 set_permissions --vhost "$1" "$user" '.*' '.*' '.*'; } 2>&1 >/dev/null
}

list_queues() { # virtual host → a line for each queue, or what went wrong
  (node_ctl list_queues --vhost "$1" --quiet --no-table-headers name messages messages_ready) 2>&1
}

node_log() {
  [[ -z ${cluster-} ]] || for container in $(containers); do docker logs --tail 15 "$container" 2>&1 || true; done
}
