# cmake -DSOURCE=… -DHEADER=… -P Commit.cmake: write the header that names the commit of the source folder, for quern
# --version. It is empty text where the folder is not the top of a Git repository, as in an unpacked archive. The header
# is left as it is if it has the same text, so that nothing is compiled anew.
cmake_minimum_required(VERSION 3.25)
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD -- RESULT_VARIABLE changed ERROR_QUIET)
  if(commit AND NOT changed EQUAL 0)
    string(APPEND commit " with changes")
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define QN_COMMIT \"${commit}\"\n")
