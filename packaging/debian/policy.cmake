# What Debian's policy wants otherwise than cmake --install has it: compressed manual pages, a
# changelog of the package, the licence in one file, zsh's completion in a directory for packages, modes
# that do not depend on the user's umask. Run by CPack on the files to be packed.
file(GLOB documents ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/lockstep)
file(GLOB_RECURSE to_compress ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/*.1)
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, if set
foreach(directory IN LISTS documents)
  file(REMOVE ${directory}/LICENSE)
  file(WRITE ${directory}/changelog "lockstep (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${today}
")
  list(APPEND to_compress ${directory}/changelog)
endforeach()
foreach(file IN LISTS to_compress)
  execute_process(COMMAND gzip --best --no-name --force ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB zsh ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/zsh/site-functions)
foreach(directory IN LISTS zsh)
  file(RENAME ${directory} ${directory}/../vendor-completions)
endforeach()
execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
