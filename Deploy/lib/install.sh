# shellcheck shell=bash
# Installs what Teller needs and is missing, on Debian 12 and 13 and Ubuntu 24.04; elsewhere it says what to install.
# Silent when nothing is missing.

readonly packages_to_run=(librabbitmq-dev libsqlite3-dev libssl-dev openssl pkg-config rabbitmq-server)
readonly packages_to_test=(chromium prometheus python3-venv)
readonly start_policy=/usr/sbin/policy-rc.d

install_what_is_missing() { # packages…; without: those to run and to test
  local -a needed=("$@") missing=()
  (($#)) || needed=("${packages_to_run[@]}" "${packages_to_test[@]}")
  local package
  for package in "${needed[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ! names_packages_like_debian; then
    is_all_there "${needed[@]}" || fail "$(advice "${missing[*]}")"
    return
  fi
  ((UID == 0)) || command -v sudo >/dev/null || fail "as root, run: apt-get install --no-install-recommends ${missing[*]}"
  say "installing ${missing[*]}"
  # In a shell of its own: what it traps to put things back is its own too.
  (install_quietly "${missing[@]}") || fail "the installation failed; what apt said is above"
}

# `debian 12`; on what is no Linux, the kernel's name.
system() {
  if [[ $(uname -s) == Linux ]]; then (. /etc/os-release 2>/dev/null || true; echo "${ID-Linux} ${VERSION_ID-}"); else uname -s; fi
}

names_packages_like_debian() {
  case $(system) in
  'debian 12' | 'debian 13' | 'ubuntu 24.04') true ;;
  *) false ;;
  esac
}

# On a system whose packages have other names: whether what they bring is there.
is_all_there() { # packages…
  [[ $(uname -s) == Linux ]] && pkg-config --exists librabbitmq sqlite3 2>/dev/null && command -v rabbitmq-server >/dev/null ||
    return 1
  [[ " $* " != *' prometheus '* ]] || command -v prometheus >/dev/null || return 1
  [[ " $* " != *' python3-venv '* ]] || python3 -c 'import ensurepip' 2>/dev/null
}

advice() { # Debian's names of what is missing
  case $(system) in
  Darwin) echo 'these scripts need Linux; to build on macOS: brew install rabbitmq-c rabbitmq sqlite pkg-config, then swift build (see Deploy/platforms.md)' ;;
  *) echo "on $(system), install what Debian calls $1, then try again (known here: Debian 12 and 13, Ubuntu 24.04)" ;;
  esac
}

is_installed() { [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

as_root() { if ((UID == 0)); then "$@"; else sudo "$@"; fi; }

# Debian starts the services of what it installs: RabbitMQ's own broker and its port mapper. Neither is wanted; each
# run brings its own. A policy that is there already is put back as it was. Whoever calls this asks whether it fails, so
# that nothing in it ends by itself.
install_quietly() { # packages…
  local log kept=
  log=$(mktemp) || return 1
  if as_root test -e "$start_policy"; then
    kept=$(as_root mktemp "$start_policy.XXXXXX") || return 1
    as_root cp --preserve=all "$start_policy" "$kept" || return 1
  fi
  # shellcheck disable=SC2064  # the values of now
  trap "restore_policy '$kept'; rm -f '$log'" EXIT
  trap 'exit 1' INT TERM HUP
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$start_policy" >/dev/null || return 1
  as_root chmod 755 "$start_policy" || return 1
  run_apt update >"$log" 2>&1 || { cat "$log" >&2; return 1; }
  run_apt install --yes --no-install-recommends "$@" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
}

run_apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get --quiet -o DPkg::Lock::Timeout=120 "$@" </dev/null; }

restore_policy() { # the file that was kept, or nothing
  if [[ -n $1 ]]; then as_root mv "$1" "$start_policy"; else as_root rm -f "$start_policy"; fi
}
