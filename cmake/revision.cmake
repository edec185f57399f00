# Writes OUTPUT, a header with the git revision of SOURCE; a changed tree ends in "-dirty". Run at
# every build; the file changes only with the revision. Without git the revision is empty.
cmake_policy(VERSION 3.25)
find_program(GIT git)
set(revision "")
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE} describe --always --dirty --abbrev=12 --match=
    OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made by cmake/revision.cmake.\n#define LOCKSTEP_REVISION \"${revision}\"\n")
