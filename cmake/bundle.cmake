# The target bundle: the directory bundle/lockstep-VERSION-x86_64, which runs on any x86-64 Linux.
# Manual pages and completions come from lockstep, which writes them when it is linked.
# packaging/archive.sh makes one file of it, packaging/wheel.py a wheel.
set(LOCKSTEP_BUNDLE ${PROJECT_BINARY_DIR}/bundle/lockstep-${PROJECT_VERSION}-x86_64)
set(stamp ${PROJECT_BINARY_DIR}/bundle/made)
file(GLOB_RECURSE pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/* ${PROJECT_SOURCE_DIR}/examples/*
  ${PROJECT_SOURCE_DIR}/src/sim/cluster/ready/*.toml)
foreach(page README.md CHANGELOG.md SECURITY.md LICENSE assets/uplot/LICENSE)
  list(APPEND pages ${PROJECT_SOURCE_DIR}/${page})
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/bundle)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/bundle/pages.txt CONTENT "${pages}")  # changes when one is removed
add_custom_command(OUTPUT ${stamp}
  COMMAND ${PROJECT_SOURCE_DIR}/packaging/bundle.sh ${PROJECT_BINARY_DIR} ${LOCKSTEP_BUNDLE}
  COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
  DEPENDS lockstep lockstep-portable lockstep-start ${PROJECT_SOURCE_DIR}/packaging/bundle.sh ${pages}
    ${PROJECT_BINARY_DIR}/bundle/pages.txt
  COMMENT "Making the bundle" VERBATIM)
add_custom_target(bundle DEPENDS ${stamp})
