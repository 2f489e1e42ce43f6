/// The time of a baseline run by step.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace opgrade {

/// Milliseconds on the host's clock, added up by the name of the step.
class Stopwatch {
 public:
  struct Step {
    std::string name;
    int calls = 0;
    double ms = 0;
  };

  /// Runs `work` and records its time under `name`; returns its milliseconds.
  template <class Work>
  double timed(const std::string& name, Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    add(name, took.count());
    return took.count();
  }

  void add(const std::string& name, double ms);

  /// In the order in which the steps came first.
  const std::vector<Step>& steps() const { return steps_; }

  /// One line per step, the longest first: its part of the steps' sum, milliseconds, calls, name.
  std::string table() const;

 private:
  std::vector<Step> steps_;
};

/// This process so far: elapsed, user and system seconds and peak memory, in one line.
std::string resource_line(std::chrono::steady_clock::time_point start);

}  // namespace opgrade
