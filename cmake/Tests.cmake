# Every src/<folder>/tests/test_<name>.c and tests/<folder>/test_<name>.c is an executable and a test "<folder>/<name>".
# A first line "/* devices: host opencl cuda checking:host */" runs it once per device, as "<folder>/<name>@<device>",
# with the device as argument. A second line that begins "/* alone" keeps other tests from running beside it.
function(quern_add_tests)
  set(environment ENVIRONMENT QUERN_TUNING_STORE=off) # tests must not read or fill the user's
  file(GLOB support CONFIGURE_DEPENDS tests/support/*.c)
  add_library(quern_check STATIC ${support})
  target_include_directories(quern_check PUBLIC tests/support include src)
  target_compile_definitions(quern_check PUBLIC
    QN_TEST_DATA_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/tests/data"
    QN_REFERENCE_DATA_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/../shared/data")
  target_link_libraries(quern_check PUBLIC quern quern_flags PRIVATE Threads::Threads ZLIB::ZLIB)
  file(GLOB tests CONFIGURE_DEPENDS src/*/tests/test_*.c src/*/*/tests/test_*.c tests/*/test_*.c)
  foreach(source IN LISTS tests)
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "^test_" "" name ${name})
    string(REGEX MATCH "/(src|tests)/(.*)/test_" _ ${source})
    string(REGEX REPLACE "/tests$" "" folder ${CMAKE_MATCH_2})
    string(REPLACE "/" "_" target "test_${folder}_${name}")
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE quern_check Threads::Threads ZLIB::ZLIB PkgConfig::JANSSON PkgConfig::SQLITE m)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    file(STRINGS ${source} lines LIMIT_COUNT 2)
    list(GET lines 0 head)
    set(alone FALSE)
    if(lines MATCHES ";/\\* alone")
      set(alone TRUE)
    endif()
    if(head MATCHES "^/\\* devices: (.*) \\*/")
      string(REPLACE " " ";" devices "${CMAKE_MATCH_1}")
      foreach(device IN LISTS devices)
        add_test(NAME ${folder}/${name}@${device} COMMAND ${target} ${device})
        set_tests_properties(${folder}/${name}@${device} PROPERTIES SKIP_RETURN_CODE 77 RUN_SERIAL ${alone} ${environment})
      endforeach()
    else()
      add_test(NAME ${folder}/${name} COMMAND ${target})
      set_tests_properties(${folder}/${name} PROPERTIES SKIP_RETURN_CODE 77 RUN_SERIAL ${alone} ${environment})
    endif()
  endforeach()
  # Scripts run as tests: tests/<folder>/check_<name>.sh, with the source folder and the built command as arguments.
  file(GLOB scripts CONFIGURE_DEPENDS tests/*/check_*.sh)
  foreach(script IN LISTS scripts)
    string(REGEX MATCH "/tests/([^/]*)/check_(.*)\\.sh$" _ ${script})
    add_test(NAME ${CMAKE_MATCH_1}/${CMAKE_MATCH_2}
      COMMAND bash ${script} ${CMAKE_CURRENT_SOURCE_DIR} $<TARGET_FILE:quern_command> ${CMAKE_BINARY_DIR})
    # scripts take longest: begun first, they do not leave the processors idle at the end
    set_tests_properties(${CMAKE_MATCH_1}/${CMAKE_MATCH_2} PROPERTIES SKIP_RETURN_CODE 77 COST 100 ${environment})
  endforeach()
endfunction()
