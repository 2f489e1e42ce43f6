/// Graded submissions as contenders of a ranking.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "grader/course/store.hpp"
#include "grader/score/rank.hpp"

namespace opgrade::course {

/// Each report is read once for each rule. Safe to use from several threads.
class Contenders {
 public:
  explicit Contenders(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Of the gradings that count of one submission: the median by time, those without a time last.
  /// Its name is empty.
  Contender of(const std::vector<Attempt>& counted, const RankingConfig& rule);

 private:
  Contender of(const Attempt& attempt, const RankingConfig& rule);

  const std::filesystem::path folder_;
  std::mutex guard_;
  std::map<std::pair<std::string, std::string>, Contender> known_;  ///< by result and rule
};

}  // namespace opgrade::course
