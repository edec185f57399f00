# CPack's Debian package of what cmake --install installs: packaging/deb.sh makes and checks it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_VENDOR lockstep)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# lockstep-torch is bound to one torch of this machine: it is in no package.
set(CPACK_COMPONENTS_ALL program data debian)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "lockstep developers <lockstep@users.noreply.github.com>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS openssh-client)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "measure how fast clusters train convolutional networks
lockstep measures how fast machines and clusters train convolutional networks
with synchronous SGD, how well that scales, and where the lost efficiency
went. It accepts command lines of tf_cnn_benchmarks, prints the same output
lines, and stores every step of every worker. It also predicts clusters that
are not there yet.")

set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)
install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian EXCLUDE_FROM_ALL)
set(CPACK_PRE_BUILD_SCRIPTS ${debian}/policy.cmake)
include(CPack)
