#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "grader/cli/commands.hpp"
#include "grader/cli/course_program.hpp"
#include "grader/client/http_client.hpp"
#include "grader/core/counted.hpp"
#include "grader/core/error.hpp"
#include "grader/core/system_random.hpp"
#include "grader/course/csv_reader.hpp"
#include "grader/course/pack.hpp"
#include "grader/course/result_files.hpp"
#include "grader/course/text_file.hpp"
#include "grader/process/interrupt.hpp"

namespace opgrade::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchArguments {
  std::string server, tokens, assignment, folder;
  int hand_ins = 100, seconds = 60, streams = 0;
};

/// Sources of a submission.
std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto ending = entry.path().extension();
    if (ending == ".cc" || ending == ".cu" || ending == ".h" || ending == ".cuh")
      files[entry.path().filename().string()] = course::text_of_file(entry.path());
  }
  if (files.empty()) throw UsageError(folder + " has no source file", "name a submission");
  return files;
}

std::vector<std::string> tokens_in(const std::string& file) {
  const auto text = course::read_text_file(file);
  if (!text) throw UsageError(text.error(), "name the output of opgrade course tokens");
  const auto rows = course::read_csv(*text);
  std::vector<std::string> tokens;
  if (rows)
    for (const auto& row : *rows)
      if (row.cells.size() == 4 && row.cells[2] == "student") tokens.push_back(row.cells[3]);
  if (tokens.empty())
    throw UsageError(file + " has no token of a student",
                     "name the output of opgrade course tokens");
  return tokens;
}

/// Answers that the clients got.
struct Seen {
  std::mutex guard;
  std::vector<double> ms;
  std::map<int, int> statuses;
  std::set<std::int64_t> ids;
  std::map<std::string, std::int64_t> newest;  ///< by token
  int lost = 0;
};

void hand_in(const BenchArguments& own, const client::Url& url,
             const std::vector<std::string>& tokens, Seen& seen) {
  const auto files = files_of(own.folder);
  std::atomic<int> next = 0;
  const auto begin = Clock::now();
  const auto one_client = [&](const std::string& token) {
    const client::HttpClient http(url, token);
    SystemRandom random;
    for (int i; (i = next++) < own.hand_ins;) {
      std::this_thread::sleep_until(begin +
                                    std::chrono::duration<double>(own.seconds) * i / own.hand_ins);
      auto unique = files;
      unique["bench.h"] = fmt::format("// {}\n", random());
      const std::string bytes = course::pack(unique);
      const auto sent = Clock::now();
      try {
        const auto answer =
            http.request("POST", "/api/submissions?assignment=" + own.assignment,
                         {{"Idempotency-Key", fmt::format("{:016x}", random())}}, bytes);
        const auto json = nlohmann::json::parse(answer.body, nullptr, false);
        const std::scoped_lock lock(seen.guard);
        seen.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - sent).count());
        ++seen.statuses[answer.status];
        if (!json.is_object() || !json.contains("id")) continue;
        seen.newest[token] = json["id"].get<std::int64_t>();
        seen.ids.insert(seen.newest[token]);
      } catch (const interrupt::Interrupted&) {
        return;
      } catch (const Error&) {
        const std::scoped_lock lock(seen.guard);
        ++seen.lost;
      }
    }
  };
  std::vector<std::jthread> clients;
  for (const auto& token : tokens) clients.emplace_back(one_client, token);
}

/// Number of answered submissions that the service does not show to their owners.
std::size_t count_missing(const client::Url& url, const std::vector<std::string>& tokens,
                          std::set<std::int64_t> ids) {
  for (const auto& token : tokens) {
    const auto answer = client::HttpClient(url, token).request("GET", "/api/history");
    for (const auto& one : nlohmann::json::parse(answer.body)) ids.erase(one.at("id"));
  }
  return ids.size();
}

/// Keeps event streams open until Ctrl-C or SIGTERM, so that the server's memory can be read.
void hold_streams(const BenchArguments& own, const client::Url& url, const Seen& seen) {
  std::atomic<int> open = 0, failed = 0;
  const auto one_stream = [&](const std::string& token, std::int64_t id) {
    bool told = false;
    std::string refusal;
    try {
      client::HttpClient(url, token)
          .stream(
              fmt::format("/api/submissions/{}/events", id), {},
              [&](std::string_view) {
                if (!std::exchange(told, true)) ++open;
                return true;
              },
              refusal);
    } catch (const interrupt::Interrupted&) {
      return;
    } catch (const Error&) {
    }
    if (!told) ++failed;
  };
  std::vector<std::jthread> streams;
  auto next = seen.newest.begin();
  for (int i = 0; i < own.streams && !seen.newest.empty(); ++i) {
    streams.emplace_back(one_stream, next->first, next->second);
    if (++next == seen.newest.end()) next = seen.newest.begin();
  }
  while (open + failed < static_cast<int>(streams.size()) && !interrupt::requested())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  fmt::print("{} event streams are open; Ctrl-C ends\n", open.load());
  std::fflush(stdout);
}

int bench(const BenchArguments& own) {
  const auto tokens = tokens_in(own.tokens);
  const client::Url url = client::parse_url(own.server);
  Seen seen;
  hand_in(own, url, tokens, seen);
  std::ranges::sort(seen.ms);
  const auto quantile = [&](double q) {
    const double last = static_cast<double>(seen.ms.size()) - 1;
    return seen.ms.empty() ? 0 : seen.ms[static_cast<std::size_t>(q * last)];
  };
  fmt::print("{}, {}, {}\n", counted(tokens.size(), "client"), counted(seen.ms.size(), "answer"),
             counted(seen.lost, "lost connection"));
  for (const auto& [status, count] : seen.statuses) fmt::print("status {}: {}\n", status, count);
  fmt::print("time to the answer: median {:.1f} ms, p99 {:.1f} ms, worst {:.1f} ms\n",
             quantile(0.5), quantile(0.99), quantile(1));
  const std::size_t missing = count_missing(url, tokens, seen.ids);
  fmt::print("{} answered, {} missing\n", counted(seen.ids.size(), "submission"), missing);
  std::fflush(stdout);
  if (own.streams > 0) hold_streams(own, url, seen);
  const bool well = seen.lost == 0 && seen.statuses[201] == own.hand_ins && missing == 0 &&
                    std::cmp_equal(seen.ids.size(), own.hand_ins);
  return well ? kPassed : kFault;
}

}  // namespace

void add_bench_service(arguments::Parser& app, int& exit_code) {
  auto* verb = add_course_verb(app, "bench-service");
  auto own = std::make_shared<BenchArguments>();
  verb->add_option("--server,-s", own->server, "Address of the service")->required();
  verb->add_option("--tokens", own->tokens, "Output of opgrade course tokens: a client for each")
      ->required()
      ->check(arguments::existing_file());
  verb->add_option("--assignment,-a", own->assignment, "The assignment")->required();
  verb->add_option("--hand-ins,-n", own->hand_ins, "Submissions, of all clients together")
      ->check(arguments::range(1, 1'000'000))
      ->capture_default_str();
  verb->add_option("--seconds", own->seconds, "Duration over which they are spread")
      ->check(arguments::range(0, 86'400))
      ->capture_default_str();
  verb->add_option("--folder", own->folder, "The submission that each client hands in")
      ->required()
      ->check(arguments::existing_path());
  verb->add_option("--streams", own->streams, "Then keep this many event streams open until Ctrl-C")
      ->check(arguments::range(0, 10'000))
      ->capture_default_str();
  verb->callback([=, &exit_code] { exit_code = bench(*own); });
}

}  // namespace opgrade::cli
