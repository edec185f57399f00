# Writes OUTPUT, a C++ file that holds files, in namespace lockstep.
#   cmake -D OUTPUT=x.cpp -D HEADER=folder/x.h -D "FILES=name=path,name=path" -P embed.cmake
# gives one function per file: std::string_view NAME(). With -D TABLE=rows -D ROW=Row it is one
# function for all: std::span<const Row> rows(), where a Row begins with name and text.
set(arrays "")
set(functions "")
set(rows "")
string(REPLACE "," ";" files "${FILES}")
foreach(entry IN LISTS files)
  string(REGEX MATCH "^([a-z0-9_]+)=(.*)$" matched "${entry}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char k_${name}[] = {${bytes}};\n")
  string(APPEND functions
    "std::string_view ${name}() { return {k_${name}, sizeof(k_${name})}; }\n")
  string(APPEND rows "    {\"${name}\", {k_${name}, sizeof(k_${name})}},\n")
endforeach()
if(TABLE)
  string(APPEND arrays "constexpr ${ROW} kRows[] = {\n${rows}};\n")
  set(functions "std::span<const ${ROW}> ${TABLE}() { return kRows; }\n")
endif()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n\nnamespace lockstep {\nnamespace {\n${arrays}}\n"
  "${functions}}  // namespace lockstep\n")
