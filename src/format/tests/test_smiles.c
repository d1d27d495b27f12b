#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "format/tests/compounds.h"

/* A stand-in for Open Babel: every line becomes one atom, except lines that begin with "bad"; "crash" ends the
 * process. */
static const char stand_in[] = "#!/bin/sh\n"
                               "[ \"$*\" = \"-ismi -osdf --gen3d -e\" ] || exit 9\n"
                               "while read -r smiles title; do\n"
                               "  case $smiles in\n"
                               "  bad*) echo 'no SMILES at all' >&2; continue ;;\n"
                               "  crash*) echo '=====' >&2; echo 'out of tune' >&2; exit 3 ;;\n"
                               "  lost*) title=nobody ;;\n"
                               "  esac\n"
                               "  printf '%s\\n babel\\n\\n  1  0  0  0  0  0            999 V2000\\n' \"$title\"\n"
                               "  printf '    1.0000    2.0000    3.0000 %-3s 0  0\\nM  END\\n' \"${smiles%%-*}\"\n"
                               "  printf '$$$$\\n'\n"
                               "done\n";

static char path[600];

static const char *write_lines(const char *name, const char *text)
{
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

static void install_stand_in(void)
{
    char search[700];
    write_lines("obabel", stand_in);
    CHECK(chmod(path, 0755) == 0);
    snprintf(search, sizeof search, "%s:/usr/bin:/bin", check_scratch_folder());
    setenv("PATH", search, 1);
}

/* Write "line:name " for every record, and "line!message " for a record that cannot be read. */
static void list(const char *file, char *names)
{
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    qn_status status;
    uint64_t index = 0;
    names[0] = '\0';
    if (!CHECK_OK(qn_compound_stream_open(file, &stream))) return;
    while ((status = qn_compound_stream_next(stream, &record)) == QN_OK && record.size > 0) {
        qn_compound *c;
        CHECK(record.format == QN_COMPOUND_SMILES && record.index == index++);
        if (qn_compound_read(&record, &c) == QN_OK)
            sprintf(names + strlen(names), "%zu:%s ", record.line, c->name);
        else
            sprintf(names + strlen(names), "%zu!%s ", record.line, strstr(qn_error_message(), ".smi:") + 5);
        qn_compound_destroy(&c);
    }
    if (status != QN_OK) sprintf(names + strlen(names), "; %s", qn_status_name(status));
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
}

static void lines_and_molecules_are_matched(void)
{
    char names[900];
    install_stand_in();
    list(write_lines("lib.smi", "C methane gas\nbad1 first\n\n# a comment\nbad2\n O\twater\r\nN\nbad3 last"), names);
    CHECK_TEXT(names, "1:methane gas "
                      "2!2: Open Babel made no molecule of \"bad1 first\"; expected a SMILES "
                      "5!5: Open Babel made no molecule of \"bad2\"; expected a SMILES "
                      "6:water 7: "
                      "8!8: Open Babel made no molecule of \"bad3 last\"; expected a SMILES ");
    /* A message about an unreadable record names the line of the SMILES file. */
    list(write_lines("lib.smi", "C a\nQq b\nC c\n"), names);
    CHECK_TEXT(names, "1:a 2!2: atom 1 is \"Qq\"; expected the symbol of an element 3:c ");
    list(write_lines("lib.smi", "bad a\n"), names);
    CHECK_TEXT(names, "1!1: Open Babel made no molecule of \"bad a\"; expected a SMILES ");
}

static void failures_of_the_process_are_reported(void)
{
    char names[900];
    install_stand_in();
    list(write_lines("lib.smi", "C a\ncrash b\nC c\n"), names);
    CHECK_TEXT(names, "1:a ; input/output error");
    CHECK_MESSAGE_HAS("lib.smi: obabel ended with status 3: out of tune");
    list(write_lines("lib.smi", "C a\nlost b\nC c\n"), names);
    CHECK_TEXT(names, "1:a ; input/output error");
    CHECK_MESSAGE_HAS("lib.smi: obabel titled a molecule \"nobody\"; expected the number of a line, 1 or more");
}

/* More lines than pipes hold; all, a few, or none are read before the stream is closed. */
static void long_files_are_read_and_may_be_closed_early(void)
{
    /* Long lines fill pipes quickly. */
    static const char tail[] = "----------------------------------------------------------------------------------";
    const size_t lines = 3000, choices[] = {0, 100, 3000};
    char *text = malloc(lines * 120);
    size_t length = 0;
    install_stand_in();
    for (size_t i = 0; i < lines; i++)
        length += (size_t)sprintf(text + length, "%s%s n%zu\n", i % 5 ? "C" : "bad", tail, i);
    write_lines("long.smi", text);
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        size_t most = choices[k];
        qn_compound_stream *stream;
        qn_compound_record record = {0};
        size_t read = 0, converted = 0;
        if (!CHECK_OK(qn_compound_stream_open(path, &stream))) break;
        while (read < most && qn_compound_stream_next(stream, &record) == QN_OK && record.size > 0) {
            converted += record.text[0] == 'n';
            read++;
        }
        CHECK(read == most && converted == most - most / 5);
        if (read == 100) {
            CHECK_OK(qn_compound_stream_skip(stream, &record));
            CHECK_OK(qn_compound_stream_skip(stream, &record));
            CHECK(record.index == 101 && record.size > 40 && record.text[0] == '\0');
            CHECK_OK(qn_compound_stream_next(stream, &record));
            CHECK(strncmp(record.text, "n102\n", 5) == 0);
        }
        qn_compound_record_clear(&record);
        qn_compound_stream_close(&stream);
    }
    free(text);
}

