# Version, soname and symbols of libquern.so. While the major version is 0, a new minor version may change functions, and
# structs other than options; the soname changes with it.
set(QUERN_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(QUERN_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()

# Template instances of the C++ library stay visible when sources hide their symbols; the list of exports hides them too.
function(quern_set_exports target)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${QUERN_SOVERSION}
    LINK_DEPENDS ${exports} DEFINE_SYMBOL "")
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports})
endfunction()

if(BUILD_SHARED_LIBS)
  quern_set_exports(quern)
elseif(BUILD_TESTING)
  # Link the same objects as a shared library, for tests of its exports and of programs built for other versions.
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/shared_library.c CONTENT "typedef int quern_needs_no_more;\n")
  add_library(quern_shared SHARED ${CMAKE_CURRENT_BINARY_DIR}/generated/shared_library.c)
  set_target_properties(quern_shared PROPERTIES OUTPUT_NAME quern LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/shared)
  target_link_libraries(quern_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,quern> quern_flags)
  quern_set_exports(quern_shared)
endif()
