# Build libquern_mumps.so, which solves sparse systems with the sequential MUMPS, beside the library. Without MUMPS
# everything else is built, and our own factors serve alone. The sequential MUMPS comes with a library that has the names
# of MPI, so it must stay out of the way of a real MPI: libquern loads the module with symbols of its own, which the
# address sanitizer does not allow.
find_library(MUMPS_LIBRARY dmumps_seq)
find_library(MPISEQ_LIBRARY mpiseq_seq)
find_path(MUMPS_INCLUDE_FOLDER dmumps_c.h)
if(MUMPS_LIBRARY AND MPISEQ_LIBRARY AND MUMPS_INCLUDE_FOLDER AND NOT QUERN_SANITIZE MATCHES "address")
  add_library(quern_mumps MODULE src/deform/factor/mumps/mumps_functions.c)
  set_target_properties(quern_mumps PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} C_VISIBILITY_PRESET default)
  target_include_directories(quern_mumps PRIVATE src ${MUMPS_INCLUDE_FOLDER})
  target_link_libraries(quern_mumps PRIVATE ${MUMPS_LIBRARY} ${MPISEQ_LIBRARY} quern_flags)
else()
  message(STATUS "no sequential MUMPS found or used: sparse systems are solved by our own factors alone (Debian package libmumps-seq-dev)")
endif()
