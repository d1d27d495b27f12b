/* Parameters of queries from one text: "bin=0.1 axis=x". */
#ifndef QN_TRAJECTORY_TESTS_QUERY_PARAMETERS_H
#define QN_TRAJECTORY_TESTS_QUERY_PARAMETERS_H

#include <quern/trajectory.h>
#include <string.h>

enum { QUERY_PARAMETERS_BYTES = 512 };

/* Split the text in `words`, which the parameters point into. Returns the number of parameters. */
static inline size_t query_parameters(const char *text, char words[QUERY_PARAMETERS_BYTES],
                                      qn_trajectory_parameter *parameters)
{
    size_t count = 0;
    strncpy(words, text, QUERY_PARAMETERS_BYTES - 1);
    words[QUERY_PARAMETERS_BYTES - 1] = '\0';
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        parameters[count++] = (qn_trajectory_parameter){word, equals + 1};
    }
    return count;
}

#endif
