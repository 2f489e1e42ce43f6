/// A referee without a device, for tests of what uses one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/platform/gpu/referee.hpp"

namespace opgrade::test {

class FakeReferee : public Referee {
 public:
  explicit FakeReferee(std::string uuid) : uuid_(std::move(uuid)) {}

  bool there = true;               ///< what answers() says
  std::string broken;              ///< what prove_usable() throws, where not empty
  std::function<void()> at_begin;  ///< called by begin_case()

  const std::string& uuid() const override { return uuid_; }
  void begin_case() override {
    if (at_begin) at_begin();
  }
  void prove_usable() override {
    if (!broken.empty()) throw Error(broken, "a hint");
  }
  bool answers() override { return there; }
  std::int64_t free_memory() override { return std::int64_t{1} << 30; }

  int loads = 0;  ///< inputs that it got

  void load(DeviceProblem) override { ++loads; }
  void load_arena(std::size_t, std::size_t) override { ++loads; }
  void set(std::size_t, std::span<const std::byte>) override {}
  void read_output(std::span<std::byte>) override {}
  bool attach(const SharedDeviceTensor&, const SharedDeviceTensor&) override { return false; }
  void detach() override {}
  void poison() override {}
  void prepare(std::uint64_t, Start) override {}
  void hold() override {}
  void release() override {}
  void prove_done() override {}
  std::chrono::nanoseconds intrusion() override { return {}; }
  bool output_stayed() override { return true; }
  CheckReport check(double, std::uint64_t) override { return {}; }
  void sum_checked(std::uint64_t) override {}
  std::uint64_t sum_of_checked() override { return 0; }

 private:
  std::string uuid_;
};

}  // namespace opgrade::test
