#include "grader/grading/score/rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "grader/base/core/case_time.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/grading/score/score_stage.hpp"

namespace opgrade {
namespace {

struct Points {
  double points;
  std::string reason;
};

Points by_deviations(double time_ms, const ClassTimes& times, const RankingConfig& rule) {
  const double z = times.deviation_ms > 0 ? (times.median_ms - time_ms) / times.deviation_ms : 0.0;
  const double share = std::clamp(z / (2 * rule.deviations) + 0.5, 0.0, 1.0);
  return {rule.points * share,
          fmt::format("{:.4g} ms, {:.3g} standard deviations {} the class median of {:.4g} ms",
                      time_ms, std::abs(z), z < 0 ? "above" : "below", times.median_ms)};
}

Points by_rank(int rank, double time_ms, const RankingConfig& rule) {
  const auto step = std::find_if(rule.steps.begin(), rule.steps.end(),
                                 [&](const auto& s) { return rank <= s.up_to; });
  return {step != rule.steps.end() ? step->points : 0,
          fmt::format("{:.4g} ms, rank {}", time_ms, rank)};
}

Points by_best(double time_ms, double best_ms, const RankingConfig& rule) {
  // A time as long as that of an empty call counts as 0.
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double times = best_ms > 0 ? time_ms / best_ms : time_ms > 0 ? kNone : 1;
  const auto step = std::ranges::find_if(
      rule.steps, [&](const RankingConfig::Step& s) { return times <= s.within; });
  return {rule.points * op_time_share(times, rule.full, rule.zero, OpTimeRule::Between::speed) +
              (step != rule.steps.end() ? step->points : 0),
          fmt::format("{:.4g} ms, {:.4g} times the class's fastest ({:.4g} ms)", time_ms, times,
                      best_ms)};
}

/// Orders the rows with a time by time, the fastest first; equal ones and the others by name.
bool before(const Contender& a, const Contender& b) {
  const bool a_timed = a.entry == Entry::timed;
  const bool b_timed = b.entry == Entry::timed;
  if (a_timed != b_timed) return a_timed;
  if (a_timed && a.time_ms != b.time_ms) return a.time_ms < b.time_ms;
  return a.name < b.name;
}

bool is_wrong(const CaseReport& c) {
  return !c.advice && c.outcome != Outcome::passed && c.outcome != Outcome::not_credible &&
         !is_undecided(c.outcome);
}

}  // namespace

ClassTimes class_times(std::span<const Contender> contenders) {
  std::vector<double> times;
  for (const auto& c : contenders) {
    if (c.entry == Entry::timed) times.push_back(c.time_ms);
  }
  ClassTimes result;
  result.count = static_cast<int>(times.size());
  if (times.empty()) return result;
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  result.median_ms =
      times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  const double n = static_cast<double>(times.size());
  double mean = 0;
  for (const double t : times) mean += t / n;
  double variance = 0;
  for (const double t : times) variance += (t - mean) * (t - mean) / n;
  result.deviation_ms = std::sqrt(variance);
  return result;
}

std::vector<Ranked> rank_class(std::vector<Contender> contenders, const RankingConfig& rule) {
  std::map<std::string, std::vector<double>> copies;
  for (const Contender& who : contenders)
    if (who.entry == Entry::timed && !who.files.empty()) copies[who.files].push_back(who.time_ms);
  for (Contender& who : contenders) {
    if (who.entry != Entry::timed) continue;
    if (!who.files.empty()) who.time_ms = summarize(copies[who.files]).median_ms;
    who.time_ms = graded_time(who.time_ms, rule.step);
  }
  std::sort(contenders.begin(), contenders.end(), before);
  const ClassTimes times = class_times(contenders);
  const double best_ms = contenders.empty() ? 0 : contenders.front().time_ms;
  std::vector<Ranked> table;
  for (const auto& who : contenders) {
    Ranked& row = table.emplace_back(Ranked{.who = who});
    if (who.entry == Entry::timed) {
      const bool tie = table.size() > 1 && table[table.size() - 2].who.time_ms == who.time_ms;
      row.rank = tie ? table[table.size() - 2].rank : static_cast<int>(table.size());
      Points given =
          rule.rule == RankingConfig::Rule::deviations ? by_deviations(who.time_ms, times, rule)
          : rule.rule == RankingConfig::Rule::ranks    ? by_rank(*row.rank, who.time_ms, rule)
                                                       : by_best(who.time_ms, best_ms, rule);
      if (rule.bonus_points > 0 && who.time_ms < rule.bonus_below_ms) {
        given.points += rule.bonus_points;
        given.reason += fmt::format(", below {:.4g} ms", rule.bonus_below_ms);
      }
      row.points = given.points;
      row.reason = text_reason(std::move(given.reason));
    } else if (who.entry == Entry::open) {
      row.open = true;
      row.reason =
          who.reason.empty() ? text_reason("no credible Op Time: staff decide") : who.reason;
    } else {
      row.reason = text_reason(who.entry == Entry::absent ? "handed nothing in"
                               : who.entry == Entry::too_slow
                                   ? "its first warm-up took too long, so not ranked"
                                   : "not right, so not ranked");
    }
  }
  return table;
}

bool is_provisional(std::span<const Ranked> table) {
  return std::ranges::any_of(table,
                             [](const Ranked& row) { return row.rank && row.who.provisional; });
}

Contender contender_of(const Grade& grade, const RankingConfig& rule) {
  Contender who{.name = grade.submission};
  who.files = grade.submission_sha256;
  const auto as = [&](Entry entry, std::string reason = {}) {
    who.entry = entry;
    who.reason = text_reason(std::move(reason));
    return who;
  };
  const auto stage = std::ranges::find(grade.stages, rule.stage, &StageReport::name);
  if (stage == grade.stages.end()) {
    return as(Entry::open, fmt::format("its results have no stage '{}', which is ranked: graded "
                                       "without it (--only), or by another config",
                                       rule.stage));
  }
  // A submission is right if all that counts in the stage is, hidden and random cases included.
  if (std::ranges::any_of(stage->cases, is_wrong)) return as(Entry::incorrect);
  const auto ranked =
      std::ranges::find_if(stage->cases, [&](const CaseReport& c) { return applies_to(rule, c); });
  if (ranked == stage->cases.end()) {
    return as(Entry::open, fmt::format("its results have no case {}/{}/{}, which is ranked: graded "
                                       "without it (--only), or by another config",
                                       rule.stage, rule.model, rule.batch));
  }
  if (ranked->broken_rule) {
    as(ranked->broken_rule->open ? Entry::open : Entry::incorrect);
    if (!ranked->broken_rule->open) return who;
    who.reason = ranked->broken_rule->reason;
    who.reason.about = ranked->id;
    return who;
  }
  if (ranked->outcome == Outcome::not_credible)
    return as(Entry::open, "no credible Op Time: staff decide");
  if (ranked->outcome != Outcome::passed) {  // it could not be decided here
    as(Entry::open);
    who.reason = ranked->reason;
    who.reason.about = ranked->id;
    return who;
  }
  if (std::ranges::any_of(ranked->calls, &CallReport::too_slow)) return as(Entry::too_slow);
  if (stage->device == Device::emulated)
    return as(Entry::open, "the emulated device has no Op Time: grade it on a GPU");
  if (ranked->untimed) {
    as(Entry::open);
    who.reason = *ranked->untimed;
    who.reason.about = ranked->id;
    return who;
  }
  const auto time = case_time(*ranked, rule.take);
  if (!(time && std::isfinite(*time) && *time > 0))
    return as(Entry::open, fmt::format("{}: no Op Time was measured", ranked->id));
  who.time_ms = *time;
  return as(Entry::timed);
}

}  // namespace opgrade
