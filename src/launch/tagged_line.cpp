#include "launch/tagged_line.h"

#include <utility>

#include "base/text.h"

namespace lockstep {
namespace {

std::optional<int> rank_in(const std::string& line, size_t begin, size_t end) {
  const size_t digits = line.find_first_not_of(' ', begin);  // padded to the widest rank
  if (digits >= end) return {};
  const auto rank = whole_number(line.substr(digits, end - digits));
  return rank && *rank >= 0 ? std::optional<int>(static_cast<int>(*rank)) : std::nullopt;
}

std::optional<TaggedLine> of_open_mpi(const std::string& line) {
  constexpr std::string_view kOut = "]<stdout>:", kErr = "]<stderr>:";
  if (!line.starts_with('[')) return {};
  const size_t out = line.find(kOut), err = line.find(kErr), end = std::min(out, err);
  const size_t comma = line.find(',');
  if (end == std::string::npos || comma > end) return {};
  const auto rank = rank_in(line, comma + 1, end);
  if (!rank) return {};
  // If mpirun read a line in several parts, each part has the tag.
  const std::string tag = line.substr(0, end + kOut.size());
  std::string text = line.substr(tag.size());
  for (size_t at = 0; (at = text.find(tag, at)) != std::string::npos;) text.erase(at, tag.size());
  return TaggedLine{*rank, std::move(text), err < out};
}

std::optional<TaggedLine> of_mpich(const std::string& line, bool from_stderr) {
  const size_t end = line.find("] ");
  if (!line.starts_with('[') || end == std::string::npos) {
    // A line without text has no space after its tag.
    if (!line.starts_with('[') || !line.ends_with(']')) return {};
    const auto rank = rank_in(line, 1, line.size() - 1);
    return rank ? std::optional(TaggedLine{*rank, "", from_stderr}) : std::nullopt;
  }
  const auto rank = rank_in(line, 1, end);
  if (!rank) return {};
  return TaggedLine{*rank, line.substr(end + 2), from_stderr};
}

std::optional<TaggedLine> of_slurm(const std::string& line, bool from_stderr) {
  const size_t colon = line.find(':');
  if (colon == std::string::npos) return {};
  const auto rank = rank_in(line, 0, colon);
  if (!rank) return {};
  const size_t text = colon + 1 + (line.substr(colon + 1).starts_with(' ') ? 1 : 0);
  return TaggedLine{*rank, line.substr(text), from_stderr};
}

}  // namespace

std::optional<TaggedLine> tagged_line(LineTag tag, const std::string& line, bool from_stderr) {
  switch (tag) {
    case LineTag::OpenMpi:
      return of_open_mpi(line);
    case LineTag::Mpich:
      return of_mpich(line, from_stderr);
    case LineTag::Slurm:
      return of_slurm(line, from_stderr);
    case LineTag::None:
      break;
  }
  return {};
}

}  // namespace lockstep
