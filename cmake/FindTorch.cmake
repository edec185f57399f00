# Torch: the target Torch::cpu, the part of LibTorch that every device needs, of the directory
# Torch_ROOT: 'torch' in a Python environment's site-packages, or LibTorch unpacked from its archive.
#
# The wheel's own TorchConfig.cmake is of no use here: a CUDA build of it looks for nvcc and stops
# without one. Nothing is cached but Torch_ROOT, so another torch is one -D away.
set(Torch_ROOT "" CACHE PATH "the directory 'torch' of a Python environment, or of LibTorch's archive")
set(Torch_minimum 2.11)

set(Torch_cpu_library ${Torch_ROOT}/lib/libtorch_cpu.so)
set(Torch_c10_library ${Torch_ROOT}/lib/libc10.so)
set(Torch_include_dirs ${Torch_ROOT}/include ${Torch_ROOT}/include/torch/csrc/api/include)

# Newer versions have the numbers in the first of these headers, older ones in the second.
foreach(header IN ITEMS torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  set(header ${Torch_ROOT}/include/${header})
  if(EXISTS ${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(STRINGS ${header} lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
    if(lines)
      string(REGEX REPLACE "[^0-9;]" "" lines "${lines}")
      list(JOIN lines . Torch_VERSION)
      break()
    endif()
  endif()
endforeach()

foreach(file IN LISTS Torch_cpu_library Torch_c10_library Torch_include_dirs)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "Torch_ROOT='${Torch_ROOT}': ${file} does not exist; './run torch' installs torch and sets Torch_ROOT")
  endif()
endforeach()
if(Torch_VERSION VERSION_LESS Torch_minimum)
  message(FATAL_ERROR "Torch_ROOT='${Torch_ROOT}': torch ${Torch_VERSION}; use ${Torch_minimum} or later")
endif()
# PyPI's wheels up to 2.6 have the std::string of before C++11, which no other library here has.
file(STRINGS ${Torch_c10_library} new_strings LIMIT_COUNT 1 REGEX "^_ZN3c105ErrorC.*NSt7__cxx11")
if(NOT new_strings)
  message(FATAL_ERROR "Torch_ROOT='${Torch_ROOT}': torch ${Torch_VERSION} is built without the C++11 ABI; PyPI's torch 2.7 and later have it")
endif()

# For packages; the licence is that of the Python environment.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/torch_version CONTENT "${Torch_VERSION}\n")
file(REMOVE ${PROJECT_BINARY_DIR}/torch_licence)
file(GLOB licences ${Torch_ROOT}/../torch-*.dist-info/LICENSE ${Torch_ROOT}/../torch-*.dist-info/licenses/LICENSE)
foreach(licence IN LISTS licences)
  file(COPY_FILE ${licence} ${PROJECT_BINARY_DIR}/torch_licence)
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Torch REQUIRED_VARS Torch_ROOT VERSION_VAR Torch_VERSION)

if(NOT TARGET Torch::cpu)
  # -idirafter: the wheel has headers of other projects too, fmt among them; this build's own come
  # first.
  list(TRANSFORM Torch_include_dirs PREPEND "SHELL:-idirafter " OUTPUT_VARIABLE include_options)
  # -L and -rpath by hand: CMake's own warn that the run path also has a libgomp.so.1. That is as it
  # should be: program and LibTorch then load the same one, and share one pool of threads.
  # What else LibTorch needs, NVIDIA's runtime among it, it finds relative to its own place.
  set(library_dir ${Torch_ROOT}/lib)
  add_library(Torch::cpu INTERFACE IMPORTED)
  set_target_properties(Torch::cpu PROPERTIES
    INTERFACE_COMPILE_OPTIONS "${include_options}"
    INTERFACE_LINK_OPTIONS "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:LOCKSTEP_WITHOUT_TORCH_PATH>>>:LINKER:-rpath,${library_dir}>"
    INTERFACE_LINK_LIBRARIES "-L${library_dir} -ltorch_cpu -lc10")
endif()
