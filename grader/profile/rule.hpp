/// The parts that the rules of the advice have in common. A rule is one file in rules/.
#pragma once

#include <map>
#include <string>

#include "grader/core/profile.hpp"
#include "grader/profile/costs.hpp"

namespace opgrade {

/// What a rule found in the kernels of a profile. A rule that finds nothing adds nothing.
class Evidence {
 public:
  explicit Evidence(const GpuRates& rates) : rates_(rates) {}

  const GpuRates& rates() const { return rates_; }

  /// A launch would take `clocks` less. `access`: the line to show, or null; the largest wins.
  void add(const ProfileCountRow& row, const ProfileAccessRow* access, double clocks,
           double counted, double least);

  /// Of the kernel that has most to save; `total` clocks of all kernels.
  ProfileAdvice advice(const char* rule, double total) const;

 private:
  struct Kernel {
    double clocks = 0, largest = 0;
    ProfileAdvice shown;
  };
  const GpuRates& rates_;
  std::map<std::string, Kernel> kernels_;
};

struct Rule {
  const char* name;
  void (*look)(const ProfileReport& counted, Evidence& evidence);
};

/// A word that all lanes of a warp load at the same time.
bool is_uniform_load(const ProfileAccessRow& access);
/// Of threads and of products of fragments. A product and a sum that are apart are one.
double multiply_adds(const ProfileCountRow& row);
bool is_shared_load(const ProfileAccessRow& access);
/// Words of such loads for each floating-point instruction of a thread.
double words_an_operation(const ProfileCountRow& row, bool (*of)(const ProfileAccessRow&));
/// The kernel only copies, and another one of the computation loads what it wrote.
bool makes_copy(const ProfileReport& counted, const ProfileCountRow& row);

namespace rules {
void constant_memory(const ProfileReport& counted, Evidence& evidence);
void shared_tile(const ProfileReport& counted, Evidence& evidence);
void register_tile(const ProfileReport& counted, Evidence& evidence);
void fused_copy(const ProfileReport& counted, Evidence& evidence);
void vector_loads(const ProfileReport& counted, Evidence& evidence);
void needless_arithmetic(const ProfileReport& counted, Evidence& evidence);
void idle_lanes(const ProfileReport& counted, Evidence& evidence);
void uncoalesced(const ProfileReport& counted, Evidence& evidence);
void bank_conflicts(const ProfileReport& counted, Evidence& evidence);
void constant_order(const ProfileReport& counted, Evidence& evidence);
void crowded_atomics(const ProfileReport& counted, Evidence& evidence);
void double_arithmetic(const ProfileReport& counted, Evidence& evidence);
}  // namespace rules

}  // namespace opgrade
