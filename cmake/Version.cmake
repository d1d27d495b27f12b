# Facts of the build for quern --version: compiler, libraries that were linked or compiled in, and the commit, which is
# looked up at every build.
set(QUERN_BUILT_WITH "zlib ${ZLIB_VERSION_STRING}, Jansson ${JANSSON_VERSION}, LibYAML ${YAML_VERSION}")
string(APPEND QUERN_BUILT_WITH ", SQLite ${SQLITE_VERSION}, libtiff ${TIFF_VERSION}, Qhull ${QHULL_VERSION}")
string(APPEND QUERN_BUILT_WITH ", Expat ${EXPAT_VERSION}, METIS, gemmi")
if(VKFFT_INCLUDE_FOLDER)
  string(APPEND QUERN_BUILT_WITH ", VkFFT")
endif()
set(QUERN_COMMIT_HEADER ${CMAKE_BINARY_DIR}/generated/quern_commit.h)
add_custom_target(quern_commit BYPRODUCTS ${QUERN_COMMIT_HEADER} VERBATIM
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR} -DHEADER=${QUERN_COMMIT_HEADER}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Commit.cmake)
add_dependencies(quern_command quern_commit)
set_source_files_properties(src/cli/version.c PROPERTIES INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/generated
  COMPILE_DEFINITIONS "QN_COMPILER=\"${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}\";QN_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\";QN_MACHINE=\"${CMAKE_SYSTEM_PROCESSOR}\";QN_BUILT_WITH=\"${QUERN_BUILT_WITH}\"")
