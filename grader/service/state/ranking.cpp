#include "grader/service/state/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/base/core/printable.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/store/sql.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade::service {
namespace {

namespace sql = course::sql;

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

RankingNames::RankingNames(const Service& service)
    : secret_(service.queue.setting("alias secret")), chosen_(chosen_names(service)) {
  if (secret_.empty()) {
    // Two requests may be the first at the same time, so the secret is read back.
    sql::execute(service.store, "INSERT OR IGNORE INTO setting VALUES ('alias secret', ?)",
                 new_secret());
    secret_ = service.queue.setting("alias secret");
  }
}

std::string RankingNames::operator()(const std::string& owner) const {
  if (const auto chosen = chosen_.find(owner); chosen != chosen_.end())
    return fmt::format("\"{}\"", chosen->second);
  const std::string sum = hash_of_secret(secret_ + owner);
  const auto number = [&](std::size_t at, std::size_t digits) {
    return std::stoul(sum.substr(at, digits), nullptr, 16);
  };
  return fmt::format("{}-{}-{:03}", kColours[number(0, 6) % kColours.size()],
                     kBirds[number(6, 6) % kBirds.size()], number(12, 6) % 1000);
}

bool is_ranked(const Config& config) {
  return config.ranking && !is_hidden(config, *config.ranking);
}

std::map<std::string, std::string> chosen_names(const Service& service) {
  const auto all = sql::rows<std::pair<std::string, std::string>>(
      service.store, "SELECT owner, name FROM ranking_name");
  return {all.begin(), all.end()};
}

void choose_name(Service& service, const std::string& owner, const std::string& name) {
  const std::string kept = printable_line(name, 40);
  sql::execute(service.store,
               kept.empty() ? "DELETE FROM ranking_name WHERE owner = ?1 AND ?2 = ''"
                            : "INSERT INTO ranking_name VALUES (?1, ?2) "
                              "ON CONFLICT (owner) DO UPDATE SET name = ?2",
               owner, kept);
}

RankingCache::Class RankingCache::ranked(const Service& service,
                                         const course::Assignment& assignment,
                                         const std::shared_ptr<const Config>& config) {
  const std::scoped_lock lock(guard_);
  Made& made = made_[assignment.name];
  auto folder = service.files.folder();
  // Read before the rows that it describes.
  const std::string version = service.store.grades_version();
  if (made.ranked != nullptr && made.version == version && made.folder == folder &&
      made.config == config)
    return made.ranked;
  made.version = version;
  made.folder = folder;
  made.config = config;
  made.ranked = nullptr;
  const course::Gradebook book(*folder, service.store,
                               {{assignment.name, service.files.facts_of(assignment)}},
                               {.contenders = service.contenders});
  made.ranked = std::make_shared<const std::vector<Ranked>>(book.ranking(assignment));
  return made.ranked;
}

Ranking ranking_of(const Service& service, const course::Assignment& assignment,
                   const std::string& own, bool for_staff) {
  Ranking ranking;
  if (!assignment.released && !for_staff) {
    ranking.why_none = "the grades are not released yet";
    return ranking;
  }
  const auto config = service.files.config_of(assignment);
  if (!is_ranked(*config)) {
    ranking.why_none = "this assignment has no ranking";
    return ranking;
  }
  const auto ranked = service.rankings->ranked(service, assignment, config);
  ranking.provisional = is_provisional(*ranked);
  const RankingNames name_of(service);
  for (const Ranked& r : *ranked) {
    const bool is_own = r.who.name == own;
    if (is_own && r.rank)
      ranking.own_text = distance_text(*ranked, r);
    else if (is_own)
      ranking.own_text = "not ranked: " + report::sentence_of(r.reason);
    if (!r.rank) continue;
    ranking.rows.push_back({r.rank, name_of(r.who.name), r.who.name, r.who.time_ms, is_own});
  }
  return ranking;
}

}  // namespace opgrade::service
