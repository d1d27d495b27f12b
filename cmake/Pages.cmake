# Completion scripts for bash, zsh and fish, and man pages, which scripts/make-man-pages makes of docs/commands. They are
# made by the command itself, so builds with sanitizers and wheels are without them; man pages also need Python.
if(QUERN_SANITIZE OR SKBUILD)
  return()
endif()
set(folder ${CMAKE_BINARY_DIR}/pages)
set(scripts)
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${folder}/quern.${shell} DEPENDS quern_command VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND quern_command completion ${shell} > ${folder}/quern.${shell})
  list(APPEND scripts ${folder}/quern.${shell})
endforeach()
install(FILES ${folder}/quern.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME quern)
install(FILES ${folder}/quern.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _quern)
install(FILES ${folder}/quern.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

set(man)
find_package(Python3 3.9 COMPONENTS Interpreter)
if(Python3_FOUND)
  file(GLOB pages CONFIGURE_DEPENDS docs/commands/*.md)
  set(man ${folder}/man/quern.1)
  foreach(page IN LISTS pages)
    get_filename_component(name ${page} NAME_WE)
    list(APPEND man ${folder}/man/quern-${name}.1)
  endforeach()
  add_custom_command(OUTPUT ${man} DEPENDS quern_command ${pages} scripts/make-man-pages VERBATIM
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/make-man-pages $<TARGET_FILE:quern_command>
      ${CMAKE_CURRENT_SOURCE_DIR}/docs/commands ${folder}/man)
  install(FILES ${man} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
add_custom_target(quern_pages ALL DEPENDS ${scripts} ${man})
