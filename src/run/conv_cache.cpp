#include "run/conv_cache.h"

#include <fmt/ranges.h>

#include <filesystem>
#include <ostream>

#include "base/atomic_file.h"
#include "base/directory_lock.h"
#include "base/error.h"
#include "base/fnv1a.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "base/version.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::string contents(const std::string& path) {
  try {
    return read_regular_file(path, {.most_bytes = 16 << 20});
  } catch (const Error&) {  // there is none, or it is none of ours
    return "";
  }
}

// One more whenever a kernel of ours changes so that it may win or lose.
constexpr int kKernels = 2;

// Virtual machines give many processors one name.
std::string processor_of(const HostInfo& host) {
  return fmt::format("{}; {}; caches {} {} {}", host.cpu_model.value_or("unknown"),
                     fmt::join(host.isa, " "), host.l1_bytes.value_or(0), host.l2_bytes.value_or(0),
                     host.l3_bytes.value_or(0));
}

ConvChoices without(const ConvChoices& known, ConvChoices chosen) {
  std::erase_if(chosen, [&](const auto& choice) { return known.contains(choice.first); });
  return chosen;
}

}  // namespace

ConvCache::ConvCache(const std::string& directory, const ConvConditions& conditions,
                     std::ostream& notes)
    : identity_(fmt::format("lockstep convolutions {}\nprocessor {}\nlibraries {}\nthreads {}\n",
                            kKernels, conditions.processor, conditions.libraries,
                            conditions.threads)),
      notes_(notes) {
  if (directory.empty()) return;
  const std::string name = fmt::format("convolutions-{:016x}.txt", fnv1a(identity_));
  path_ = (fs::path(directory) / name).string();
}

ConvChoices ConvCache::read() const {
  std::error_code unreachable;  // as good as nothing there; writing will say why
  if (path_.empty() || !fs::exists(path_, unreachable)) return {};
  const std::string text = contents(path_);
  if (!text.starts_with(identity_)) {
    notes_ << fmt::format("note: {} is from another machine or version; measuring again\n", path_);
    return {};
  }
  try {
    return conv_choices_from_text(std::string_view(text).substr(identity_.size()));
  } catch (const Error& error) {  // worth a note, not a run
    notes_ << fmt::format("note: {} is damaged ({}); measuring again\n", path_, error.what());
    return {};
  }
}

ConvChoices ConvCache::add(const ConvChoices& choices) const {
  ConvChoices all = choices;
  if (path_.empty()) return all;
  try {
    constexpr Seconds kPatience{5};  // with others, who only read and write
    const std::string directory = fs::path(path_).parent_path().string();
    fs::create_directories(directory);
    const DirectoryLock lock(directory, kPatience);
    all = read();
    all.insert(choices.begin(), choices.end());  // none that is there already
    write_whole_file(path_, identity_ + to_text(all));
  } catch (const std::exception& error) {  // a full or read-only disk must not end the run
    notes_ << fmt::format("note: convolution choices are not saved: {}\n", error.what());
  }
  return all;
}

ConvConditions conv_conditions(const RunPlan& plan, const HostInfo& host) {
  std::string libraries = program_version();
  for (const auto& [name, version] : plan.engine->libraries(plan.engine_options.device)) {
    libraries += "; " + version;
  }
  return {.processor = processor_of(host), .libraries = libraries, .threads = plan.facts.threads};
}

ConvChoices choose_convolutions(const RunPlan& plan, const ConvCache& cache, std::ostream& notes,
                                const ConvChoices& given) {
  const bool wanted = plan.engine->choose_convolutions != nullptr &&
                      plan.engine_options.convolution == ConvAlgorithm::Auto;
  if (!wanted) return {};
  ConvChoices known = cache.read();
  for (const auto& [work, method] : given) known[work] = method;
  if (known.empty()) {
    notes << "measuring the fastest algorithm of each convolution, once for this machine\n"
          << std::flush;
  }
  ConvChoices chosen = plan.engine->choose_convolutions(plan.graph, plan.engine_options, known);
  const ConvChoices measured = without(known, chosen);
  if (measured.empty()) return chosen;
  notes << fmt::format("measured the fastest algorithm of {}{}\n",
                       count_text(std::ssize(measured), "convolution"),
                       cache.path().empty() ? "" : ", saved in " + cache.path());
  const ConvChoices all = cache.add(measured);
  for (const auto& [work, method] : measured) chosen[work] = all.at(work);
  return chosen;
}

}  // namespace lockstep
