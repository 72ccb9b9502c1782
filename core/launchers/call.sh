# Calls a Bash tool; started by Toolroom. Standard input holds fields that end in NUL:
# the tool's path, the project's path, the entry names, the parameters as JSON, and then
# the parameters as arguments. The file is started with those arguments in place of this
# launcher, so that `$0`, traps and `set -e` are its own. Only where the tool itself names
# an entry, or defines a `main` that nothing in it calls, is it read instead, and that
# function called.
#
# What the tool prints is its result, unless it gives one with `toolroom_result JSON`. Toolroom
# looks for that word in the file, to know where what it prints belongs while it comes.

toolroom_fields=()
toolroom_take_fields() {
    # In bytes, so that what was cut can be told from what is whole.
    local LC_ALL=C field begun= left=2048
    while IFS= read -r -d '' -n "$left" field; do
        if [ "${#field}" -eq "$left" ]; then
            begun=$field
            break
        fi
        toolroom_fields+=("$field")
        left=$((left - ${#field}))
    done
    [ -z "$begun" ] || toolroom_take_from_file "$begun"
}
# A shell reads a pipe byte by byte, and a file in blocks: that is worth a program or two
# where there is more to come. Where no file can be made, the pipe is read on.
toolroom_take_from_file() {
    local begun=$1 field file
    if file=$(mktemp "${TMPDIR:-/tmp}/toolroom-XXXXXX"); then
        cat >"$file" && exec <"$file"
        field=$?
        rm -f "$file"
        [ "$field" -eq 0 ] || return 1
    fi
    while IFS= read -r -d '' field; do
        toolroom_fields+=("$begun$field")
        begun=
    done
}
# Unheard, since a shell complains of a locale that is not installed at every change.
if ! toolroom_take_fields 2>/dev/null; then
    printf 'the parameters do not fit into %s\n' "${TMPDIR:-/tmp}" >&2
    exit 1
fi
exec </dev/null

if [ -n "${TOOLROOM_CHANNEL:-}" ]; then
    toolroom_channel=$TOOLROOM_CHANNEL
else
    exec 9>&1 1>&2
    toolroom_channel=9
fi
unset TOOLROOM_CHANNEL
unset -f toolroom_take_fields toolroom_take_from_file
# No path comes first where a text stands for what is in the tool's file.
toolroom_kept=
if [ -z "${toolroom_fields[0]}" ]; then
    toolroom_kept=${toolroom_fields[1]}
    toolroom_fields=("${toolroom_fields[@]:2}")
fi
TOOLROOM_TOOL=${toolroom_fields[0]}
TOOLROOM_PROJECT=${toolroom_fields[1]}
TOOLROOM_PARAMS=${toolroom_fields[3]}
toolroom_entries=${toolroom_fields[2]}

toolroom_quote() {
    local text=$1 LC_ALL=C
    text=${text//\\/\\\\}
    text=${text//\"/\\\"}
    text=${text//$'\n'/\\n}
    text=${text//$'\r'/\\r}
    text=${text//$'\t'/\\t}
    text=${text//[$'\001'-$'\037']/ }
    printf '"%s"' "$text"
}

toolroom_send() {
    printf '%s\n' "$1" >&"$toolroom_channel"
}

# toolroom_progress DONE [TOTAL] [MESSAGE]
toolroom_progress() {
    local number='^-?(0|[1-9][0-9]*)(\.[0-9]+)?$'
    if ! [[ ${1:-} =~ $number && ${2:-0} =~ $number ]]; then
        toolroom_log warning "toolroom_progress $* is left out: not a number"
        return 0
    fi
    toolroom_send "{\"event\":\"progress\",\"done\":$1,\"total\":${2:-null},\"message\":$(toolroom_quote "${3:-}")}"
}

# toolroom_log LEVEL MESSAGE
toolroom_log() {
    toolroom_send "{\"event\":\"log\",\"level\":$(toolroom_quote "$1"),\"message\":$(toolroom_quote "$2")}"
}

# toolroom_result JSON, on one line
toolroom_result() {
    toolroom_send "{\"result\":${1//$'\n'/ }}"
}

# Whether a file that defines a main leaves it to us to call it. Most say so in their last
# line, and need not be read any closer.
toolroom_waits_for_main() {
    local end=${1%"${1##*[![:space:]]}"} last
    [[ $1 == *main* ]] || return 1
    end=${end%$'\n'fi}
    last=${end##*$'\n'}
    [[ $last =~ ^[[:space:]]*main([[:space:]]+[^\(]*)?$ && ${end%"$last"} != *\\$'\n' ]] && return 1
    # shellcheck source=core/launchers/seek_main.sh
    source "${BASH_SOURCE[0]%/*}/seek_main.sh"
    toolroom_seek_main "$1"
    if [ "$toolroom_found" = unsure ]; then
        toolroom_log warning "${TOOLROOM_TOOL##*/} defines main, and whether line $toolroom_line calls it cannot be seen: the file is run as it is. \`entry: main\` in its front matter has main called"
    fi
    [ "$toolroom_found" = uncalled ]
}

set -- "${toolroom_fields[@]:4}"
unset toolroom_fields
toolroom_file=$TOOLROOM_TOOL
if [ -z "$toolroom_kept" ]; then
    toolroom_text=$(<"$TOOLROOM_TOOL")
else
    # Bash gives no other name than that of the file it reads; only the usual question for
    # it can be answered in its place.
    toolroom_text=${toolroom_kept//BASH_SOURCE\[0\]/TOOLROOM_TOOL}
    if [[ $toolroom_text == *BASH_SOURCE\[* ]]; then
        toolroom_send '{"error":{"type":"ToolError","message":"the script asks Bash for more than its own name","unfit":true}}'
        exit 1
    fi
    toolroom_text=${toolroom_text//BASH_SOURCE/TOOLROOM_TOOL}
    exec {toolroom_kept}<<<"$toolroom_text"
    toolroom_file=/dev/fd/$toolroom_kept
fi
if [ -z "$toolroom_entries" ] && toolroom_waits_for_main "$toolroom_text"; then
    toolroom_entries=main
    BASH_ARGV0=$TOOLROOM_TOOL
fi
unset -f toolroom_waits_for_main toolroom_seek_{main,document,code,quoted,expansion,scopes,commands,command,verdict}
unset toolroom_found toolroom_line
if [ -n "$toolroom_entries" ]; then
    # The status of the last line says nothing: that is often a test which does not hold.
    # shellcheck disable=SC1090
    source "$toolroom_file" "$@"
    for toolroom_entry in $toolroom_entries; do
        if declare -F "$toolroom_entry" >/dev/null; then
            "$toolroom_entry" "$@"
            exit
        fi
    done
    printf '%s defines no function %s\n' "$TOOLROOM_TOOL" "${toolroom_entries// / or }" >&2
    exit 1
fi

# No program can be started with arguments of more than about 128 kB each: then the file
# is read here, and its own programs are spared the parameters.
if [ "${#TOOLROOM_PARAMS}" -gt 30000 ] || [[ -n $toolroom_kept && ${#toolroom_text} -gt 30000 ]]; then
    BASH_ARGV0=$TOOLROOM_TOOL
    unset toolroom_text
    # shellcheck disable=SC1090
    source "$toolroom_file" "$@"
    exit
fi

export TOOLROOM_TOOL TOOLROOM_PROJECT TOOLROOM_PARAMS toolroom_channel
case $toolroom_text in
    *toolroom_*) export -f toolroom_quote toolroom_send toolroom_progress toolroom_log toolroom_result ;;
esac
[ -z "$toolroom_kept" ] || exec "$BASH" -c "$toolroom_text" "$TOOLROOM_TOOL" "$@" {toolroom_kept}<&-
exec "$BASH" "$TOOLROOM_TOOL" "$@"
