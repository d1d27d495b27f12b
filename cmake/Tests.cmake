# Tests are found at these places:
#   src/<folder>/tests/test_<name>.c, tests/<folder>/test_<name>.c   an executable and a test "<folder>/<name>"
#   tests/<folder>/check_<name>.sh   a script, run with the source folder, the built command and the build folder
# Comment lines of a test, in C or shell syntax, control its runs:
#   /* devices: host opencl:0 checking:host */   a run for each device, "<folder>/<name>@<device>"; argument: the device
#   # parts: dock screen   of a script: a run for each part, "<folder>/<name>@<part>"; argument: the part
#   /* labels: long threads@host */   labels of ctest; "label@device" is for devices or parts whose names begin so
#   /* alone: reason */   no other test runs at the same time
# Labels:
#   long          scripts/check leaves it out, scripts/check --all runs it
#   threads       the thread sanitizer runs it
#   unsanitized   the address and undefined behaviour sanitizers leave it out
#   sanitized     they run it on host although they run it on checking:host, which does less
# Every run on a CUDA device is unsanitized: CUDA's libraries cannot be loaded with the address sanitizer. Every run on an
# OpenCL device outside src/runtime is unsanitized too: OpenCL compiles its kernels without the sanitizer, and runs on
# host and checking:host cover the code around the kernels. The device checking:host reads the host memory of each write
# again when the write has ended, so the sanitizer sees memory that was released too early. It runs the code of host too,
# so where the sanitizer runs a test on checking:host, it leaves out the one on host that is not labelled "sanitized".

# Set `words` to the words of a test's line "<kind>: <words>".
function(quern_test_words source kind words)
  file(STRINGS ${source} line REGEX "^(/\\*|#) ${kind}: " LIMIT_COUNT 1)
  string(REGEX REPLACE "^(/\\*|#) ${kind}: | \\*/$" "" line "${line}")
  string(REPLACE " " ";" line "${line}")
  set(${words} ${line} PARENT_SCOPE)
endfunction()

# Set `labels` to the labels of a test on a device, as its source states them.
function(quern_stated_labels source device labels)
  quern_test_words(${source} labels words)
  set(found)
  foreach(word IN LISTS words)
    string(REPLACE "@" ";" begin ${word})
    list(POP_FRONT begin label)
    if(NOT label MATCHES "^(long|threads|unsanitized|sanitized)$")
      message(FATAL_ERROR "${source}: the label ${label} is unknown; expected long, threads, unsanitized or sanitized")
    endif()
    string(FIND "${device}" "${begin}" place)
    if(place EQUAL 0)
      list(APPEND found ${label})
    endif()
  endforeach()
  set(${labels} ${found} PARENT_SCOPE)
endfunction()

# quern_add_test(NAME SOURCE DEVICE COMMAND…): add one run of a test; DEVICE is its device or its part, or "".
function(quern_add_test name source device)
  add_test(NAME ${name} COMMAND ${ARGN})
  quern_stated_labels(${source} "${device}" labels)
  if(device MATCHES "cuda" OR (device MATCHES "^opencl" AND NOT source MATCHES "^src/runtime/"))
    list(APPEND labels unsanitized)
  endif()
  if(device STREQUAL "host" AND NOT "sanitized" IN_LIST labels)
    quern_test_words(${source} devices devices)
    quern_stated_labels(${source} checking:host checking)
    if("checking:host" IN_LIST devices AND NOT checking MATCHES "long|unsanitized")
      list(APPEND labels unsanitized)
    endif()
  endif()
  if(device MATCHES "opencl")
    # PoCL 3 aborts if two processes compile the same kernel at the same time into its cache.
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK opencl-${source})
  endif()
  quern_test_words(${source} alone alone)
  if(alone)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
  # Tests must not read or change the user's stores. PoCL has its own cache of kernels, and to hand out a binary it
  # compiles every kernel once more.
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${labels}"
    ENVIRONMENT "QUERN_TUNING_STORE=off;QUERN_KERNEL_CACHE=off")
  if("threads" IN_LIST labels AND TARGET "${ARGV3}")
    add_dependencies(quern_thread_tests ${ARGV3})
  endif()
endfunction()

function(quern_add_tests)
  file(GLOB support CONFIGURE_DEPENDS tests/support/*.c)
  add_library(quern_check STATIC ${support})
  target_include_directories(quern_check PUBLIC tests/support include src)
  target_compile_definitions(quern_check PUBLIC
    QN_TEST_DATA_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/tests/data"
    QN_REFERENCE_DATA_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/../shared/data")
  target_link_libraries(quern_check PUBLIC quern quern_flags PRIVATE Threads::Threads ZLIB::ZLIB)
  add_library(quern_signal_at_write MODULE tests/support/preload/signal_at_write.c)
  target_link_libraries(quern_signal_at_write PRIVATE quern_flags ${CMAKE_DL_LIBS})
  set_target_properties(quern_signal_at_write PROPERTIES PREFIX "" OUTPUT_NAME signal_at_write
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  # Executables of the tests with the label "threads"; a build for the thread sanitizer needs only these.
  add_custom_target(quern_thread_tests DEPENDS quern_command quern_signal_at_write)

  file(GLOB tests RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
    src/*/tests/test_*.c src/*/*/tests/test_*.c tests/*/test_*.c)
  foreach(source IN LISTS tests)
    string(REGEX MATCH "^(src|tests)/(.*)/test_(.*)\\.c$" matched ${source})
    set(name ${CMAKE_MATCH_3})
    string(REGEX REPLACE "/tests$" "" folder ${CMAKE_MATCH_2})
    string(REPLACE "/" "_" target "test_${folder}_${name}")
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE quern_check Threads::Threads ZLIB::ZLIB PkgConfig::JANSSON PkgConfig::SQLITE PkgConfig::TIFF m)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    quern_test_words(${source} devices devices)
    foreach(device IN LISTS devices)
      quern_add_test(${folder}/${name}@${device} ${source} ${device} ${target} ${device})
    endforeach()
    if(NOT devices)
      quern_add_test(${folder}/${name} ${source} "" ${target})
    endif()
  endforeach()

  file(GLOB scripts RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS tests/*/check_*.sh)
  foreach(source IN LISTS scripts)
    string(REGEX MATCH "^tests/(.*)/check_(.*)\\.sh$" matched ${source})
    set(name ${CMAKE_MATCH_1}/${CMAKE_MATCH_2})
    set(command bash ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${CMAKE_CURRENT_SOURCE_DIR} $<TARGET_FILE:quern_command>
      ${CMAKE_BINARY_DIR})
    quern_test_words(${source} parts parts)
    set(names)
    foreach(part IN LISTS parts)
      quern_add_test(${name}@${part} ${source} ${part} ${command} ${part})
      list(APPEND names ${name}@${part})
    endforeach()
    if(NOT parts)
      quern_add_test(${name} ${source} "" ${command})
      set(names ${name})
    endif()
    # scripts take longest, so they start first; otherwise processors would be idle at the end
    set_tests_properties(${names} PROPERTIES COST 100)
  endforeach()
endfunction()
