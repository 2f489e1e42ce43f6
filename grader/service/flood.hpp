/// Token buckets: how many requests a client may send.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace opgrade::service {

struct FloodLimits {
  double burst = 120;
  double a_second = 20;
  double failures = 20;  ///< wrong tokens of an address, refused archives of a person
  double failures_a_second = 10 / 60.0;
};

class Flood {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Flood(FloodLimits limits) : limits_(limits) {}

  /// False: too many of this client, a person.
  bool take(const std::string& client, Clock::time_point now = Clock::now());
  /// A client with too many failures is refused before the next costly look.
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

}  // namespace opgrade::service
