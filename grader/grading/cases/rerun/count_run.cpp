#include "grader/grading/cases/rerun/count_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/phases.hpp"
#include "grader/grading/cases/layer/case_session.hpp"
#include "grader/grading/cases/rerun/profile_run.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"
#include "grader/grading/profile/advice.hpp"
#include "grader/grading/profile/costs.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

constexpr int kCountedImages = 3;
constexpr std::chrono::seconds kCountBudget{20};
/// A spoiled index or bound may make a loop endless.
constexpr std::chrono::seconds kSpoiledBudget{5};
/// Only the sites that load most are tried. Kernels of a lab have less than ten.
constexpr std::size_t kMostTriedLoads = 32;

/// An instruction that loads, from one kind of memory.
using LoadSite = std::pair<std::int64_t, std::string>;

LoadSite site_of(const ProfileAccessRow& access) { return {access.site, access.space}; }

template <class Use>
void each_load(ProfileReport& counted, Use&& use) {
  for (ProfileCountRow& row : counted.counts)
    for (ProfileAccessRow& access : row.accesses)
      if (row.step == "conv" && access.use == "load") use(access);
}

/// The sites by the bytes that they load, the most first.
std::vector<LoadSite> sites_to_try(ProfileReport& counted) {
  std::map<LoadSite, std::int64_t> bytes;
  each_load(counted, [&](const ProfileAccessRow& load) { bytes[site_of(load)] += load.bytes; });
  std::vector<LoadSite> sites;
  for (const auto& [site, loaded] : bytes) sites.push_back(site);
  std::ranges::stable_sort(sites, std::greater(),
                           [&](const LoadSite& site) { return bytes[site]; });
  sites.resize(std::min(sites.size(), kMostTriedLoads));
  return sites;
}

class CountRun {
 public:
  /// `context` must outlive it.
  CountRun(const CaseContext& context, const CaseCalls& calls)
      : counting_(context.wants.counting), problems_(calls.with_parts(kCountedImages)) {}

  ProfileReport run() {
    const auto session = start("", kCountBudget);
    outputs_ = {};
    ProfileReport counted =
        profile_problems(*session, problems_, Device::emulated, nullptr, checked_calls());
    if (counted.problem.empty()) counted.counted_layers = counted.layers;
    if (outputs_.outcome != Outcome::passed) counted.miscounted = outputs_.reason;
    return counted;
  }

  void find_useless_loads(ProfileReport& counted) {
    for (const LoadSite& site : sites_to_try(counted)) {
      interrupt::check();
      if (!is_right_when_spoiled(site)) continue;
      each_load(counted, [&](ProfileAccessRow& load) { load.useless |= site_of(load) == site; });
    }
  }

 private:
  std::unique_ptr<Session> start(std::string variation, std::chrono::seconds wall) const {
    return start_session(
        {.stage = *counting_.stage,
         .built = {.submission = counting_.submission, .variation = std::move(variation)},
         .on = {},
         .wants = {.wall = wall}});
  }

  ProfiledCalls checked_calls() {
    return {.seed = counting_.seed,
            .use_output = [this](const NamedProblem& one, const Values& values) {
              CallReport& call = outputs_.calls.emplace_back();
              call.layer = one.name;
              call.shape = one.problem->sizes();
              call.check = one.problem->check(values, counting_.stage->tolerance, {},
                                              counting_.stage->threads);
              judge(outputs_);
            }};
  }

  /// If a run ends in the middle, it needs what the site loads: an index, the end of a loop.
  bool is_right_when_spoiled(const LoadSite& site) {
    const auto session = start(
        fmt::format("OPGRADE_EMULATION_SPOIL={}:{}", site.first, site.second), kSpoiledBudget);
    outputs_ = {};
    const bool to_its_end = call_problems(*session, problems_, Device::emulated, checked_calls());
    return to_its_end && outputs_.outcome == Outcome::passed;
  }

  const Counting& counting_;
  const std::vector<NamedProblem> problems_;
  JudgedCase outputs_;  ///< of the calls so far
};

}  // namespace

ProfileReport count_accesses(const CaseContext& context, const CaseCalls& calls) {
  ProfileReport counted;
  try {
    CountRun run(context, calls);
    counted = run.run();
    counted.roofline = context.stage.config.roofline;
    add_limits(counted);
    counted.advice = advise(counted);
    if (context.wants.counting.decides && !counted.miscounted) run.find_useless_loads(counted);
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    counted.problem = e.what();
  }
  phase_over("counts");
  return counted;
}

}  // namespace opgrade
