# Calls a Bash tool; started by Toolroom. Standard input holds fields that end in NUL:
# the tool's path, the project's path, the entry names, the parameters as JSON, and then
# the parameters as arguments. A script is started with those arguments in place of this
# launcher, so that `$0`, traps and `set -e` are its own; a file that defines a function
# `main` and does not call it itself is read, and its function called with them.
#
# What the tool prints is its result, unless it gives one with `toolroom_result JSON`.

toolroom_fields=()
while IFS= read -r -d '' toolroom_field; do
    toolroom_fields+=("$toolroom_field")
done
exec </dev/null

if [ -n "${TOOLROOM_CHANNEL:-}" ]; then
    toolroom_channel=$TOOLROOM_CHANNEL
else
    exec 9>&1 1>&2
    toolroom_channel=9
fi
unset TOOLROOM_CHANNEL toolroom_field
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

# Whether a line of the tool's file begins with the name as a command.
toolroom_calls() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        [[ $line =~ ^[[:space:]]*(exec[[:space:]]+)?"$1"([[:space:]\;]|$) && ! $line =~ ^[[:space:]]*"$1"[[:space:]]*\( ]] && return 0
    done <"$TOOLROOM_TOOL"
    return 1
}

# Whether the tool's file defines a function of this name.
toolroom_defines() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        [[ $line =~ ^[[:space:]]*(function[[:space:]]+)?"$1"[[:space:]]*(\(|\{|$) ]] && return 0
    done <"$TOOLROOM_TOOL"
    return 1
}

set -- "${toolroom_fields[@]:4}"
unset toolroom_fields
for toolroom_entry in $toolroom_entries; do
    if toolroom_defines "$toolroom_entry" && ! toolroom_calls "$toolroom_entry"; then
        # shellcheck disable=SC1090
        source "$TOOLROOM_TOOL" "$@" && "$toolroom_entry" "$@"
        exit
    fi
done

export TOOLROOM_TOOL TOOLROOM_PROJECT TOOLROOM_PARAMS toolroom_channel
case $(<"$TOOLROOM_TOOL") in
    *toolroom_*) export -f toolroom_quote toolroom_send toolroom_progress toolroom_log toolroom_result ;;
esac
exec "$BASH" "$TOOLROOM_TOOL" "$@"
