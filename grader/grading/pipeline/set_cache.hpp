/// Inputs and right outputs of large calls, as files that the submissions of a class share.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "grader/grading/pipeline/set_file.hpp"
#include "grader/task/interface/call_sets.hpp"

namespace opgrade {

/// A submission may contain whatever an earlier one has seen of its inputs and printed. It
/// therefore gets only sets that were first used after it was handed in: sets belong to a round.
/// The seeds of a round come from a secret, and a round serves the submissions that were there when
/// it began.
///
/// Safe to use from several threads at once, and for several processes in one folder.
class SetCache {
 public:
  using Moment = std::chrono::system_clock::time_point;

  struct Limits {
    /// Sets that are made faster than this, or at this rate, are not kept: reading takes as long.
    double seconds = 0.1, bytes_a_second = 2e9;
    std::uintmax_t bytes = std::uintmax_t{16} << 30;  ///< and a quarter of the free space
    std::chrono::hours age{24};
  };

  /// `task` names the task's state, and the program's. `handed_in` is the last time when a
  /// submission may have been changed.
  SetCache(std::filesystem::path folder, std::string task, Moment handed_in, Limits limits);
  SetCache(std::filesystem::path folder, std::string task, Moment handed_in)
      : SetCache(std::move(folder), std::move(task), handed_in, Limits()) {}

  /// Two stages of a submission have no set in common. The cache must outlive the result.
  std::unique_ptr<CallSets> for_submission(std::string stage);

 private:
  class OfSubmission;
  struct Round {
    Moment begin;
    std::string secret;
  };

  StaffOutput take(const std::string& sizes, std::uint64_t seed, const CallSets::Make& make,
                   int threads);
  void keep(const std::filesystem::path& file, const std::string& key, const StaffOutput& set,
            int threads);
  bool find_room(std::uintmax_t bytes);
  void remove_old();
  const Round& round();
  bool make_folder() const;
  std::optional<Round> kept_round() const;
  bool is_private() const;

  const std::filesystem::path folder_;
  const std::string task_;
  const Moment handed_in_;
  const Limits limits_;
  const std::shared_ptr<SetMemory> memory_ = std::make_shared<SetMemory>();
  std::mutex guard_;
  std::optional<Round> round_;
  std::set<std::string> quick_;  ///< sizes whose sets are not kept
  /// Two submissions may want the same set at once: one of them makes it.
  std::array<std::mutex, 61> making_;
};

}  // namespace opgrade
