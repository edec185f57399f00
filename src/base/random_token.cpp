#include "base/random_token.h"

#include <sys/random.h>

#include "base/error.h"

namespace lockstep {

std::string random_token() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw Error("cannot read random bytes from the system");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace lockstep
