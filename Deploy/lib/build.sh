# shellcheck shell=bash
# How Teller is built for its tests. Needs `root`, the folder of the package.

# With other flags, all that one script has built would be built again by the next one.
# shellcheck disable=SC2034  # for those who read this file
build_flags=(-Xswiftc -warnings-as-errors)
build_folder=$root/.build
# For who builds once and changes nothing, such as CI: without what editors and debuggers need, and each module as a whole,
# in its files of objects (that is what the threads are for). Where a test crashes, it says the names of functions and no
# lines. Beside the usual build, which stays as it is. An index there must be: SwiftPM looks for tests in it.
if [[ -n ${TELLER_BUILD_ONCE-} ]]; then
  build_flags+=(-debug-info-format none)
  for flag in -index-ignore-system-modules -disable-batch-mode -whole-module-optimization -num-threads 2; do
    build_flags+=(-Xswiftc "$flag")
  done
  build_folder=$root/.build/once
  export SWIFTPM_BUILD_DIR=$build_folder
fi

# What the last whole build of who builds once has left: the folder of its programs.
readonly built=$build_folder/built

# Whether somebody who builds once has built programs and tests, and no file has changed since.
is_built() {
  [[ -n ${TELLER_BUILD_ONCE-} && -s $built ]] &&
    [[ -z $(find "$root"/{Package.swift,Sources,Tests,Deploy/service} -type f -newer "$built" -print -quit) ]]
}

# Programs and tests, as a step of the script that calls it. What changes during the build counts as not built.
build_all() { # what it is
  local began
  is_built && return
  began=$(date +%s.%N)
  step "$1" swift build --package-path "$root" --build-tests --quiet "${build_flags[@]}"
  [[ -n ${TELLER_BUILD_ONCE-} ]] || return 0
  swift build --package-path "$root" --show-bin-path >"$built"
  touch --date="@$began" "$built"
}

# Asked of SwiftPM, which reads all manifests for it, only when nobody has noted it.
programs_folder() {
  if is_built; then cat "$built"; else swift build --package-path "$root" --show-bin-path; fi
}
