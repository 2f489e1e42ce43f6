/// Submissions of a group of tests/corpus, graded by the real program in one run.
#pragma once

#include "tests/support/expected_verdict.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade::test {

struct GradedGroup {
  Workplace place;
  std::filesystem::path results = place.path() / "results";
  ProcessReport report;
  pid_t pid = 0;  ///< the grader's

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

  ChildProcess start(const std::filesystem::path& config, const std::vector<std::string>& options,
                     const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> arguments{"grade", "--config", config, "--out", results};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), submissions_.begin(), submissions_.end());
    return ChildProcess::start(place.command(std::move(arguments), environment), kPatience);
  }

  void grade(const std::filesystem::path& config, const std::vector<std::string>& options,
             const std::vector<std::string>& environment = {}) {
    ChildProcess grader = start(config, options, environment);
    pid = grader.pid();
    report = grader.finish();
  }

  /// Control groups that grade() left.
  std::vector<std::string> control_groups() const {
    std::vector<std::string> left;
    for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"}) {
      std::error_code ignored;
      for (std::filesystem::recursive_directory_iterator entry(root, ignored), end; entry != end;
           entry.increment(ignored)) {
        int grader = 0, number = 0;
        const std::string name = entry->path().filename();
        if (std::sscanf(name.c_str(), "opgrade-%d-%d", &grader, &number) == 2 && grader == pid)
          left.push_back(entry->path());
        if (entry.depth() > 3) entry.disable_recursion_pending();
      }
    }
    return left;
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
