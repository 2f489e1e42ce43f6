#include "grader/app/class_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>

#include "grader/app/result_folder.hpp"
#include "grader/core/error.hpp"
#include "grader/core/parallel.hpp"
#include "grader/core/printable.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/report/csv.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// "alice.tar.gz" is alice's, as the folder "alice" is.
std::string without_archive_ending(const std::string& name) {
  for (const char* ending : {".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2",
                             ".tar.xz", ".tar.lzma", ".tar.zst"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - std::strlen(ending));
  }
  return name;
}

std::string safe_name(const fs::path& submission) {
  fs::path last = submission.filename();
  std::error_code ignored;
  if (fs::is_regular_file(submission, ignored)) last = without_archive_ending(last.string());
  if (last.empty() || last == ".")
    last = fs::absolute(submission).lexically_normal().parent_path().filename();
  return result_name(last.string());
}

bool current(const Grade& grade, const Grader& grader, const fs::path& submission) {
  return grader.matches(grade) && grade.outcome != Outcome::grader_fault &&
         grade.submission_sha256 == grader.fingerprint_of(submission);
}

}  // namespace

std::string result_name(const std::string& submission) {
  std::string name;
  for (const char c : submission) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '@' || c == '+';
    name += plain ? c : '_';
  }
  constexpr std::size_t kLongest = 100;  // with an ending well below NAME_MAX
  name.resize(std::min(name.size(), kLongest));
  if (name.empty() || name[0] == '.') name = "_" + name;
  // What lies beside the submissions' folders: the table, and results that are being written.
  if (name == "grades.csv" || name.ends_with(".partial")) name += '_';
  return name;
}

int default_jobs(int gpus, int cores) { return std::clamp(2 * gpus, 1, std::max(cores / 4, 1)); }

std::vector<std::string> result_names(const std::vector<fs::path>& submissions) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const auto& submission : submissions) {
    const std::string name = safe_name(submission);
    std::string unique = name;
    // A folder may itself be called "x-2", before or after two that are called "x".
    for (int i = 2; !taken.insert(unique).second; ++i) unique = fmt::format("{}-{}", name, i);
    names.push_back(std::move(unique));
  }
  return names;
}

std::vector<Grade> grade_class(Grader& grader, const std::vector<fs::path>& submissions,
                               const ClassOptions& options) {
  std::error_code error;
  fs::create_directories(options.results, error);
  if (error)
    throw Error(fmt::format("cannot make {}: {}", options.results.string(), error.message()),
                "choose another --out");

  const auto names = result_names(submissions);
  std::vector<std::optional<Grade>> grades(submissions.size());
  std::atomic<std::size_t> done{0};
  parallel_for(static_cast<int>(submissions.size()), options.jobs, [&](int i) {
    interrupt::check();
    const auto at = static_cast<std::size_t>(i);
    const fs::path folder = options.results / names[at];
    auto before = options.again ? std::nullopt : read_result(folder);
    const bool reused = before && current(*before, grader, submissions[at]);
    if (reused) {
      grades[at] = std::move(before);
    } else {
      grades[at] = grader.grade(submissions[at], names[at]);
      write_result(folder, *grades[at]);
    }
    options.progress(*grades[at], ++done, submissions.size(), reused);
  });

  report::CsvColumns columns;
  for (const auto& grade : grades) columns.add(*grade);
  std::string table = report::csv_header(columns);
  for (const auto& grade : grades) table += report::csv_row(*grade, columns);
  write_file(options.results / "grades.csv", table);

  std::vector<Grade> all;
  for (auto& grade : grades) all.push_back(std::move(*grade));
  return all;
}

}  // namespace opgrade
