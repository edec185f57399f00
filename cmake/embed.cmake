# Writes OUTPUT, a C++ file with one function per file: std::string_view NAME() in namespace lockstep.
#   cmake -D OUTPUT=x.cpp -D HEADER=folder/x.h -D "FILES=name=path,name=path" -P embed.cmake
set(text "#include \"${HEADER}\"\n\nnamespace lockstep {\n")
string(REPLACE "," ";" files "${FILES}")
foreach(entry IN LISTS files)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${entry}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND text "namespace {\nconstexpr char k_${name}[] = {${bytes}};\n}\n"
    "std::string_view ${name}() { return {k_${name}, sizeof(k_${name})}; }\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}}  // namespace lockstep\n")
