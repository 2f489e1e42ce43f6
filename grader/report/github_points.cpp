#include "grader/report/github_points.hpp"

#include <nlohmann/json.hpp>

#include "grader/report/units.hpp"
#include "grader/report/verdict.hpp"

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

class PointTests {
 public:
  void add(const std::string& name, const std::vector<PointItem>& items, const std::string& message,
           double seconds) {
    const auto [points, most, open] = decided_sum(items);
    if (most <= 0) return;
    max_score_ += most;
    tests_.push_back({{"name", name},
                      {"status", points >= most ? "pass" : "fail"},
                      {"score", points},
                      {"message", message},
                      {"test_code", name},
                      {"filename", ""},
                      {"line_no", 0},
                      {"duration", finite_or_zero(seconds)}});
  }

  double max_score() const { return max_score_; }
  const Json& json() const { return tests_; }

 private:
  Json tests_ = Json::array();
  double max_score_ = 0;
};

}  // namespace

std::string github_points(const Grade& grade, Audience audience) {
  const Grade view = view_for(grade, audience);
  const bool fault = view.outcome == Outcome::grader_fault;
  PointTests tests;
  for (const auto& stage : view.stages) {
    if (fault) break;
    for (const auto& c : stage.cases) {
      const std::string message(c.reason.empty() ? words(c.outcome).text : c.reason);
      if (!c.advice) tests.add(c.id, c.points, message, c.usage.elapsed_s);
    }
    for (const auto& item : stage.points)
      tests.add(stage.name + ": " + item.name, {item}, item.reason, 0);
  }
  const Json result{{"version", 1},
                    {"status", fault         ? "error"
                               : view.passed ? "pass"
                                             : "fail"},
                    {"max_score", tests.max_score()},
                    {"tests", tests.json()}};
  return base64(result.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
    };
    const unsigned three = at(0) << 16 | at(1) << 8 | at(2);
    out += kDigits[three >> 18];
    out += kDigits[three >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[three >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[three & 63] : '=';
  }
  return out;
}

}  // namespace opgrade::report
