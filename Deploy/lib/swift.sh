# shellcheck shell=bash
# Whether there is a Swift that is new enough: Package.swift says in its first line which one it needs.

require_swift() { # root of the package
  local needed found
  needed=$(sed -n '1s/^.*swift-tools-version: *//p' "$1/Package.swift")
  found=$(swift --version 2>/dev/null) || found=
  if [[ $found =~ Swift\ version\ ([0-9.]+) ]]; then found=${BASH_REMATCH[1]}; else found=; fi
  printf '%s\n' "$needed" "${found:-0}" | sort --check=quiet --version-sort ||
    fail "Swift $needed or newer is needed, and this is ${found:-none}: https://www.swift.org/install"
}
