// access_list.h: a POSIX access list on a file, without the package that has setfacl.
#pragma once

#include <sys/types.h>
#include <sys/xattr.h>

#include <cstdint>
#include <filesystem>

namespace lockstep {

// Lets another user read, write and search a file or directory of its owner alone. False: this file
// system has no access lists.
inline bool let_write(const std::filesystem::path& path, uid_t user) {
  struct Entry {  // as in <linux/posix_acl_xattr.h>
    uint16_t tag, permissions;
    uint32_t id;
  };
  struct {
    uint32_t version = 2;
    Entry entries[5];
  } list;
  constexpr uint16_t kOwner = 1, kUser = 2, kGroup = 4, kMask = 16, kOthers = 32;
  constexpr uint32_t kNoId = UINT32_MAX;
  list.entries[0] = {kOwner, 7, kNoId};
  list.entries[1] = {kUser, 7, user};
  list.entries[2] = {kGroup, 0, kNoId};
  list.entries[3] = {kMask, 7, kNoId};
  list.entries[4] = {kOthers, 0, kNoId};
  return setxattr(path.c_str(), "system.posix_acl_access", &list, sizeof list, 0) == 0;
}

}  // namespace lockstep
