#include "launch/remote_scripts.h"

namespace lockstep {
namespace {

// A bundle (base/bundle.h) finds its libraries itself; this system's programs must not find them.
//
// `ls -ldn` prints mode, links, owner and group. A directory that the group of a user alone may
// write (the group is named like the user) is that user's own. A '+' behind the mode tells of an
// access list, whose mask stands in place of what the group may.
constexpr const char* kFunctions = R"sh(
umask 077; CDPATH=; set -f
me=$(id -u) && user=$(id -un) && group=$(id -gn) || exit 1
own_group=; [ "$user" != "$group" ] || own_group=$(id -g)
look_at() { set -- $(LC_ALL=C ls -ldn -- "$1"); mode=$1 owner=$3 owning_group=$4; }
others_may_replace() {
  look_at "$1"
  case $owner in 0|"$me") ;; *) why="belongs to user $owner"; return 0;; esac
  case $mode in d????????[tT]*) return 1;; d???????w*) why="is writable by everyone"; return 0;; esac
  case $mode in d????w*) ;; *) return 1;; esac
  case $mode in *+) why="has an access list that lets others write"; return 0;; esac
  why="is writable by group $owning_group"; [ "$owning_group" != "$own_group" ]
}
enter() {
  cd -P -- "$1" || exit 1
  inside=$(pwd -P) at=.
  while :; do
    if others_may_replace "$at"; then
      echo "$1 is not safe: $(cd "$at" && pwd -P) $why, who could replace the program; use another --remote-dir" >&2
      exit 1
    fi
    [ "$at" -ef / ] && break
    at=$at/..
  done
}
is_mine() { look_at "$1"; [ "$owner" = "$me" ] && case $mode in "$2"????-??-*) ;; *) false;; esac; }
enter_mine() {
  cd -P -- "./$1" 2>/dev/null && [ "$(pwd -P)" = "${inside%/}/$1" ] && is_mine . d
}
holds_program() ( enter_mine "$1" && is_mine ./lockstep - && [ -x ./lockstep ]; )
is_bundle() { [ -e ./ld-linux-x86-64.so.2 ]; }
bytes_of() { wc -c <"./$1"; }
)sh";

constexpr const char* kLookForProgram = R"sh(
[ -d "$1" ] || exit 0
enter "$1"
holds_program "$2" && [ "$(bytes_of "$2/lockstep")" -eq "$3" ] && enter_mine "$2" || exit 0
if is_bundle; then echo present; exit 0; fi
case $(LD_LIBRARY_PATH="$(pwd -P)" ldd ./lockstep 2>&1) in *'not found'*) ;; *) echo present;; esac
)sh";

// A file that is too short means a broken connection or a full disk. The script then removes the
// staging directory at once, because nobody may be able to do it later.
constexpr const char* kReceive = R"sh(
mkdir -p -- "$1" || exit 1
enter "$1"
[ -d "./$2" ] || mkdir -- "./$2" || exit 1
enter_mine "$2" || { echo "$1/$2 is not yours alone; use another --remote-dir" >&2; exit 1; }
cat >"./$3" && [ "$(bytes_of "$3")" -eq "$4" ] && chmod 755 "./$3" ||
  { cd -P "$inside" && rm -rf -- "./$2"; exit 1; }
)sh";

constexpr const char* kLibraries = R"sh(
enter "$1"
enter_mine "$2" || exit 1
LD_LIBRARY_PATH="$(pwd -P)" ldd ./lockstep 2>&1
)sh";

// Another launcher may have been faster, or the copy that is there may be damaged. Hosts may share
// their disks: libraries that only some of them need are added to an existing directory. A launcher
// that died, and whose host did not notice it, leaves its staging directory: it goes a day later.
// Its name must be exactly of the form that deploy.cpp gives, because the remote directory may be
// one where users keep an unpacked archive of lockstep or their own results.
constexpr const char* kInstall = R"sh(
enter "$1"
[ -d "./$2" ] || holds_program "$3" ||
  { echo "the copy of the program was lost; did a connection break? run again" >&2; exit 1; }
if holds_program "$3" && [ "$(bytes_of "$3/lockstep")" -ne "$4" ]; then rm -rf -- "./$3"; fi
mv -T -- "./$2" "./$3" 2>/dev/null || {
  if holds_program "$3"; then
    set +f
    for f in "./$2"/*; do [ -e "./$3/${f##*/}" ] || mv -- "$f" "./$3/"; done
  fi
  rm -rf -- "./$2"
}
holds_program "$3" ||
  { echo "$1/$3 is not owned by you alone, or is a link; use another --remote-dir" >&2; exit 1; }
h='[0-9a-f]'; h4=$h$h$h$h; h16=$h4$h4$h4$h4
LC_ALL=C find . -maxdepth 1 -type d -user "$me" -name "lockstep-$h16-[0-9]*.$h16$h16-[0-9]*" \
  -mmin +1440 -exec rm -rf -- {} + 2>/dev/null
exit 0
)sh";

// While its stdin is a launcher's, this waits for the end of the launcher.
constexpr const char* kRemove = R"sh(
cat >/dev/null
cd -P -- "$1" 2>/dev/null && inside=$(pwd -P) && enter_mine "$2" && cd -P "$inside" && rm -rf -- "./$2"
)sh";

constexpr const char* kStartAgent = R"sh(
enter "$1"
holds_program "$2" && enter_mine "$2" ||
  { echo "$1/$2 does not hold the program, or is not owned by you alone" >&2; exit 1; }
is_bundle || export LD_LIBRARY_PATH="$(pwd -P)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec ./lockstep agent
)sh";

// In the order of RemoteScript.
constexpr const char* kScripts[] = {kLookForProgram, kReceive, kLibraries,
                                    kInstall,        kRemove,  kStartAgent};

}  // namespace

std::vector<std::string> remote_command(RemoteScript script,
                                        const std::vector<std::string>& words) {
  const std::string text = std::string(kFunctions) + kScripts[static_cast<size_t>(script)];
  std::vector<std::string> argv = {"sh", "-c", text, "sh"};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

}  // namespace lockstep
