/* quern completion: scripts that complete command lines in a shell. They ask this program by a hidden word. */
#include "cli/commands.h"
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

typedef struct settings {
    size_t size;
    const char *shell;
} settings;

static const qn_option rows[] = {{.name = "shell",
                                  .kind = QN_OPTION_TEXT,
                                  .group = QN_OPTION_ARGUMENT,
                                  .argument = "SHELL",
                                  .offset = offsetof(settings, shell),
                                  .choices = "bash zsh fish",
                                  .meaning = "bash, zsh or fish",
                                  .required = true},
                                 {0}};
static const qn_option_table table = {"completion", sizeof(settings), rows, NULL};

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = &table};
}

/* Bash replaces only the part of a word after the last ":" or "=", of which names of devices have some. */
static const char *const bash_lines[] = {
    "# Completion of quern for bash: source <(quern completion bash)",
    "_quern() {",
    "  local line=${COMP_LINE:0:COMP_POINT} words current before reply word",
    "  read -ra words <<<\"$line\"",
    "  [[ $line != *[[:space:]] ]] || words+=('')",
    "  current=${words[-1]} before=${words[-1]%\"${words[-1]##*[=:]}\"}",
    "  mapfile -t reply < <(\"${words[0]/#\\~/$HOME}\" @ \"${words[@]:1}\" 2>/dev/null)",
    "  COMPREPLY=()",
    "  for word in \"${reply[@]}\"; do",
    "    if [[ $word == :files ]]; then",
    "      compopt -o filenames 2>/dev/null",
    "      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"${current#\"$before\"}\")",
    "    else",
    "      word=${word%%$'\\t'*}",
    "      COMPREPLY+=(\"${word#\"$before\"}\")",
    "    fi",
    "  done",
    "}",
    "complete -F _quern quern",
    NULL};

static const char *const zsh_lines[] = {
    "#compdef quern",
    "# Completion of quern for zsh: a file _quern in a folder of $fpath, or source <(quern completion zsh)",
    "_quern() {",
    "  local -a described; local line files=",
    "  for line in \"${(@f)$(${~words[1]} @ \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\"; do",
    "    if [[ $line == :files ]]; then files=1",
    "    elif [[ -n $line ]]; then described+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\"); fi",
    "  done",
    "  (( ! $#described )) || _describe -o quern described",
    "  [[ -z $files ]] || _files",
    "}",
    "if [[ $funcstack[1] == _quern ]]; then _quern \"$@\"; else compdef _quern quern; fi",
    NULL};

static const char *const fish_lines[] = {"# Completion of quern for fish: quern completion fish | source",
                                         "function __quern_words",
                                         "  set -l words (commandline -opc)",
                                         "  $words[1] @ $words[2..-1] (commandline -ct) 2>/dev/null",
                                         "end",
                                         "complete -c quern -f -a '(__quern_words | string match -v :files)'",
                                         "complete -c quern -n '__quern_words | string match -q :files' -F",
                                         NULL};

static int print_script(const char *const *lines)
{
    for (; *lines; lines++) {
        const char *at = strstr(*lines, " @ "); /* stands for the hidden word */
        if (at)
            printf("%.*s %s %s\n", (int)(at - *lines), *lines, cli_complete_word, at + 3);
        else
            puts(*lines);
    }
    return CLI_DONE;
}

static int run(void *memory)
{
    const settings *chosen = memory;
    if (strcmp(chosen->shell, "bash") == 0) return print_script(bash_lines);
    if (strcmp(chosen->shell, "zsh") == 0) return print_script(zsh_lines);
    if (strcmp(chosen->shell, "fish") == 0) return print_script(fish_lines);
    return cli_error(CLI_USAGE, "completion: SHELL is \"%s\"; expected bash, zsh or fish", chosen->shell);
}

const cli_command cli_completion = {
    .name = "completion",
    .summary = "print a script that completes command lines in bash, zsh or fish",
    .description =
        "Print a script with which a shell completes commands, options, their values and the devices of this "
        "machine. Packages install it.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(settings),
    .run = run,
};
