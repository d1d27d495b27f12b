# Install rules: the command, the library, its public headers, a CMake package and a pkg-config file. Both name the
# libraries a static libquern.a needs. The installed tree can be moved as a whole.
include(CMakePackageConfigHelpers)
set(QUERN_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/quern)
file(RELATIVE_PATH QUERN_COMMAND_TO_LIBRARY /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set(QUERN_COMMAND_RPATH "$ORIGIN/${QUERN_COMMAND_TO_LIBRARY}")
if(SKBUILD) # of a wheel, where the library is in the folder above
  set(QUERN_COMMAND_RPATH "$ORIGIN/..")
endif()
set_target_properties(quern_command PROPERTIES INSTALL_RPATH "${QUERN_COMMAND_RPATH}")

install(TARGETS quern EXPORT quern)
install(TARGETS quern_command)
foreach(module quern_mpi quern_mumps)
  if(TARGET ${module})
    install(TARGETS ${module} DESTINATION ${CMAKE_INSTALL_LIBDIR}/quern)
  endif()
endforeach()
install(DIRECTORY include/quern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE NOTICE src/score/LICENSE.piper_atoms.txt src/score/LICENSE.bude_force_field.txt
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT quern FILE quern-targets.cmake NAMESPACE quern:: DESTINATION ${QUERN_PACKAGE_FOLDER})

configure_package_config_file(cmake/quern-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/quern-config.cmake
  INSTALL_DESTINATION ${QUERN_PACKAGE_FOLDER} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/quern-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quern-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/quern-config-version.cmake
  DESTINATION ${QUERN_PACKAGE_FOLDER})

# A program linked with libquern.so needs no other library; one linked with libquern.a also needs the libraries that
# libquern.a uses, among them C++'s for the structure readers.
file(RELATIVE_PATH QUERN_PKGCONFIG_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" QUERN_PKGCONFIG_TO_PREFIX ${QUERN_PKGCONFIG_TO_PREFIX})
set(QUERN_PKGCONFIG_REQUIRES "zlib jansson yaml-0.1 sqlite3 libtiff-4 qhull_r expat")
set(QUERN_PKGCONFIG_LIBRARIES " -lmetis -lstdc++ -lm -ldl -pthread")
if(BUILD_SHARED_LIBS)
  set(QUERN_PKGCONFIG_REQUIRES "")
  set(QUERN_PKGCONFIG_LIBRARIES "")
endif()
configure_file(cmake/quern.pc.in ${CMAKE_CURRENT_BINARY_DIR}/quern.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quern.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# `cmake --build BUILD --target uninstall` removes the files that the last installation wrote.
add_custom_target(uninstall VERBATIM
  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Uninstall.cmake)
