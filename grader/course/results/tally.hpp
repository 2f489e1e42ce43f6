/// Many gradings: how many are done, what is left, and the stop of a run that makes only faults.
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

/// After each grading.
struct GradingProgress {
  const Grade& grade;
  std::size_t done, all;
  bool reused = false;                         ///< its result stood
  std::optional<std::chrono::seconds> left{};  ///< estimated for the rest; none before the first
};
using ProgressListener = std::function<void(const GradingProgress&)>;

inline constexpr std::size_t kFaultsToStop = 3;

/// Safe to use from several threads; the listener is told of one grading at a time.
class Tally {
 public:
  /// `all` gradings with those that are `reused`.
  Tally(std::size_t all, bool keep_going, const ProgressListener& listener)
      : all_(all), keep_going_(keep_going), listener_(listener) {}

  void reused(const Grade& grade);
  void begin(const std::string& job);
  /// Throws Error, with the hint of this fault, when each of the first kFaultsToStop gradings is a
  /// grader fault and others are open, unless the run is to keep going.
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
