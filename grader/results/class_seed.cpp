#include "grader/results/class_seed.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <set>
#include <string>

#include "grader/core/error.hpp"
#include "grader/core/fd.hpp"
#include "grader/core/system_random.hpp"
#include "grader/results/class_results.hpp"
#include "grader/results/result_names.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

// No submission's folder starts with a dot: result_name().
constexpr const char* kFile = ".class-seed";

[[noreturn]] void cannot(const char* what, const fs::path& file) {
  throw Error(fmt::format("cannot {} {}: {}", what, file.string(), std::strerror(errno)),
              "check the free space and the permissions of the results folder");
}

std::optional<std::uint64_t> read_seed(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  std::ifstream stream(file);
  if (!stream) cannot("read", file);
  std::string text;
  std::getline(stream, text);
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(fmt::format("{} holds no seed", file.string()),
                "remove it: a new seed is drawn, and all of the class are graded again");
  }
  return seed;
}

/// Under another name first: a parallel reader finds a whole file or none.
fs::path write_beside(const fs::path& file, std::uint64_t seed) {
  std::string partial = file.string() + ".XXXXXX";
  const Fd fd(::mkostemp(partial.data(), O_CLOEXEC));  // with mode 0600
  const std::string text = fmt::format("{}\n", seed);
  if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::fsync(fd.get()) != 0) {
    cannot("write", partial);
  }
  return partial;
}

/// True if `results` holds some submission's result that is not about to be graded.
bool holds_others(const fs::path& results, const std::vector<fs::path>& submissions) {
  std::set<std::string> own;
  for (const auto& submission : submissions) own.insert(owner_of(submission));
  const ClassResults all = read_results(results);
  return std::ranges::any_of(
      all.grades, [&](const auto& named) { return !own.contains(named.second.submission_path); });
}

}  // namespace

std::uint64_t class_seed(const fs::path& results, const std::vector<fs::path>& submissions,
                         const ClassSeedOptions& options) {
  std::error_code error;
  fs::create_directories(results, error);
  if (error)
    throw Error(fmt::format("cannot make {}: {}", results.string(), error.message()),
                "choose another --out");
  const fs::path file = results / kFile;
  const auto kept = read_seed(file);
  const bool redraw = options.wanted || (options.again && !holds_others(results, submissions));
  if (kept && !redraw) return *kept;

  const std::uint64_t seed = options.wanted ? *options.wanted : SystemRandom()();
  const fs::path partial = write_beside(file, seed);
  if (redraw) {
    if (::rename(partial.c_str(), file.c_str()) != 0) cannot("write", file);
    return seed;
  }
  // Another process may have been faster: then its seed is the class's.
  const bool first = ::link(partial.c_str(), file.c_str()) == 0;
  const bool taken = !first && errno == EEXIST;
  if (!first && !taken && ::rename(partial.c_str(), file.c_str()) != 0) cannot("write", file);
  ::unlink(partial.c_str());
  return taken ? read_seed(file).value_or(seed) : seed;
}

}  // namespace opgrade
