/// The job that an executor (gradings/executor.hpp) runs and whose result the store records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "grader/grading/pipeline/grader_options.hpp"

namespace opgrade::course {

/// One grading to be made. Submission, config, version and number are the key of the attempt.
struct GradingJob {
  std::int64_t submission = 0;  ///< Submission::id
  std::string owner;            ///< Submission::owner
  std::string sha256;           ///< SHA-256 of the archive
  std::filesystem::path file;   ///< the archive
  std::string config_sha256, version;
  int number = 1;                ///< Attempt::number
  std::filesystem::path result;  ///< the report.json to be written
  std::filesystem::path root;    ///< the folder above `file` and `result`, which exists
  bool at_deadline = false;      ///< runs also the cases that are left out at hand-in

  GradedAt graded_at() const { return at_deadline ? GradedAt::deadline : GradedAt::hand_in; }
};

}  // namespace opgrade::course
