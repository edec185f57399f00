# Writes a C++ file that holds text files: cmake -DOUTPUT=data.cpp "-DFILES=a.toml;b.toml" -P embed_text.cmake
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE ${OUTPUT}
"// Made from the files of src/external/programs.
#include \"external/ready_programs.h\"

namespace lockstep {
namespace {
constexpr ReadyProgram kReady[] = {
${rows}};
}  // namespace
std::span<const ReadyProgram> ready_programs() { return kReady; }
}  // namespace lockstep
")
