#include "grader/course/results/result_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "grader/base/core/error.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/report/fields/json.hpp"
#include "grader/report/formats/exporters.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// A folder that is written before it gets its final name. Only this process uses its temporary
/// name, and other processes ignore the ending.
struct PartialFolder {
  explicit PartialFolder(const fs::path& target)
      : path(fmt::format("{}.{:016x}.partial", target.string(), SystemRandom()())) {}
  ~PartialFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const fs::path path;
};

}  // namespace

void write_result(const fs::path& folder, const Grade& grade, const report::SourceOf& source) {
  const PartialFolder unfinished(folder);
  const fs::path& partial = unfinished.path;
  std::error_code ignored;
  fs::create_directories(partial, ignored);
  for (const report::Exporter& e : report::exporters()) {
    if (e.stored)
      write_whole(partial / e.file, e.write(grade, {.audience = e.audience, .source = source}));
  }
  fs::remove_all(folder, ignored);
  if (::rename(partial.c_str(), folder.c_str()) != 0)
    throw Error(fmt::format("cannot write {}: {}", folder.string(), std::strerror(errno)),
                "check the permissions of the results folder");
}

std::optional<Grade> read_result(const fs::path& folder) {
  try {
    return report::grade_from_json(text_of_file(folder / "report.json"));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace opgrade
