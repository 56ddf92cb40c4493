# shellcheck shell=bash
# What a private broker is, whether it is a process of this machine or a container: how it is configured, when it is
# ready, how a virtual host is made. The rest is in broker-process.sh and broker-container.sh, which define the same
# functions: prepare, node_start, node_runs, node_kill, node_stop, node_freeze, node_thaw, node_wipe, node_ctl.
# They read and set: folder, port (AMQP; the next ones are the node's own), management, management_port, tls, tls_port, settings, user, password.

# Seconds; generous, because only ever spent on failure, or where ten nodes start at once on two cores.
readonly start_limit=200
readonly stop_limit=60
readonly ctl_limit=60
readonly control_limit=60

random_word() { head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n'; }

url() { printf 'amqp://%s:%s@127.0.0.1:%s/%s' "$user" "$password" "$port" "${1-}"; }

tls_url() { printf 'amqps://%s:%s@localhost:%s/' "$user" "$password" "$tls_port"; }

# Where it listens for TLS, and the folder of the certificates as the node sees it.
tls_configuration() { # address and port, folder
  [[ -n $tls ]] || return 0
  local verify=verify_none required=false
  [[ $tls != clients ]] || verify=verify_peer required=true
  cat <<CONF
listeners.ssl.1 = $1
ssl_options.cacertfile = $2/ca.pem
ssl_options.certfile = $2/server.pem
ssl_options.keyfile = $2/server.key
ssl_options.verify = $verify
ssl_options.fail_if_no_peer_cert = $required
CONF
}

management_configuration() { # address, port
  [[ -n $management ]] || return 0
  printf 'management.tcp.ip = %s\nmanagement.tcp.port = %s\n' "$1" "$2"
}

# Little memory: a quorum queue's log is kept in memory up to this size, half a gigabyte by default. And patience: a client
# on a busy machine may take its time to log in.
common_configuration() {
  cat <<CONF
handshake_timeout = 90000
ssl_handshake_timeout = 90000
raft.wal_max_size_bytes = 67108864
raft.segment_max_entries = 4096
disk_free_limit.absolute = 64MB
CONF
  [[ -z $settings ]] || printf '%s' "$settings"
}

# The environment by which a node evaluates broker-control.erlang. No spaces: the server's script splits at them.
export_control_environment() { # address, port
  export BROKER_CONTROL_ADDRESS=$1 BROKER_CONTROL_PORT=$2 BROKER_CONTROL_SECRET=$password BROKER_CONTROL
  BROKER_CONTROL=$(grep -v '^%%' "$here/lib/broker-control.erlang")
}
readonly control_arguments='-eval {ok,T,_}=erl_scan:string(os:getenv("BROKER_CONTROL")),{ok,E}=erl_parse:parse_exprs(T),erl_eval:exprs(E,[])'

# A node is ready when a protocol header is answered by a method frame, and the last step of its boot, which is
# broker-control.erlang, has been done.
answers_amqp() {
  local first
  {
    printf 'AMQP\0\0\11\1' >&8
    IFS= read -r -n 1 -t 2 first <&8 && [[ $first == $'\1' ]]
  } 8<>"/dev/tcp/127.0.0.1/$port"
}

answers_control() { [[ $(ask_control ping 5) == pong ]]; }

await_ready() {
  local deadline=$((SECONDS + start_limit))
  until answers_amqp 2>/dev/null && answers_control 2>/dev/null; do
    node_runs || return 1
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

ask_control() { # a line, seconds for each line of the answer → the answer, on stdout
  local answer
  {
    printf '%s %s\n' "$password" "$1" >&8
    while IFS= read -r -t "${2:-$control_limit}" answer <&8; do echo "$answer"; done
  } 8<>"/dev/tcp/127.0.0.1/$control_port"
}

make_virtual_host() { # name → what went wrong, on stdout
  local answer
  answer=$(ask_control "vhost $1 $user" 2>/dev/null) || true
  [[ $answer == ok ]] || { echo "${answer:-the broker does not answer}"; return 1; }
}

list_queues() { # virtual host → a line for each queue: name, messages, those nobody has in hand; or what went wrong
  local answer
  answer=$(ask_control "queues $1" 2>/dev/null) || true
  [[ ${answer##*$'\n'} == ok ]] || { echo "${answer:-the broker does not answer}"; return 1; }
  [[ $answer == ok ]] || echo "${answer%$'\n'ok}"
}
