# bench/<name>.c becomes the executable quern_bench_<name>, built with everything else and run by hand on an idle
# machine. bench/<name>_host.c holds kernels for comparison, compiled like the library's host kernels;
# bench/<name>_parts/*.c are further sources of the executable.
# Those of bench/apart/ link libraries under the GPL: each is built by its name alone, where its library is found, and is
# no part of the product.
function(quern_add_benchmarks)
  file(GLOB benchmarks CONFIGURE_DEPENDS bench/*.c)
  list(FILTER benchmarks EXCLUDE REGEX "_host\\.c$")
  file(GLOB host_kernels CONFIGURE_DEPENDS bench/*_host.c)
  foreach(source IN LISTS benchmarks)
    get_filename_component(name ${source} NAME_WE)
    file(GLOB parts CONFIGURE_DEPENDS bench/${name}_parts/*.c)
    add_executable(quern_bench_${name} ${source} ${parts})
    target_link_libraries(quern_bench_${name} PRIVATE quern quern_flags PkgConfig::TIFF m)
    target_include_directories(quern_bench_${name} PRIVATE src bench)
    if("${CMAKE_CURRENT_SOURCE_DIR}/bench/${name}_host.c" IN_LIST host_kernels)
      quern_add_host_variants(quern_bench_${name} bench/${name}_host.c)
    endif()
    set_target_properties(quern_bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  endforeach()
  find_library(CHOLMOD_LIBRARY cholmod)
  find_path(CHOLMOD_INCLUDE_FOLDER cholmod.h PATH_SUFFIXES suitesparse)
  if(CHOLMOD_LIBRARY AND CHOLMOD_INCLUDE_FOLDER)
    add_executable(quern_bench_deform_cholmod EXCLUDE_FROM_ALL bench/apart/deform_cholmod.c
      bench/deform_factor_parts/pattern.c)
    target_include_directories(quern_bench_deform_cholmod PRIVATE src bench)
    target_include_directories(quern_bench_deform_cholmod SYSTEM PRIVATE ${CHOLMOD_INCLUDE_FOLDER})
    target_link_libraries(quern_bench_deform_cholmod PRIVATE quern quern_flags ${CHOLMOD_LIBRARY} m ${CMAKE_DL_LIBS})
    set_target_properties(quern_bench_deform_cholmod PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  endif()
endfunction()
