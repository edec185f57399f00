# The kinds of thing this project builds. A folder of src/ is one library.

# The presets make them errors (CMAKE_COMPILE_WARNING_AS_ERROR): a compiler that we have not tried
# may find more, and must not stop others from building.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)

# The same bytes wherever the sources lie, and clones share what they compile: asserts name files by
# relative paths. Without its sloppiness ccache keeps nothing that uses precompiled headers.
if(CMAKE_CXX_COMPILER_LAUNCHER STREQUAL "ccache")
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
      CCACHE_SLOPPINESS=pch_defines,time_macros ccache)
else()
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=../)
endif()

# Headers that nearly every file includes are parsed once for each kind of target. Clang's tools
# cannot read what GCC precompiled: ./run lint turns this off in a directory of its own.
option(LOCKSTEP_PRECOMPILE "precompile the headers that nearly every file includes" ON)
set(LOCKSTEP_COMMON_HEADERS <algorithm> <chrono> <cstdint> <functional> <map> <memory> <optional>
    <span> <string> <string_view> <vector> <fmt/format.h>)

# lockstep_precompile(KIND headers...): the target lockstep_headers_KIND, whose headers others reuse.
function(lockstep_precompile kind)
  if(NOT LOCKSTEP_PRECOMPILE)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/headers_${kind}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Holds the precompiled headers of lockstep_headers_${kind}.\n")
  add_library(lockstep_headers_${kind} STATIC ${source})
  target_link_libraries(lockstep_headers_${kind} PRIVATE fmt::fmt OpenMP::OpenMP_CXX Threads::Threads)
  target_precompile_headers(lockstep_headers_${kind} PRIVATE ${ARGN})
endfunction()

function(lockstep_reuse_headers target kind)
  if(LOCKSTEP_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM lockstep_headers_${kind})
  endif()
endfunction()

