/// Limits how much a client may ask for: token buckets, and counts of open requests.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace opgrade::service {

struct FloodLimits {
  double burst = 120;
  double a_second = 20;
  double failures = 20;  ///< invalid tokens from an address, or refused archives of a person
  double failures_a_second = 10 / 60.0;
};

class Flood {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Flood(FloodLimits limits) : limits_(limits) {}

  /// Counts a request. Returns false if the client, a person, made too many.
  bool take(const std::string& client, Clock::time_point now = Clock::now());
  /// False if the client has too many failures, so that it is refused before the next costly check.
  bool may_fail(const std::string& client, Clock::time_point now = Clock::now());
  void failed(const std::string& client, Clock::time_point now = Clock::now());

 private:
  struct Bucket {
    double left = 0;
    Clock::time_point at;
  };
  using Buckets = std::map<std::string, Bucket>;
  static Bucket& fill(Buckets& buckets, const std::string& client, double burst, double a_second,
                      Clock::time_point now);

  const FloodLimits limits_;
  std::mutex guard_;
  Buckets requests_, failures_;
};

/// Counts the open requests of each person, such as live logs or uploads in progress.
class OpenCount {
 public:
  /// Allows at most `of_person` open requests for one person, and `in_all` together.
  OpenCount(int of_person, int in_all);

  /// The request counts as open until the result is destroyed. nullptr if the person, or all
  /// persons together, are at the limit.
  std::shared_ptr<void> enter(const std::string& person);

 private:
  struct State {
    State(int one, int together) : of_person(one), in_all(together) {}
    const int of_person, in_all;
    std::mutex guard;
    std::map<std::string, int> open;
    int all = 0;
  };
  std::shared_ptr<State> state_;  ///< shared, because open requests may outlive the service
};

}  // namespace opgrade::service
