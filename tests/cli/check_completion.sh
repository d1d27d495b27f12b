#!/usr/bin/env bash
# check_completion.sh SOURCE QUERN BUILD: the shells' scripts offer commands, actions, options, values, devices and files.
# zsh and fish are tried where they are installed.
set -u
quern=$(realpath "$2")
. "$1/tests/support/script.sh"
export LC_ALL=C.UTF-8
cd "$work" || exit 1
mkdir bin folder && ln -s "$quern" bin/quern && PATH=$PWD/bin:$PATH
: >receptor.pdb && : >'two words.pdb'
devices=$(quern devices | sed -n '2,/^$/s/ .*//p')
first_device=$(head -n 1 <<<"$devices")
[ -n "$first_device" ] || fail "quern devices lists no device"

# bash: what the function offers for a line of which the cursor is at the end
source <(quern completion bash) || fail "the script for bash"
offered() {
  COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
  _quern
  printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # offers LINE WORD...: these words and no others
  [ "$(offered "$1" | sort)" = "$(printf '%s\n' "${@:2}" | sort)" ] || fail "$1: offers $(offered "$1" | tr '\n' ' ')"
}
offers "quern dock --dev" --device
offers "quern dock --no-r" --no-refinement
offers "quern tun" tune tunnel
offers "quern completion " bash zsh fish
offers "quern help tra" trajectory transport
offers "quern tune r" run
offers "quern dock --tune o" online offline off
offers "quern dock --tune=k" known
offers "quern dock r" receptor.pdb
offers "quern dock two" "two words.pdb"
offers "quern dock receptor.pdb receptor.pdb -o f" folder
offers "quern dock --rotations " ""
offers "quern dock --device " auto all $devices
offers "quern dock -d $first_device,$first_device" "$first_device,$first_device"
offers "quern nonsense " ""
grep -qx pack <(offered "quern screen p") || fail "quern screen p: no action"
# bash replaces only what follows the last ":" of a word
[ -z "$(grep '^opencl:0$' <<<"$devices")" ] || offers "quern dock --device opencl:" "$(grep '^opencl:' <<<"$devices" | sed 's/.*://')"
# every option of a command's help is offered
for command in dock screen reconstruct "tune run" "deform solve"; do
  expected=$(quern $command -h | sed '/^Also accepted/,/^$/d' | grep -oE '^ +(-., )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u)
  [ "$(offered "quern $command --" | sort -u)" = "$expected" ] || fail "$command: other options: $(diff <(offered "quern $command --" | sort -u) <(echo "$expected"))"
done

if command -v zsh >/dev/null; then
  zsh -f -c 'autoload -U compinit && compinit -D -u && source <(quern completion zsh) && [[ $_comps[quern] == _quern ]]' || fail "the script for zsh"
  # The functions of zsh that show words, replaced: they print them.
  shown=$(zsh -f -c '_describe() { print -rl -- "${(@P)${@[-1]}}" }; _files() { print files }; compdef() { : }
    source <(quern completion zsh); words=(quern dock --dev) CURRENT=3; _quern; words=(quern dock rec) CURRENT=3; _quern')
  grep -q '^--device:' <<<"$shown" && grep -qx files <<<"$shown" || fail "zsh shows $shown"
else
  echo "zsh is not installed"
fi
if command -v fish >/dev/null; then
  shown=$(XDG_CONFIG_HOME=$work/fish XDG_DATA_HOME=$work/fish fish -c 'quern completion fish | source
    complete -C "quern dock --dev"; complete -C "quern dock rec"')
  grep -q '^--device' <<<"$shown" && grep -q '^receptor.pdb' <<<"$shown" || fail "fish shows $shown"
else
  echo "fish is not installed"
fi
[ $failures -eq 0 ]
