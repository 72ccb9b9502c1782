# Finds out whether a Bash file calls the `main` that it defines; read by call.sh where a
# file has the word and does not end by calling it. Nothing of the file is run.
#
# What only looks like a call does not count: comments, texts, here-documents, arguments of
# programs, and functions that nothing calls. But `main` may also be kept in a variable or
# handed to a function, and something be run whose name stands nowhere: then it is unsure.
#
# toolroom_seek_main TEXT sets toolroom_found to `called`, `uncalled` or `unsure`, the last
# with the line in toolroom_line; to nothing if the file defines no main.
toolroom_seek_main() {
    # The file itself, and then its functions: what they run, where they hold main, and
    # whether they run what nobody can read.
    local LC_ALL=C names runs holds unread
    local scope depth cases number quote text code ends is_defined is_thorough line
    local word='(^|[^[:alnum:]_./$-])main([^[:alnum:]_./-]|$)'
    local closed='^[^"'\''\#<`]*(("[^"\`]*"|'\''[^'\'']*'\'')[^"'\''\#<`]*)*$'
    local document='^<<-?[[:space:]]*(\\|["'\'']?)([A-Za-z_][A-Za-z0-9_.-]*)["'\'']?'
    local name='[A-Za-z_][A-Za-z0-9_:.-]*' braced='\$\{[^{}]*\}' opens
    opens="^[[:space:];]*(function[[:space:]]+($name)([[:space:]]*\([[:space:]]*\))?|($name)[[:space:]]*\([[:space:]]*\))[[:space:]]*(\{.*)?$"
    toolroom_found='' toolroom_line=''
    # Read line by line it would cost a call of the system for each byte.
    local IFS=$'\n' lines
    set -f
    lines=(${1//$'\n'/$'\n '})
    set +f
    IFS=$' \t\n'
    # Mostly it is enough to look at the lines that have the word.
    for is_thorough in '' yes; do
        names=('') runs=(' ') holds=('') unread=('') ends=()
        scope=0 depth=0 cases=0 number=0 quote='' text='' code='' is_defined=''
        for line in "${lines[@]}"; do
            number=$((number + 1))
            if [ "${#ends[@]}" -gt 0 ]; then
                toolroom_seek_document
            elif [[ -z $is_thorough$quote$code && $line != *[{}\(]* && $line != *main* && $line != *function* && $line != *case* && $line != *esac* && $line =~ $closed ]]; then
                continue
            elif toolroom_seek_code; then
                toolroom_seek_scopes "$code"
                code=''
            fi
        done
        [ -n "$is_defined" ] || return 0
        toolroom_seek_verdict && return 0
    done
}

# Looks at a line of a here-document. Of that only commands are code.
toolroom_seek_document() {
    if [[ $line =~ ^[[:space:]]*"${ends[0]#?}"$ ]]; then
        ends=("${ends[@]:1}")
    elif [[ ${ends[0]} == e* && $line == *'$('* ]]; then
        toolroom_seek_scopes "${line#*'$'}"
    fi
}

# Adds to `code` what is code in `line`; false if the next line belongs to it as well.
toolroom_seek_code() {
    local rest=$line part
    while :; do
        if [ -n "$quote" ]; then
            toolroom_seek_quoted || return 1
        fi
        part=${rest%%[\'\"\\#<\`]*}
        code+=$part
        rest=${rest#"$part"}
        case $rest in
            '') break ;;
            \\) code+=' ' && return 1 ;;
            \\*) code+=_ rest=${rest#??} ;;
            \'*) [[ $code == *'$' ]] && quote="e'" || quote="p'" ;;
            \"*) quote='e"' ;;
            \`*) code+=';' rest=${rest#?} ;;
            \#*)
                [[ -z $code || $code == *[[:space:]\;\&\|\(] ]] && break
                code+=_ rest=${rest#?}
                ;;
            '<<<'*) code+=' ' rest=${rest#???} ;;
            *)
                if [[ $code != *'(('* && $rest =~ $document ]]; then
                    rest=${rest#"${BASH_REMATCH[0]}"}
                    [ -n "${BASH_REMATCH[1]}" ] && part=p || part=e
                    ends+=("$part${BASH_REMATCH[2]}")
                else
                    code+=' ' rest=${rest#?}
                fi
                ;;
        esac
        [ -z "$quote" ] || rest=${rest#?}
    done
    # A list that goes on is no row of commands.
    part='=\([^)]*$'
    [[ $code =~ $part ]] || return 0
    code+=' '
    return 1
}

# Reads `rest` up to the end of a quoted text; false if that is on a later line. A text may
# be a name, hold a command, or be what `eval` and `trap` run.
toolroom_seek_quoted() {
    local part
    while
        part=${rest%%["${quote#?}"\\]*}
        text+=$part rest=${rest#"$part"}
        [[ $rest == \\* ]]
    do
        rest=${rest#\\}
        [[ $quote == p* ]] || rest=${rest#?}
    done
    if [ -z "$rest" ]; then
        text+=';'
        return 1
    fi
    rest=${rest#?}
    if [[ $text == *'$('* || $text == *'`'* || $text =~ ^[A-Za-z_][A-Za-z0-9_]*$ || $code =~ (eval|trap)[[:space:]]+$ ]]; then
        code+=${text//\`/;}
    elif [[ $text == '$'* ]]; then
        toolroom_seek_expansion "$text"
        code+=$part
    else
        code+=_
    fi
    quote='' text=''
}

# Sets `part` to what an expansion is to us: something that nobody can read, perhaps with
# main in it.
toolroom_seek_expansion() {
    case $1 in
        *'$('*) part=" ${1//[\{\}]/ } " ;;
        *[-:=+]main[!A-Za-z0-9_]* | *[-:=+]main) part='$ main' ;;
        *) part='$' ;;
    esac
}

# Gives each part of the code to the function whose body it is in.
toolroom_seek_scopes() {
    local rest=$1 part found
    while [[ $rest == *'${'* && $rest =~ $braced ]]; do
        found=${BASH_REMATCH[0]}
        toolroom_seek_expansion "$found"
        rest=${rest%%"$found"*}$part${rest#*"$found"}
    done
    while [ -n "$rest" ]; do
        if [ "$scope" != 0 ]; then
            part=${rest%%[\{\}]*}
            toolroom_seek_commands "$part"
            rest=${rest#"$part"}
            [[ $rest == \{* ]] && depth=$((depth + 1))
            [[ $rest == \}* ]] && depth=$((depth - 1)) && [ "$depth" -le 0 ] && scope=0
            rest=${rest#?}
        elif [[ $rest =~ $opens ]]; then
            scope=${#names[@]} depth=0
            names+=("${BASH_REMATCH[2]}${BASH_REMATCH[4]}") runs+=(' ') holds+=('') unread+=('')
            rest=${BASH_REMATCH[5]}
            [ "${names[scope]}" = main ] && is_defined=yes
        elif [[ $rest == *\;* && ${rest#*;} =~ $opens ]]; then
            toolroom_seek_commands "${rest%%;*}"
            rest=${rest#*;}
        else
            toolroom_seek_commands "$rest"
            rest=''
        fi
    done
}

# Notes which commands are run, and where main is something else than a command.
toolroom_seek_commands() {
    [[ -n $is_thorough || $1 == *main* || $1 == *case* || $1 == *esac* ]] || return 0
    local rest=${1//;;/$'\n'}$'\n' line piece
    local pattern='^[[:space:]]*[^[:space:]()]+([[:space:]]*\|[[:space:]]*[^[:space:]()]+)*[[:space:]]*\)'
    rest=${rest//=(/=,}
    while [ -n "$rest" ]; do
        line=${rest%%$'\n'*} rest=${rest#*$'\n'}
        [[ $cases -gt 0 && $line =~ $pattern ]] && line=${line#"${BASH_REMATCH[0]}"}
        while [ -n "$line" ]; do
            piece=${line%%[;&|(){\}]*}
            line=${line#"$piece"}
            line=${line#?}
            toolroom_seek_command
        done
    done
}

toolroom_seek_command() {
    local first before='^(if|then|elif|else|while|until|do|time|!|[A-Za-z_][A-Za-z0-9_]*\+?=[^[:space:],]*)([[:space:]]+|$)'
    while
        piece=${piece#"${piece%%[![:space:]]*}"}
        [[ $piece =~ $before ]]
    do
        first=${BASH_REMATCH[1]}
        piece=${piece#"${BASH_REMATCH[0]}"}
        [[ $first =~ $word ]] && holds[scope]+="$number= "
    done
    first=${piece%%[[:space:]<>]*}
    case $first in
        '') return ;;
        'case') cases=$((cases + 1)) ;;
        'esac') cases=$((cases - 1)) ;;
        '$'* | source | .) unread[scope]=yes ;;
        export) [[ $piece == export\ -f* ]] && unread[scope]=yes ;;
    esac
    runs[scope]+="$first "
    [[ ${piece#"$first"} =~ $word || $first == *=,* && $piece =~ $word ]] || return 0
    case $first in
        eval | trap | coproc) runs[scope]+='main ' ;;
        *=* | '$'* | for | select | local | declare | typeset | readonly | export | set) holds[scope]+="$number= " ;;
        *) holds[scope]+="$number=$first " ;;
    esac
}

# Follows the calls from the file's own on; false if that takes a thorough look.
toolroom_seek_verdict() {
    local reached=${runs[0]} known='' at hold first is_unread=${unread[0]} held=${holds[0]}
    while [ "$known" != "$reached" ]; do
        known=$reached
        for at in "${!names[@]}"; do
            [[ $at != 0 && $reached == *" ${names[at]} "* && $reached != *"${runs[at]}"* ]] || continue
            reached+=${runs[at]# }
            is_unread+=${unread[at]} held+=${holds[at]}
        done
    done
    toolroom_found=uncalled
    if [[ $reached == *' main '* ]]; then
        toolroom_found=called
    elif [ "$scope" != 0 ] || [ -n "$quote$code" ]; then
        toolroom_found=unsure toolroom_line=$number
    elif [ -z "$is_thorough" ]; then
        for at in "${!names[@]}"; do
            [[ ${names[at]} != main && (-n ${holds[at]} || ${runs[at]} == *' main '*) ]] && return 1
        done
    elif [ -n "$is_unread" ]; then
        for hold in $held; do
            first=${hold#*=}
            # A program can call no function of ours; a function can.
            if [[ -z $first || " ${names[*]} " == *" $first "* ]] || ! type -t -- "$first" >/dev/null; then
                toolroom_found=unsure toolroom_line=${hold%%=*}
                break
            fi
        done
    fi
    return 0
}
