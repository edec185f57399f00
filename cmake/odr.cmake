# The target odr: fails when two files define different types of one name (the one-definition rule).
#
# The compiler writes its own representation of each file (-flto), and merging all of them into one
# compares their types. That is all: no code is generated, so nothing can be run, and it takes
# seconds. Needs GCC.
get_property(libraries GLOBAL PROPERTY LOCKSTEP_LIBRARIES)
list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
add_custom_target(odr
  COMMAND ${CMAKE_CXX_COMPILER} -flto -Wodr -Werror=odr -r -flinker-output=rel -nostdlib -o odr.o
          -Wl,--whole-archive ${archives} $<TARGET_OBJECTS:lockstep>
  DEPENDS ${libraries} $<TARGET_OBJECTS:lockstep>
  COMMENT "Comparing the types of all files"
  COMMAND_EXPAND_LISTS VERBATIM)
