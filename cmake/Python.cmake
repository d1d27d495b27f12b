# The package `quern` for Python, built into <build>/python: the modules of python/quern, quern/_generated.py, which
# python/generate makes of the public headers and of the option tables in libquern.so, and the library beside them. A
# script may use it with PYTHONPATH=<build>/python.
#
# Instrumented libraries cannot be loaded into an interpreter, so builds with sanitizers are without it.
find_package(Python3 3.9 COMPONENTS Interpreter)
set(QUERN_PYTHON_LIBRARY)
if(BUILD_SHARED_LIBS)
  set(QUERN_PYTHON_LIBRARY quern)
elseif(TARGET quern_shared)
  set(QUERN_PYTHON_LIBRARY quern_shared)
endif()

if(Python3_FOUND AND QUERN_PYTHON_LIBRARY AND NOT QUERN_SANITIZE)
  set(package ${CMAKE_BINARY_DIR}/python/quern)
  file(GLOB_RECURSE modules RELATIVE ${PROJECT_SOURCE_DIR}/python/quern CONFIGURE_DEPENDS python/quern/*.py)
  list(REMOVE_ITEM modules _generated.py)
  file(GLOB generator CONFIGURE_DEPENDS python/generate/*.py)
  file(GLOB headers CONFIGURE_DEPENDS include/quern/*.h)
  set(copies)
  foreach(module IN LISTS modules)
    get_filename_component(folder ${module} DIRECTORY)
    add_custom_command(OUTPUT ${package}/${module} DEPENDS python/quern/${module} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory ${package}/${folder}
      COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/python/quern/${module} ${package}/${module})
    list(APPEND copies ${package}/${module})
  endforeach()
  add_custom_command(OUTPUT ${package}/_generated.py
    DEPENDS ${generator} ${headers} ${QUERN_PYTHON_LIBRARY} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${package}
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/python PYTHONDONTWRITEBYTECODE=1
      ${Python3_EXECUTABLE} -m generate ${PROJECT_SOURCE_DIR}/include/quern $<TARGET_FILE:${QUERN_PYTHON_LIBRARY}>
      ${package}/_generated.py
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:${QUERN_PYTHON_LIBRARY}> ${package}/libquern.so)
  add_custom_target(quern_python ALL DEPENDS ${copies} ${package}/_generated.py)
endif()

# A wheel is the component `python`: the package, the library and the command in it. Other installations are without it.
if(TARGET quern_python AND BUILD_SHARED_LIBS)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/python/quern/ DESTINATION quern COMPONENT python EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
  install(FILES $<TARGET_FILE:quern> DESTINATION quern RENAME $<TARGET_SONAME_FILE_NAME:quern> COMPONENT python
    EXCLUDE_FROM_ALL)
  if(CMAKE_STRIP) # CMake strips targets; the library is a file here, as a wheel cannot hold its links
    install(CODE "execute_process(COMMAND ${CMAKE_STRIP} --strip-unneeded
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/quern/$<TARGET_SONAME_FILE_NAME:quern>\")"
      COMPONENT python EXCLUDE_FROM_ALL)
  endif()
  install(FILES LICENSE DESTINATION quern COMPONENT python EXCLUDE_FROM_ALL)
  set(QUERN_NOTICES "" CACHE PATH "Folder of notices of libraries linked statically, for the wheel")
  if(QUERN_NOTICES)
    install(DIRECTORY ${QUERN_NOTICES}/ DESTINATION quern/notices COMPONENT python EXCLUDE_FROM_ALL)
  endif()
  install(TARGETS quern_command DESTINATION quern/bin COMPONENT python EXCLUDE_FROM_ALL)
endif()
