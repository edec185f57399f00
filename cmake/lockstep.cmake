# The three kinds of thing this project builds. A folder of src/ is one library.

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror)

# lockstep_library(NAME SOURCES a.cpp b.cpp DEPENDS base tensor LINKS fmt::fmt)
# DEPENDS names folders (the arrows of docs/architecture.md), LINKS names foreign libraries.
function(lockstep_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINKS;PRIVATE_LINKS")
  add_library(lockstep_${name} STATIC ${arg_SOURCES})
  target_include_directories(lockstep_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM arg_DEPENDS PREPEND lockstep_)
  target_link_libraries(lockstep_${name} PUBLIC ${arg_DEPENDS} ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
endfunction()

# lockstep_test(NAME SOURCES a_test.cpp DEPENDS nn LINKS ...): one GoogleTest program, each test a ctest.
# PROCESSORS says how many threads its tests compute with, so that ctest runs fewer of them at once.
# WHOLE makes the program one ctest: for those that take longer to start than to run a test.
function(lockstep_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE" "TIMEOUT;PROCESSORS" "SOURCES;DEPENDS;LINKS")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  list(TRANSFORM arg_DEPENDS PREPEND lockstep_)
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} ${arg_LINKS} GTest::gtest_main GTest::gmock)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  if(NOT arg_PROCESSORS)
    set(arg_PROCESSORS 1)
  endif()
  # What programs keep between runs stays out of the user's home.
  set(test_environment "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/test-cache")
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS ${arg_PROCESSORS}
      ENVIRONMENT "${test_environment}")
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS ${arg_PROCESSORS}
      ENVIRONMENT "${test_environment}")
  endif()
endfunction()
include(GoogleTest)

# lockstep_benchmark(NAME SOURCES a_bench.cpp DEPENDS engine LINKS ...): one google-benchmark program.
function(lockstep_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINKS")
  add_executable(${name} ${arg_SOURCES})
  list(TRANSFORM arg_DEPENDS PREPEND lockstep_)
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} ${arg_LINKS} benchmark::benchmark_main)
endfunction()

# lockstep_embed(LIBRARY HEADER folder/x.h FILES name=path ...): files become part of the program;
# HEADER declares std::string_view name() for each, or, with TABLE rows ROW Row, one function for
# all: std::span<const Row> rows().
function(lockstep_embed library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;TABLE;ROW" "FILES")
  get_filename_component(stem ${arg_HEADER} NAME_WE)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${stem}_data.cpp)
  list(TRANSFORM arg_FILES REPLACE "^[a-z0-9_]+=" "" OUTPUT_VARIABLE paths)
  string(REPLACE ";" "," files "${arg_FILES}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D HEADER=${arg_HEADER} -D "FILES=${files}"
            -D "TABLE=${arg_TABLE}" -D "ROW=${arg_ROW}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
  target_sources(lockstep_${library} PRIVATE ${output})
endfunction()
