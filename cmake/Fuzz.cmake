# Fuzz targets, with -DQUERN_FUZZ=ON and clang: every tests/fuzz/fuzz_<format>.c becomes a libFuzzer program
# fuzz/fuzz_<format>. Program and library run under the address and undefined-behaviour sanitizers.
#
#     CC=clang CXX=clang++ cmake -S . -B build-fuzz -G Ninja -DQUERN_FUZZ=ON && ninja -C build-fuzz
#     mkdir corpus && build-fuzz/fuzz/fuzz_pdb -max_len=4096 -max_total_time=300 corpus tests/fuzz/seeds/pdb
#
# Under ctest each target runs once over its seeds, tests/fuzz/seeds/<format>.
if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang" OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "QUERN_FUZZ needs clang and clang++ (CC=clang CXX=clang++)")
endif()

set(QUERN_FUZZ_SANITIZERS address,undefined)
target_compile_options(quern_flags INTERFACE
  -fsanitize=fuzzer-no-link,${QUERN_FUZZ_SANITIZERS} -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g)
target_link_options(quern_flags INTERFACE -fsanitize=${QUERN_FUZZ_SANITIZERS})

file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzzers)
  get_filename_component(target ${source} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" format ${target})
  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE src tests/fuzz)
  target_link_libraries(${target} PRIVATE quern quern_flags)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  if(BUILD_TESTING)
    add_test(NAME fuzz/${format} COMMAND ${target} -runs=0 ${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/seeds/${format})
  endif()
endforeach()
