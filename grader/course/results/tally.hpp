/// Counts the gradings of a run, estimates the time left, and stops a run in which every grading is
/// a fault.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/course/results/pace.hpp"

namespace opgrade {

/// Reported after each grading.
struct GradingProgress {
  const Grade& grade;
  std::size_t done, all;
  bool reused = false;  ///< its earlier result was used
  /// Estimate for the rest; nullopt before the first grading ends.
  std::optional<std::chrono::seconds> left{};
};
using ProgressListener = std::function<void(const GradingProgress&)>;

inline constexpr std::size_t kFaultsToStop = 3;

/// Safe to use from several threads; the listener is called for one grading at a time.
class Tally {
 public:
  /// `all` gradings include those that are reused().
  Tally(std::size_t all, bool keep_going, const ProgressListener& listener)
      : all_(all), keep_going_(keep_going), listener_(listener) {}

  void reused(const Grade& grade);
  void begin(const std::string& job);
  /// Throws Error, with the hint of this fault, if each of the first kFaultsToStop gradings is a
  /// grader fault and others are open, unless `keep_going` was set.
  void end(const std::string& job, const Grade& grade);

 private:
  const std::size_t all_;
  const bool keep_going_;
  const ProgressListener& listener_;
  std::mutex guard_;
  Pace pace_;
  std::size_t done_ = 0, graded_ = 0, faults_ = 0;
};

}  // namespace opgrade
