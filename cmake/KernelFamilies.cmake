# Build the files of kernel families (see ARCHITECTURE.md).
#
#   <folder>/kernels/<name>.cl       text, embedded as  const char qn_<folder>_<name>_source[]
#   <folder>/kernels/<name>.c        declares           const qn_family qn_<folder>_<name>_family
#   <folder>/library/<name>.qel      text, embedded likewise
#   <folder>/templates/<name>.txt    text, embedded likewise
#   <folder>/pages/<name>.js         text, embedded likewise
#   <folder>/workloads/<name>.c      declares           const qn_workload qn_<folder>_<name>_workload
#   tuned/<device>.txt               text, embedded as an entry of  qn_tuned_texts
#   any *_host.c                     compiled once per instruction set; QN_HOST_VARIANT(name) gives each its symbol

# One object library for each instruction set level. Processors other than x86-64 get the baseline only. A build with a
# sanitizer gets only the instruction set of this machine, where the build is run too: three take minutes more.
function(quern_add_host_variants target)
  if(NOT ARGN)
    return()
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT QUERN_SANITIZE)
    set(variants v2 v3 v4)
  else()
    set(variants baseline)
    # For all targets: tests include headers that select a variant.
    target_compile_definitions(quern_flags INTERFACE QN_HOST_BASELINE_ONLY)
  endif()
  set(optimisation -O3)
  if(QUERN_SANITIZE)
    set(optimisation -O2) # compiling the sanitizer's checks at -O3 takes twice as long
    # Compiling these two takes a minute at -O2 and a third of it at -O1.
    set_source_files_properties(src/fft/lines_host.c src/deform/body/kernels/elements_host.c PROPERTIES COMPILE_OPTIONS -O1)
  endif()
  foreach(variant IN LISTS variants)
    set(objects ${target}_host_${variant})
    add_library(${objects} OBJECT ${ARGN})
    target_include_directories(${objects} PRIVATE src include)
    target_compile_definitions(${objects} PRIVATE QN_HOST_VARIANT_SUFFIX=${variant})
    # Host kernels get -O3 in debug builds too, because tests of unoptimised kernels would take too long.
    target_compile_options(${objects} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${optimisation}>)
    # The library uses no floating-point exceptions; keeping them would stop GCC from turning conditions into vector
    # masks.
    target_compile_options(${objects} PRIVATE -fno-trapping-math)
    if(NOT variant STREQUAL "baseline")
      target_compile_options(${objects} PRIVATE -march=x86-64-${variant})
    elseif(QUERN_SANITIZE)
      target_compile_options(${objects} PRIVATE -march=native)
    endif()
    target_link_libraries(${objects} PRIVATE quern_flags)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()

# Flatten every kernels/*.cl (and *.cu) of every folder and room into a C array, and list the families.
function(quern_embed_kernels target)
  file(GLOB kernels CONFIGURE_DEPENDS src/*/kernels/*.cl src/*/*/kernels/*.cl src/*/kernels/*.cu src/runtime/prelude/*.h
    src/*/library/*.qel src/*/*/templates/*.txt src/*/pages/*.js)
  file(GLOB device_headers CONFIGURE_DEPENDS src/*/kernels/*.dev.h src/*/*/kernels/*.dev.h)
  set(list_file ${CMAKE_CURRENT_BINARY_DIR}/generated/family_list.c)
  set(declarations "")
  set(entries "")
  foreach(kernel IN LISTS kernels)
    file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR}/src ${kernel})
    string(REGEX REPLACE "^([^/]+)/.*/([^/]+)\\.[a-z]+$" "\\1_\\2" symbol ${path}) # a room is not part of the name
    if(kernel MATCHES "\\.cu$")
      string(APPEND symbol "_cuda")
    endif()
    set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/${symbol}_source.c)
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_CURRENT_SOURCE_DIR}/src -DINPUT=${path} -DSYMBOL=qn_${symbol}_source
              -DOUTPUT=${output} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedKernel.cmake
      DEPENDS ${kernel} ${device_headers} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedKernel.cmake
      COMMENT "Embedding ${path}" VERBATIM)
    target_sources(${target} PRIVATE ${output})
    if(kernel MATCHES "/kernels/.*\\.cl$")
      string(APPEND declarations "extern const qn_family qn_${symbol}_family;\n")
      string(APPEND entries "    &qn_${symbol}_family,\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${list_file} @ONLY CONTENT
"/* Made by CMake from the kernel files of the tree. */
#include <quern/family.h>

@declarations@
static const qn_family *const families[] = {
@entries@    NULL};

const qn_family *const *qn_family_list(size_t *count)
{
    *count = sizeof families / sizeof families[0] - 1;
    return families;
}
")
  target_sources(${target} PRIVATE ${list_file})
endfunction()

# List the workloads: files workloads/*.c of every folder and room.
function(quern_list_workloads target)
  file(GLOB workloads CONFIGURE_DEPENDS src/*/workloads/*.c src/*/*/workloads/*.c)
  set(list_file ${CMAKE_CURRENT_BINARY_DIR}/generated/workload_list.c)
  set(declarations "")
  set(entries "")
  foreach(workload IN LISTS workloads)
    file(RELATIVE_PATH symbol ${CMAKE_CURRENT_SOURCE_DIR}/src ${workload})
    string(REGEX REPLACE "^([^/]+)/.*/([^/]+)\\.c$" "\\1_\\2" symbol ${symbol})
    string(APPEND declarations "extern const qn_workload qn_${symbol}_workload;\n")
    string(APPEND entries "    &qn_${symbol}_workload,\n")
  endforeach()
  file(CONFIGURE OUTPUT ${list_file} @ONLY CONTENT
"/* Made by CMake from the workloads of the tree. */
#include <quern/workload.h>

@declarations@
static const qn_workload *const workloads[] = {
@entries@    NULL};

const qn_workload *const *qn_workload_list(size_t *count)
{
    *count = sizeof workloads / sizeof workloads[0] - 1;
    return workloads;
}
")
  target_sources(${target} PRIVATE ${list_file})
endfunction()

# Shipped tuning results, tuned/*.txt, and portable models, tuned/models/<name>.model, as character arrays.
function(quern_embed_tuned target)
  file(GLOB texts CONFIGURE_DEPENDS tuned/*.txt)
  set(list_file ${CMAKE_CURRENT_BINARY_DIR}/generated/tuned_list.c)
  set(arrays "")
  set(entries "")
  set(number 0)
  foreach(text IN LISTS texts)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${text})
    file(READ ${text} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "(char)0x\\1," bytes "${hex}")
    string(APPEND arrays "static const char text_${number}[] = {${bytes}0x00};\n")
    string(APPEND entries "    text_${number},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(GLOB models CONFIGURE_DEPENDS tuned/models/*.model)
  set(model_entries "")
  foreach(model IN LISTS models)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model})
    file(READ ${model} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "(char)0x\\1," bytes "${hex}")
    string(APPEND arrays "static const char text_${number}[] = {${bytes}0x00};\n")
    get_filename_component(name ${model} NAME_WE)
    string(APPEND model_entries "    \"${name}\", text_${number},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${list_file} @ONLY CONTENT
"/* Made by CMake from tuned/. */
extern const char *const qn_tuned_texts[];
extern const char *const qn_tuned_models[];

@arrays@
const char *const qn_tuned_texts[] = {
@entries@    0};
const char *const qn_tuned_models[] = {
@model_entries@    0};
")
  target_sources(${target} PRIVATE ${list_file})
endfunction()