static void without_open_babel_the_message_says_what_to_install(void)
{
    qn_compound_stream *stream;
    char expected[900];
    write_lines("lib.smi", "C methane\n");
    setenv("PATH", "/nowhere", 1);
    CHECK_FAILS(qn_compound_stream_open(path, &stream), QN_UNSUPPORTED);
    snprintf(expected, sizeof expected,
             "%s: reading SMILES needs Open Babel's program obabel, which is not installed; expected it in PATH (on "
             "Debian: apt install openbabel), or an SDF file",
             path);
    CHECK_TEXT(qn_error_message(), expected);
}

/* Where Open Babel is installed: benzene is a ring of six carbons and has its hydrogens. */
static void open_babel_itself_makes_molecules(const char *search)
{
    setenv("PATH", search, 1);
    if (system("obabel -V >/dev/null 2>&1") != 0) {
        printf("obabel is not installed\n");
        return;
    }
    char names[900];
    list(write_lines("lib.smi", "c1ccccc1 benzene\nC1CC ring\nCC(=O)[O-] acetate\n"), names);
    CHECK_TEXT(names, "1:benzene 2!2: Open Babel made no molecule of \"C1CC ring\"; expected a SMILES 3:acetate ");
    qn_compound **c;
    size_t count;
    CHECK_OK(qn_compound_read_file(write_lines("lib.smi", "c1ccccc1 benzene\n"), &c, &count));
    if (CHECK(count == 1 && c[0]->atom_count == 12 && c[0]->bond_count == 12 && !c[0]->flat))
        CHECK(strcmp(c[0]->atoms[5].element, "C") == 0 && strcmp(c[0]->atoms[6].element, "H") == 0);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&c[i]);
    qn_release(&c);
}

int main(void)
{
    char search[4096];
    snprintf(search, sizeof search, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    RUN(lines_and_molecules_are_matched);
    RUN(failures_of_the_process_are_reported);
    RUN(long_files_are_read_and_may_be_closed_early);
    RUN(without_open_babel_the_message_says_what_to_install);
    open_babel_itself_makes_molecules(search);
    return check_finish();
}
