# Build libquern_mpi.so, which gives quern ranks through MPI, beside the library. Without MPI everything else is built;
# quern under a launcher then reports that libquern_mpi.so is missing.
find_package(MPI QUIET COMPONENTS C)
file(RELATIVE_PATH QUERN_COMMAND_TO_MODULES /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_property(SOURCE src/base/module.c APPEND PROPERTY COMPILE_DEFINITIONS QN_COMMAND_TO_LIBRARY="${QUERN_COMMAND_TO_MODULES}")
if(MPI_C_FOUND)
  add_library(quern_mpi MODULE src/job/mpi/mpi_functions.c)
  set_target_properties(quern_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} C_VISIBILITY_PRESET default)
  target_include_directories(quern_mpi PRIVATE src)
  target_link_libraries(quern_mpi PRIVATE MPI::MPI_C quern_flags)
else()
  message(STATUS "no MPI found: quern runs in one process only (Debian packages libopenmpi-dev openmpi-bin)")
endif()