# What no training step runs is not worth the compiler's time: -O1 builds a fifth faster.
function(lockstep_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

lockstep_precompile(hot ${LOCKSTEP_COMMON_HEADERS})
lockstep_precompile(cold ${LOCKSTEP_COMMON_HEADERS})
if(LOCKSTEP_PRECOMPILE)
  lockstep_cold(lockstep_headers_cold)
endif()
# Those of LibTorch take half a minute to parse.
if(LOCKSTEP_TORCH)
  lockstep_precompile(torch ${LOCKSTEP_COMMON_HEADERS} <ATen/core/Tensor.h> <ATen/Functions.h>
    <ATen/TensorOperators.h> <torch/csrc/autograd/variable.h>)
  if(LOCKSTEP_PRECOMPILE)
    target_link_libraries(lockstep_headers_torch PRIVATE Torch::cpu)
  endif()
endif()

# lockstep_library(NAME SOURCES a.cpp b.cpp DEPENDS base tensor LINKS fmt::fmt)
# DEPENDS names folders (the arrows of docs/architecture.md), LINKS names foreign libraries.
# COLD: no training step runs it. HEADERS: another kind of precompiled headers than hot or cold.
function(lockstep_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD" "HEADERS" "SOURCES;DEPENDS;LINKS;PRIVATE_LINKS")
  add_library(lockstep_${name} STATIC ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY LOCKSTEP_LIBRARIES lockstep_${name})
  target_include_directories(lockstep_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM arg_DEPENDS PREPEND lockstep_)
  target_link_libraries(lockstep_${name} PUBLIC ${arg_DEPENDS} ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
  set(kind hot)
  if(arg_COLD)
    set(kind cold)
    lockstep_cold(lockstep_${name})
  endif()
  if(arg_HEADERS)
    set(kind ${arg_HEADERS})
  endif()
  lockstep_reuse_headers(lockstep_${name} ${kind})
endfunction()

# Every test has one of these labels: ctest -L LABEL. The target LABEL_tests builds what they need.
#   unit      needs nothing but GoogleTest; all of them together take less than a minute
#   cluster   several processes or hosts: workers, TCP, mpirun, sshd, Slurm, network namespaces
#   browser   report pages in chromium
#   training  training runs, large models, external programs such as Jupyter
#   frameworks  the same networks in PyTorch, TensorFlow, JAX, MXNet
#   accelerator  the LibTorch engine and NCCL on a fake accelerator
set(LOCKSTEP_TEST_LABELS unit cluster browser training frameworks accelerator)

# lockstep_test(NAME SOURCES a_test.cpp DEPENDS nn LINKS ...): one GoogleTest program, each test a ctest.
# LABEL is unit unless another one is named. RUNS names programs that the tests start.
# PROCESSORS says how many threads its tests compute with, so that ctest runs fewer of them at once.
# EXCEPT LABEL FILTER gives the tests that match a GoogleTest filter another label.
# WHOLE makes the program one ctest: for those that take longer to start than to run a test.
# SHARDS N makes it N ctests: for hundreds of tests that share what they set up.
function(lockstep_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE" "LABEL;TIMEOUT;PROCESSORS;SHARDS" "SOURCES;DEPENDS;LINKS;RUNS;EXCEPT")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  list(TRANSFORM arg_DEPENDS PREPEND lockstep_)
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} ${arg_LINKS} lockstep_test_paths GTest::gtest_main
    GTest::gmock fmt::fmt OpenMP::OpenMP_CXX Threads::Threads)
  lockstep_cold(${name})
  lockstep_reuse_headers(${name} tests)
  if(arg_RUNS)
    add_dependencies(${name} ${arg_RUNS})
  endif()
  lockstep_test_properties(properties "${arg_LABEL}" "${arg_TIMEOUT}" "${arg_PROCESSORS}" ${name})
  # A program that skips one of its tests counts as skipped: CI must notice.
  set(skipped SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ${properties} ${skipped})
  elseif(arg_SHARDS)
    foreach(shard RANGE 1 ${arg_SHARDS})
      set(shard_name ${name}_${shard}_of_${arg_SHARDS})
      math(EXPR index "${shard} - 1")
      add_test(NAME ${shard_name} COMMAND ${name})
      set_tests_properties(${shard_name} PROPERTIES ${properties} ${skipped})
      set_property(TEST ${shard_name} APPEND PROPERTY ENVIRONMENT
        GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${index})
    endforeach()
  # NO_PRETTY_VALUES: each parameter has a name; its printed value makes lines of 350 characters.
  elseif(arg_EXCEPT)
    list(GET arg_EXCEPT 0 except_label)
    list(GET arg_EXCEPT 1 except_filter)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES TEST_FILTER -${except_filter} PROPERTIES ${properties})
    lockstep_test_properties(properties ${except_label} "${arg_TIMEOUT}" "${arg_PROCESSORS}" ${name})
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES TEST_FILTER ${except_filter} PROPERTIES ${properties})
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES PROPERTIES ${properties})
  endif()
endfunction()
include(GoogleTest)

# lockstep_command_test(NAME COMMAND program argument... RUNS lockstep LABEL browser): any other program
# as one ctest. Exit code 77 says that it was skipped.
function(lockstep_command_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT;PROCESSORS" "COMMAND;RUNS")
  lockstep_test_properties(properties "${arg_LABEL}" "${arg_TIMEOUT}" "${arg_PROCESSORS}" ${arg_RUNS})
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 ${properties})
endfunction()

# What both kinds of test have in common; the targets become part of the label's.
function(lockstep_test_properties result label timeout processors)
  if(NOT label)
    set(label unit)
  elseif(NOT label IN_LIST LOCKSTEP_TEST_LABELS)
    message(FATAL_ERROR "LABEL ${label}: use one of ${LOCKSTEP_TEST_LABELS}")
  endif()
  if(NOT timeout)
    set(timeout 600)
  endif()
  if(NOT processors)
    set(processors 1)
  endif()
  add_dependencies(${label}_tests ${ARGN})
  # What programs keep between runs stays out of the user's home.
  set(${result} LABELS ${label} TIMEOUT ${timeout} PROCESSORS ${processors}
    ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/test-cache" PARENT_SCOPE)
endfunction()

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
