#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <thread>

#include "grader/cli/commands.hpp"
#include "grader/cli/course_program.hpp"
#include "grader/client/http_client.hpp"
#include "grader/core/error.hpp"
#include "grader/core/system_random.hpp"
#include "grader/course/csv_reader.hpp"
#include "grader/course/pack.hpp"
#include "grader/course/text_file.hpp"

namespace opgrade::cli {
namespace {

struct BenchArguments {
  std::string server, tokens, assignment;
  int hand_ins = 100, seconds = 60;
};

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

int bench(const BenchArguments& own) {
  using Clock = std::chrono::steady_clock;
  const auto tokens = tokens_in(own.tokens);
  const client::Url url = client::parse_url(own.server);
  std::mutex guard;
  std::vector<double> ms;
  std::map<int, int> statuses;
  std::atomic<int> next = 0;
  int lost = 0;
  const auto begin = Clock::now();
  const auto one_client = [&](const std::string& token) {
    const client::HttpClient http(url, token);
    SystemRandom random;
    for (int i; (i = next++) < own.hand_ins;) {
      std::this_thread::sleep_until(begin +
                                    std::chrono::duration<double>(own.seconds) * i / own.hand_ins);
      const std::string bytes = course::pack({{"a.cc", fmt::format("// {}\n", random())}});
      const auto sent = Clock::now();
      try {
        const auto answer =
            http.request("POST", "/api/submissions?assignment=" + own.assignment,
                         {{"Idempotency-Key", fmt::format("{:016x}", random())}}, bytes);
        const std::scoped_lock lock(guard);
        ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - sent).count());
        ++statuses[answer.status];
      } catch (const client::ConnectionLost&) {
        const std::scoped_lock lock(guard);
        ++lost;
      }
    }
  };
  {
    std::vector<std::jthread> clients;
    for (const auto& token : tokens) clients.emplace_back(one_client, token);
  }
  std::ranges::sort(ms);
  const auto quantile = [&](double q) {
    return ms.empty() ? 0 : ms[static_cast<std::size_t>(q * static_cast<double>(ms.size() - 1))];
  };
  fmt::print("{} clients, {} answers, {} lost connections\n", tokens.size(), ms.size(), lost);
  for (const auto& [status, count] : statuses) fmt::print("status {}: {}\n", status, count);
  fmt::print("time to the answer: median {:.1f} ms, p99 {:.1f} ms, worst {:.1f} ms\n",
             quantile(0.5), quantile(0.99), quantile(1));
  return lost == 0 && statuses[201] == own.hand_ins ? kPassed : kFault;
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
  verb->add_option("--hand-ins,-n", own->hand_ins, "How many, over all clients")
      ->check(arguments::range(1, 1'000'000))
      ->capture_default_str();
  verb->add_option("--seconds", own->seconds, "Spread over this time")
      ->check(arguments::range(0, 86'400))
      ->capture_default_str();
  verb->callback([=, &exit_code] { exit_code = bench(*own); });
}

}  // namespace opgrade::cli
