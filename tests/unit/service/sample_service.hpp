/// A service over the small course of the course tests, asked without a network.
#pragma once

#include <map>
#include <string>
#include <thread>

#include "grader/course/exchange/pack.hpp"
#include "grader/service/http/routes.hpp"
#include "grader/service/queue/uploads.hpp"
#include "grader/service/state/tables.hpp"
#include "grader/task/config/load.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::service::test {

/// Waits for `what`, long enough for a busy machine: the rest of the limit is ctest's.
inline bool comes(const std::function<bool()>& what) {
  for (int i = 0; i < 180'000; ++i) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// m1 to m4 of make_course(), graded by the config at `config`. The clock stands on the morning of
/// the deadline's day, 2026-10-12 08:00 UTC, until a test moves it.
class SampleService {
 public:
  explicit SampleService(const std::string& config = OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml",
                         FloodLimits flood = {1e9, 1e9, 1e9, 1e9},
                         std::chrono::seconds interval = std::chrono::seconds(0))
      : folder(course::test::make_course(place.path())),
        store(course::Store::create(place.path(), {tables()})),
        config_of([config](const course::Assignment&) { return load_config(config).config; }),
        service(place.path(), store, options(flood, interval)),
        handler(handler_of(service)) {
    for (const char* login : {"ada", "bob", "eve"})
      tokens[login] = service.accounts.make_token(login, Role::student, now);
    tokens["sam"] = service.accounts.make_token("sam", Role::staff, now);
  }

  /// As the server would: first the headers, then the body.
  Response ask(Request request) {
    if (const auto question = request.path.find('?'); question != std::string::npos) {
      request.query = read_form(request.path.substr(question + 1));
      request.path.resize(question);
    }
    request.address = "192.0.2.1";
    std::string body;
    body.swap(request.body);
    auto decided = handler.before_body(request);
    if (auto* const refused = std::get_if<Response>(&decided)) return *refused;
    if (body.size() > std::get<std::size_t>(decided)) return {413, "text/plain", "too large"};
    request.body = body;
    return handler.answer(request);
  }

  Response get(const std::string& login, const std::string& path) {
    return ask({.method = "GET", .path = path, .headers = headers(login)});
  }
  /// In a browser: its session's pages have forms.
  Response browse(const std::string& login, const std::string& path) {
    const auto session = service.accounts.begin_session(tokens.at(login), now).value();
    return ask({.method = "GET",
                .path = path,
                .headers = {{"cookie", cookie_name(service, "session") + "=" + session.cookie}}});
  }
  Response post(const std::string& login, const std::string& path, const std::string& body = "",
                std::map<std::string, std::string> more = {}) {
    more.merge(headers(login));
    return ask({.method = "POST", .path = path, .headers = more, .body = body});
  }
  Response submit(const std::string& login, const std::string& assignment, const std::string& key,
                  const std::string& text = "int x;") {
    return post(login, "/api/submissions?assignment=" + assignment, archive(text),
                {{"idempotency-key", key}});
  }

  static std::string archive(const std::string& text) {
    return course::pack({{"cpu-new-forward.cc", text}});
  }

  /// A result for a submission that waits, as a worker would leave it.
  void grade(std::int64_t id, Grade grade) {
    const auto claimed = service.queue.claim(
        "worker 1", now, [&](const std::vector<HandIn>&) { return std::optional(id); });
    course::test::publish(store, place.path(), claimed->submission, grade, 1);
    service.queue.finish(id, claimed->run, {}, now + std::chrono::seconds(10));
  }

  std::map<std::string, std::string> headers(const std::string& login) const {
    if (login.empty()) return {};
    return {{"authorization", "Bearer " + tokens.at(login)}};
  }

  const TempDir place{"opgrade-test-"};
  course::Moment now = course::test::utc("2026-10-12T08:00:00Z");
  const course::CourseFolder folder;
  course::Store store;
  std::function<Config(const course::Assignment&)> config_of;  ///< a test may replace it
  std::function<std::string(const Config&)> why_unchecked = unchecked_task;  ///< this, too
  std::function<course::Slurm()> slurm = course::slurm_commands;             ///< and this
  std::string version = program_version();                                   ///< and this
  bool has_gpu = true;
  std::uintmax_t free_bytes = std::uintmax_t{1} << 40;
  MachineState machine{.host = "grader-1", .sandbox_tier = "full", .cpus = 4};
  Service service;
  Handler handler;
  std::map<std::string, std::string> tokens;

 private:
  ServiceOptions options(FloodLimits flood, std::chrono::seconds interval) {
    ServiceOptions chosen;
    chosen.interval = interval;
    chosen.notices = true;
    chosen.flood = flood;
    chosen.machine = [this] { return machine; };
    chosen.config_of = [this](const course::Assignment& a) { return config_of(a); };
    chosen.needs_gpu = [this](const Config& c) {
      return has_gpu && c.stages.front().device == Device::cuda;
    };
    chosen.why_unchecked = [this](const Config& c) { return why_unchecked(c); };
    chosen.rejudge = [](const course::Rejudge&, RejudgeWork) {
      return Command{.program = "/bin/true"};
    };
    chosen.version = [this] { return version; };
    chosen.now = [this] { return now; };
    chosen.free_bytes = [this](const std::filesystem::path&) { return free_bytes; };
    chosen.slurm = [this] { return slurm(); };
    return chosen;
  }
};

}  // namespace opgrade::service::test
