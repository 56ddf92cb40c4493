# shellcheck shell=bash
# A compose project of its own, for a test: its name, its ports (any that are free), its end. Needs say.sh, and `folder`.

readonly compose_limit=2400 # seconds for one command; the longest is the first build
exec {own_errors}>&2 # callers may hide what a command says; that it reached its limit they do not hide
readonly secret_roles=(coordinator worker submitting-worker producer operator monitor)

require_engine() {
  docker compose version >/dev/null 2>&1 || fail 'this needs docker with Compose v2'
  docker version >/dev/null 2>&1 || fail "no Docker engine answers at ${DOCKER_HOST:-its default address}: start one, or set DOCKER_HOST"
  command -v python3 >/dev/null || fail 'this needs python3'
}

begin_project() { # root
  project=teller-test-$$
  compose_files=("$1/compose.yaml")
  export TELLER_IMAGE=${TELLER_IMAGE:-teller:test} TELLER_WORKERS=1
  echo "$project" >"$folder/project" # the guard ends it, whatever becomes of this script
  export TELLER_AMQP_PORT=0 TELLER_AMQPS_PORT=0 TELLER_MANAGEMENT_PORT=0 TELLER_HEALTH_PORT=0 TELLER_PAGE_PORT=0
}

# However the test ends; its status stays what it is.
finish_kept() {
  local status=$?
  rm -f "$folder/project"
  say "kept: docker compose --project-name $project down --volumes"
  finish_guarded "$status"
}

compose() { # arguments…
  limited compose --project-name "$project" "${compose_files[@]/#/--file=}" "$@" </dev/null
}

# Reads standard input where there is one.
produce() { # arguments…
  limited compose --progress quiet --project-name "$project" "${compose_files[@]/#/--file=}" \
    run --rm --no-TTY producer "$@"
}

limited() { # arguments of docker…
  local status=0 end=$((SECONDS + compose_limit))
  timeout --foreground --kill-after=10 "$compose_limit" docker "$@" 9>&- || status=$?
  # Not by the status: that is 124 or 137, as it may be of a container's own process.
  ((status == 0 || SECONDS < end)) || say "docker did not end within $compose_limit s: $*" 2>&"$own_errors"
  return "$status"
}

step() { # what it is, command…
  say "— $1"
  "${@:2}"
}

timed() { # what it is, command…
  local begin=$SECONDS
  "${@:2}" >"$folder/timed.log" 2>&1 || { tail -n 40 "$folder/timed.log" >&2; fail "$1 failed"; }
  say "  $1: $((SECONDS - begin)) s"
}

# A member of a JSON object on standard input.
member() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

containers() { limited ps --all --quiet --filter "label=com.docker.compose.project=$project"; }

# Of the broker, as its administrator sees it.
broker() { compose exec --no-TTY rabbitmq rabbitmqctl --quiet "$@"; } # arguments…

# Each role has a user; nobody else is one.
check_users() {
  local users
  users=$(broker list_users --no-table-headers | cut -f 1 | sort | tr '\n' ' ')
  [[ $users == "$(printf '%s\n' "${secret_roles[@]}" | sort | tr '\n' ' ')" ]] || fail "the users of the broker are $users"
  say "  users of the broker: ${users% }"
}

# Whatever is in compose.yaml, each container has it: somebody may have forgotten a line.
check_hardening() {
  local id ids
  ids=$(containers)
  [[ -n $ids ]] || fail 'there is no container to look at'
  for id in $ids; do
    limited inspect "$id" | python3 -c '
import json, sys
container = json.load(sys.stdin)[0]
host, config = container["HostConfig"], container["Config"]
holds = {
    "a read-only root": host["ReadonlyRootfs"],
    "no capabilities": host["CapDrop"] == ["ALL"] and not host["CapAdd"],
    "no new privileges": "no-new-privileges:true" in host["SecurityOpt"],
    "not root": config["User"] not in ("", "0", "root"),
    "a memory limit": host["Memory"] > 0,
    "a limit of processes": 0 < (host["PidsLimit"] or 0),
    "ports on the loopback interface only": all(
        port["HostIp"] == "127.0.0.1" for ports in (host["PortBindings"] or {}).values() for port in ports),
}
missing = [what for what, is_so in holds.items() if not is_so]
print("  " + container["Name"].lstrip("/") + ": " + (", ".join(holds) if not missing else "LACKS " + ", ".join(missing)))
sys.exit(bool(missing))' >&2 || fail 'a container may do more than it must'
  done
}

# Every password there is, looked for where it must not be.
look_for_secrets() {
  local role ids status found=0
  for role in "${secret_roles[@]}"; do
    compose run --rm --no-deps secrets --show "$role" 2>/dev/null | sed 's/.*:\([^:@]*\)@.*/\1/' || fail "nobody tells what $role logs in with"
  done >"$folder/passwords"
  (($(grep -c . "$folder/passwords") == ${#secret_roles[@]})) || fail 'the passwords cannot be read'
  compose logs --no-color >"$folder/seen.logs" 2>&1
  ids=$(containers)
  # shellcheck disable=SC2086  # one argument for each
  limited inspect $ids >"$folder/seen.inspect"
  limited history --no-trunc "$TELLER_IMAGE" >"$folder/seen.history"
  # Of every process on the host.
  limited run --rm --pid host --entrypoint sh "$TELLER_IMAGE" \
    -c 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\0" "\n"' >"$folder/seen.cmdline"
  for seen in "$folder"/seen.*; do
    [[ -s $seen ]] || fail "nothing was seen in ${seen##*.}: this test is wrong"
    status=0
    grep --quiet --fixed-strings --file "$folder/passwords" "$seen" || status=$?
    case $status in
    0) say "  ${seen##*.}: A PASSWORD IS IN IT" && found=1 ;;
    1) say "  ${seen##*.}: $(wc -c <"$seen") bytes, none of the ${#secret_roles[@]} passwords in them" ;;
    *) fail "${seen##*.} could not be searched" ;;
    esac
  done
  ((!found)) || fail 'a secret can be seen'
}

# The same volumes, and every connection encrypted. What was accepted before is still known.
play_over_tls() {
  local before after connections broker ports
  before=$(served)
  compose down >/dev/null 2>&1 || fail 'docker compose down failed'
  compose_files+=("$root/Deploy/compose-tls.yaml")
  timed 'docker compose -f compose.yaml -f Deploy/compose-tls.yaml up -d --wait' compose up --detach --wait
  after=$(served)
  ((after == before)) || fail "$before jobs were done before, and $after are now"
  day >/dev/null
  connections=$(broker list_connections --no-table-headers user ssl ssl_protocol)
  [[ $connections == *true* && $connections != *false* ]] || fail "not every connection is encrypted: $connections"
  sort <<<"$connections" | uniq -c | sed 's/^ */  connections: /' >&2
  check_hardening
  broker=$(compose ps --quiet rabbitmq)
  ports=$(limited inspect --format '{{json .HostConfig.PortBindings}}' "$broker")
  [[ $ports == *'"5671/tcp"'* && $ports != *'"5672/tcp"'* ]] || fail "the ports that are published are $ports"
}
