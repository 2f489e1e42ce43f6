/// Submissions of a group of tests/corpus, graded by the real program in one run.
#pragma once

#include "tests/support/expected_verdict.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade::test {

struct GradedGroup {
  Workplace place;
  std::filesystem::path results = place.path() / "results";
  ProcessReport report;

  void add(const std::filesystem::path& submission) { submissions_.push_back(submission); }

  /// A copy, with a file that lies beside it, or those of a folder, unless it has its own.
  void add_copy(const std::filesystem::path& submission, const std::filesystem::path& beside) {
    const auto copy = place.path() / "in" / submission.filename();
    std::filesystem::create_directories(copy.parent_path());
    constexpr auto kOptions =
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing;
    std::filesystem::copy(submission, copy, kOptions);
    std::filesystem::copy(beside, copy, kOptions);
    add("in" / submission.filename());
  }

  void grade(const std::filesystem::path& config, const std::vector<std::string>& options,
             const std::vector<std::string>& environment = {}) {
    std::vector<std::string> arguments{"grade", "--config", config, "--out", results};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), submissions_.begin(), submissions_.end());
    // Longer than other runs: it is many submissions, with other tests beside them.
    report = run_command(place.command(std::move(arguments), environment),
                         {.wall = std::chrono::minutes(9), .kept_bytes = 16 << 20});
  }

  /// Null, with a failure of the test, where there is none.
  nlohmann::json report_of(const std::string& name) const {
    const nlohmann::json read = read_report(results, name);
    EXPECT_TRUE(read.is_object()) << "no result\n" << report.standard_error;
    return read.is_object() ? read : nullptr;
  }

 private:
  std::vector<std::filesystem::path> submissions_;
};

}  // namespace opgrade::test
