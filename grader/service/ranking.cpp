#include "grader/service/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/core/printable.hpp"
#include "grader/course/result_files.hpp"
#include "grader/course/standing.hpp"
#include "grader/score/rank.hpp"
#include "grader/score/score_stage.hpp"
#include "grader/service/secret.hpp"
#include "grader/service/sql.hpp"
#include "grader/service/status.hpp"

namespace opgrade::service {
namespace {

constexpr std::array kColours{"amber", "azure", "coral", "green", "indigo", "ivory", "jade",
                              "lilac", "ochre", "pearl", "ruby",  "silver", "teal",  "umber"};
constexpr std::array kBirds{"heron", "finch", "crane", "robin", "swift",  "raven", "stork",
                            "eagle", "gull",  "wren",  "owl",   "falcon", "tern",  "lark"};

bool is_hidden(const Config& config, const RankingConfig& ranking) {
  for (const StageConfig& stage : config.stages) {
    if (stage.name != ranking.stage) continue;
    for (const CaseConfig& c : stage.cases)
      if (c.model == ranking.model && c.batch == ranking.batch) return c.hidden;
  }
  return true;
}

/// The grade that counts: of the last submission within the rules, or the best rank's for `best`.
std::optional<Grade> counted_grade(const Service& service, const course::Assignment& assignment,
                                   const course::Owner& owner,
                                   const std::vector<const course::Submission*>& submissions,
                                   const RankingConfig& rule) {
  const auto folder = service.folder();
  std::optional<Grade> best;
  for (const auto& standing : course::standings(folder->course, assignment, owner, submissions)) {
    if (!standing.graded) continue;
    auto grade = newest_grade(service, standing.submission.id);
    if (!grade) continue;
    const auto time = [&](const Grade& g) {
      const Contender c = contender_of(g, rule);
      return c.entry == Entry::timed ? c.time_ms : 1e300;
    };
    if (!best || time(*grade) <= time(*best)) best = std::move(grade);
  }
  return best;
}

std::string distance_text(const std::vector<Ranked>& ranked, const Ranked& own) {
  const int n = static_cast<int>(
      std::ranges::count_if(ranked, [](const Ranked& r) { return r.rank.has_value(); }));
  const auto behind =
      std::ranges::count_if(ranked, [&](const Ranked& r) { return r.rank && *r.rank > *own.rank; });
  std::string text =
      fmt::format("rank {} of {} at {:.4g} ms, faster than {:.0f} % of the class", *own.rank, n,
                  own.who.time_ms, n > 1 ? 100.0 * static_cast<double>(behind) / (n - 1) : 100.0);
  double next = 0;
  for (const Ranked& r : ranked)
    if (r.rank && *r.rank < *own.rank) next = std::max(next, r.who.time_ms);
  if (next > 0)
    text += fmt::format("; {:.3g} ms ({:.1f} %) behind the next", own.who.time_ms - next,
                        100 * (own.who.time_ms - next) / next);
  return text;
}

}  // namespace

std::string alias_of(const Service& service, const std::string& owner) {
  std::string secret = service.queue.setting("alias secret");
  if (secret.empty()) {
    // Two requests may come first at once: the secret that is read back holds.
    service.store.work([](SQLite::Database& database) {
      sql::execute(database, "INSERT OR IGNORE INTO setting VALUES ('alias secret', ?)",
                   new_secret());
    });
    secret = service.queue.setting("alias secret");
  }
  const std::string sum = hash_of_secret(secret + owner);
  const auto number = [&](std::size_t at, std::size_t digits) {
    return std::stoul(sum.substr(at, digits), nullptr, 16);
  };
  return fmt::format("{}-{}-{:03}", kColours[number(0, 6) % kColours.size()],
                     kBirds[number(6, 6) % kBirds.size()], number(12, 6) % 1000);
}

std::string chosen_name(const Service& service, const std::string& owner) {
  std::string name;
  service.store.work([&](SQLite::Database& database) {
    auto query = sql::prepare(database, "SELECT name FROM ranking_name WHERE owner = ?", owner);
    if (query.executeStep()) name = query.getColumn(0).getString();
  });
  return name;
}

void choose_name(Service& service, const std::string& owner, const std::string& name) {
  const std::string kept = printable_line(name, 40);
  service.store.work([&](SQLite::Database& database) {
    if (kept.empty())
      sql::execute(database, "DELETE FROM ranking_name WHERE owner = ?", owner);
    else
      sql::execute(database,
                   "INSERT INTO ranking_name VALUES (?1, ?2) "
                   "ON CONFLICT (owner) DO UPDATE SET name = ?2",
                   owner, kept);
  });
}

Ranking ranking_of(const Service& service, const course::Assignment& assignment,
                   const std::string& own) {
  Ranking ranking;
  const auto config = service.config_of(assignment);
  if (!config->ranking || is_hidden(*config, *config->ranking)) {
    ranking.why_none = "this assignment has no ranking";
    return ranking;
  }
  const auto folder = service.folder();
  const auto submissions = service.store.submissions(assignment.name);
  std::vector<Contender> contenders;
  for (const course::Owner& owner : folder->roster.owners(assignment)) {
    std::vector<const course::Submission*> theirs;
    for (const auto& s : submissions)
      if (s.owner == owner.key) theirs.push_back(&s);
    const auto grade = counted_grade(service, assignment, owner, theirs, *config->ranking);
    Contender who = grade ? contender_of(*grade, *config->ranking) : Contender{};
    who.name = owner.key;
    contenders.push_back(std::move(who));
  }
  const auto ranked = rank_class(std::move(contenders), *config->ranking);
  for (const Ranked& r : ranked) {
    const bool is_own = r.who.name == own;
    if (is_own && r.rank)
      ranking.own_text = distance_text(ranked, r);
    else if (is_own)
      ranking.own_text = "not ranked: " + r.reason;
    if (!r.rank) continue;
    const std::string chosen = chosen_name(service, r.who.name);
    // A chosen name cannot pass for another's alias.
    ranking.rows.push_back(
        {r.rank, chosen.empty() ? alias_of(service, r.who.name) : fmt::format("\"{}\"", chosen),
         r.who.time_ms, is_own});
  }
  return ranking;
}

}  // namespace opgrade::service
