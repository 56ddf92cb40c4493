# shellcheck shell=bash
# The commands of a page with Compose, run as they stand there. Needs say.sh, compose.sh with its project, and `folder`.

# The blocks of shell code below a heading, up to the next heading.
page_commands() { # page, heading
  awk -v heading="$2" '
    /^```/ { in_code = !in_code; is_shell = ($0 == "```sh"); next }
    !in_code && /^#+ / { text = $0; sub(/^#+ /, "", text); is_here = (text == heading); next }
    in_code && is_shell && is_here' "$1"
}

# In a folder of its own, where files that the commands write stay until the end.
play_page() { # page, heading
  local commands status=0
  commands=$(page_commands "$root/$1" "$2")
  [[ -n $commands ]] || fail "$1 has no commands below \"$2\""
  mkdir -p "$folder/pages"
  (
    cd "$folder/pages"
    export COMPOSE_PROJECT_NAME=$project COMPOSE_FILE
    COMPOSE_FILE=$(IFS=: && echo "${compose_files[*]}")
    timeout --foreground --kill-after=10 "$compose_limit" bash -euo pipefail -c "$commands"
  ) >"$folder/page.log" 2>&1 </dev/null 9>&- || status=$?
  ((status == 0)) || { tail -n 40 "$folder/page.log" >&2; fail "$1, \"$2\": a command ended with $status"; }
  say "  $1, \"$2\": $(grep -c . <<<"$commands") lines"
}
