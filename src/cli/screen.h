/* Shared by the actions of quern screen. */
#ifndef QN_CLI_SCREEN_H
#define QN_CLI_SCREEN_H

#include "cli/options.h"

extern const cli_command cli_screen_pack, cli_screen_deck;

#endif
