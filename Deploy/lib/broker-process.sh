# shellcheck shell=bash
# A private broker as a process of this machine: Debian's RabbitMQ, by the package's own server script (the wrapper in
# /usr/sbin changes the user), with a port mapper of its own, and everything it writes in one folder.

server=/usr/lib/rabbitmq/bin
# Elsewhere they lie where the command is, or where that points to.
[[ -x $server/rabbitmq-server ]] || server=$(dirname "$(readlink -f "$(command -v rabbitmq-server || echo "$server/none")")")
readonly server
server_script=$server/rabbitmq-server
readonly on_loopback='-kernel inet_dist_use_interface {127,0,0,1}'
# Seconds for rabbitmqctl and a node to know each other; the default of 7 is little on a busy machine.
readonly patient_handshake='-kernel net_setuptime 60'

prepare() {
  [[ -x $server/rabbitmq-server ]] || fail "RabbitMQ is not installed: apt-get install rabbitmq-server, or run Deploy/test"
  choose_ports
  local name
  for name in $(compgen -v RABBITMQ_ || true); do unset "$name"; done
  mkdir "$folder/conf.d" "$folder/log" "$folder/home"
  echo "[${management:+rabbitmq_management}]." >"$folder/enabled_plugins"
  echo '[].' >"$folder/advanced.config"
  : >"$folder/env.conf"
  export HOME=$folder/home LC_ALL=C.UTF-8 \
    ERL_CRASH_DUMP=$folder/log/crash.dump ERL_CRASH_DUMP_SECONDS=0 \
    RABBITMQ_CONF_ENV_FILE=$folder/env.conf RABBITMQ_CONFIG_FILE=$folder/rabbitmq.conf \
    RABBITMQ_CONFIG_FILES=$folder/conf.d RABBITMQ_ADVANCED_CONFIG_FILE=$folder/advanced.config \
    RABBITMQ_ENABLED_PLUGINS_FILE=$folder/enabled_plugins RABBITMQ_MNESIA_BASE=$folder/data \
    RABBITMQ_GENERATED_CONFIG_DIR=$folder/data/config RABBITMQ_SCHEMA_DIR=$folder/data/schema \
    RABBITMQ_LOG_BASE=$folder/log \
    RABBITMQ_CTL_ERL_ARGS="-start_epmd false $patient_handshake" \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-start_epmd false $patient_handshake $on_loopback $control_arguments"
  configure
  make_slim_server
}

# A node looks for each module that it loads in the folders of all applications beside its server's, and Debian has more
# than sixty there, of plugins that stay off. Beside this server lie only those that RabbitMQ is made of: a start takes a
# third less of a processor. Where the folders look otherwise, the node is started as it is installed.
make_slim_server() {
  local installed applications name
  installed=$(realpath "$server/rabbitmq-server")
  installed=${installed%/*/*}
  choose_applications "$installed/plugins"
  [[ " ${applications[*]-} " == *' rabbit_common '* && -d $installed/sbin && -d $installed/escript ]] || return 0
  mkdir -p "$folder/server/plugins"
  # The scripts look for the rest from where they really lie.
  cp --recursive --dereference "$installed/sbin" "$folder/server/sbin"
  ln -s "$installed/escript" "$folder/server/escript"
  for name in "${applications[@]}"; do ln -s "$installed/plugins/$name"-[0-9]* "$folder/server/plugins/"; done
  server_script=$folder/server/sbin/rabbitmq-server
}

# Of those in the folder: RabbitMQ, and what each says that it needs. Sets `applications`.
choose_applications() { # folder
  local name text
  local -a needed found unseen=(rabbit rabbitmq_prelaunch ${management:+rabbitmq_management})
  applications=()
  while ((${#unseen[@]})); do
    name=${unseen[0]} unseen=("${unseen[@]:1}")
    found=("$1/$name"-[0-9]*/ebin/"$name.app")
    [[ -r ${found[0]} && " ${applications[*]-} " != *" $name "* ]] || continue # the others are Erlang's own
    applications+=("$name")
    text=$(<"${found[0]}")
    text=${text//[[:space:]]/}
    [[ $text =~ \{applications,\[([a-z0-9_,]*)\] ]] || continue
    IFS=, read -ra needed <<<"${BASH_REMATCH[1]}"
    unseen+=("${needed[@]}")
  done
}

# The port mapper listens on one of them: other ports need another one.
choose_ports() {
  if [[ -s $folder/epmd.pid ]]; then end_tree "$(<"$folder/epmd.pid")" && rm -f "$folder/epmd.pid"; fi
  port=$(free_ports 6) || fail 'no free ports between 17408 and 31808'
  control_port=$((port + 1)) tls_port=$((port + 4)) management_port=$((port + 5))
}

configure() {
  export ERL_EPMD_PORT=$((port + 2)) RABBITMQ_DIST_PORT=$((port + 3)) RABBITMQ_NODENAME=broker$port@localhost
  export_control_environment 127.0.0.1 "$control_port"
  {
    common_configuration
    printf 'listeners.tcp.1 = 127.0.0.1:%s\ndefault_user = %s\ndefault_pass = %s\n' "$port" "$user" "$password"
    tls_configuration "127.0.0.1:$tls_port" "$folder/tls"
    management_configuration 127.0.0.1 "$management_port"
  } >"$folder/rabbitmq.conf"
}

# The port mapper outlives the node's kills: a node's name stays registered only as long as the node lives.
start_port_mapper() {
  if [[ -s $folder/epmd.pid ]] && is_alive "$(<"$folder/epmd.pid")"; then return; fi
  run_recorded "$folder/epmd.pid" epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 >"$folder/log/epmd.log" 2>&1 9>&- &
  disown $!
  local deadline=$((SECONDS + 10))
  until port_is_open "$ERL_EPMD_PORT"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.02
  done
}

# RUNNING_UNDER_SYSTEMD makes the server's script become the node, so that the recorded pid is the node's own.
node_start() {
  start_port_mapper || return 1
  mkdir -p "$folder/data"
  RUNNING_UNDER_SYSTEMD=true run_recorded "$folder/node.pid" "$server_script" >>"$folder/log/output" 2>&1 9>&- &
  node=$!
  disown "$node" # the shell need not announce its end: node_runs looks
  await_ready
}

node_runs() { [[ -n ${node-} ]] && is_alive "$node"; }

node_ended() {
  rm -f "$folder/node.pid"
  node=
}

node_kill() {
  node_runs || return 0
  end_tree "$node" || return 1
  node_ended
}

# Not by SIGTERM: it is lost where whoever started this script had it blocked.
node_stop() {
  node_runs || return 0
  kill -CONT "$node"
  [[ $(ask_control stop) == ok ]] || return 1
  await_gone "$node" "$stop_limit" || { node_kill; return 1; }
  node_ended
}

# The signal reaches one thread first: until it is scheduled, the others go on.
node_freeze() {
  node_runs && kill -STOP "$node" || return 1
  local deadline=$((SECONDS + stop_limit))
  until all_threads_stopped "$node"; do
    node_runs && ((SECONDS < deadline)) || { node_thaw || true; return 1; }
    sleep 0.02
  done
}

node_thaw() { node_runs && kill -CONT "$node"; }

node_wipe() {
  node_kill || return 1
  rm -rf "$folder/data"
}

node_ctl() { # arguments…
  run_recorded "$folder/ctl.pid" timeout --kill-after=1 "$ctl_limit" "$server/rabbitmqctl" "$@"
}

node_log() { tail -n 15 "$folder"/log/*.log "$folder/log/output" 2>/dev/null || true; }
