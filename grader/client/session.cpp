#include "grader/client/session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "grader/base/core/json_reader.hpp"
#include "grader/base/core/json_writer.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/client/not_reached.hpp"
#include "grader/course/documents/document.hpp"
#include "grader/course/documents/named_pictures.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade::client {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace std::chrono_literals;

std::string error_in(const std::string& body) {
  const json read = json::parse(body, nullptr, false);
  if (read.is_object() && read.contains("error") && read["error"].is_string())
    return printable_line(read["error"].get<std::string>(), 400);
  if (body.empty() || body.starts_with('<')) return "no reason is given";  // a proxy's page
  return printable_line(body, 200);
}

std::string hint_of(int status) {
  return status == 401 ? "opgrade login asks for the new token" : "";
}

/// Seconds of Retry-After; 0 if the header is missing.
std::chrono::seconds wait_in(const Answer& answer) {
  const auto found = answer.headers.find("retry-after");
  if (found == answer.headers.end()) return {};
  return std::chrono::seconds(whole_number<int>(found->second).value_or(0));
}

/// Patience for an address at which no service has answered yet.
constexpr std::chrono::seconds kFirstContact{5};
/// Patience for a service that has answered: long enough for a restart or an upgrade.
constexpr std::chrono::minutes kOutage{10};

/// Waits between two tries, longer each time, until Ctrl-C.
class Patience {
 public:
  explicit Patience(Session::Say say) : say_(std::move(say)) {}
  /// `allowed` is counted from the last answer, or from the first try.
  void wait(const ConnectionLost& lost, std::chrono::seconds allowed) {
    const auto end = begin_ + allowed;
    if (Clock::now() > end) throw lost;
    if (pause_ == kFirst) {
      const auto until = std::chrono::system_clock::now() +
                         std::chrono::ceil<std::chrono::seconds>(end - Clock::now());
      say_(allowed < std::chrono::minutes(1)
               ? fmt::format("{}; retrying for {} s, Ctrl-C stops", lost.what(), allowed.count())
               : fmt::format("{}; retrying until {:%H:%M}, Ctrl-C stops", lost.what(),
                             fmt::localtime(std::chrono::system_clock::to_time_t(until))));
    }
    for (auto slept = 0ms; slept < pause_; slept += 50ms) {
      interrupt::check();
      std::this_thread::sleep_for(50ms);
    }
    pause_ = std::min<std::chrono::milliseconds>(pause_ * 2, 10s);
  }
  void restart() {
    pause_ = kFirst;
    begin_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kFirst{200};
  Session::Say say_;
  std::chrono::milliseconds pause_ = kFirst;
  Clock::time_point begin_ = Clock::now();
};

/// After this time the same files are a new submission.
constexpr auto kLife = std::chrono::hours(24);

bool is_key(const std::string& text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Profile::Profile(fs::path file) : file_(std::move(file)) {}

fs::path Profile::default_file() {
  if (const char* const config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != 0)
    return fs::path(config) / "opgrade/servers.json";
  const char* const home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/") / ".config/opgrade/servers.json";
}

Servers Profile::read() const {
  std::error_code ignored;
  if (!fs::exists(file_, ignored)) return {};
  return record_from_json<Servers>(text_of_file(file_), file_.string(),
                                   "remove it, then opgrade login --server URL");
}

std::string Profile::server_or_default(const std::string& named) const {
  if (!named.empty()) return named;
  const Servers known = read();
  if (!known.last.empty()) return known.last;
  throw UsageError("no service is named", "opgrade login --server URL, or add --server URL");
}

std::string Profile::token(const std::string& server) const {
  if (const char* const given = std::getenv("OPGRADE_TOKEN"); given != nullptr && *given != 0)
    return given;
  const Servers known = read();
  if (const auto found = known.tokens.find(server); found != known.tokens.end())
    return found->second;
  throw UsageError(fmt::format("there is no token for {}", server),
                   fmt::format("opgrade login --server {}", server));
}

void Profile::keep(const std::string& server, const std::string& token) const {
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  Servers kept = read();
  kept.last = server;
  kept.tokens[server] = token;
  write_file(file_, json_of(kept).dump(2) + "\n", 0600);
}

fs::path PendingUpload::default_folder() {
  return Profile::default_file().parent_path() / "uploads";
}

PendingUpload::PendingUpload(const std::vector<std::string>& of, const fs::path& folder) {
  std::string all;
  for (const auto& one : of) all += fmt::format("{} {} ", one.size(), one);
  file_ = folder / course::sha256_of_text(all);
  SystemRandom random;
  key_ = fmt::format("{:016x}{:016x}", random(), random());
  try {
    std::error_code error;
    fs::create_directories(folder, error);
    const auto written = fs::last_write_time(file_, error);
    if (!error && fs::file_time_type::clock::now() - written > kLife) fs::remove(file_, error);
    course::write_new_file(file_, key_);
    const std::string kept = text_of_file(file_);
    repeated_ = is_key(kept) && kept != key_;
    if (repeated_) key_ = kept;
  } catch (const Error&) {
    // Without the folder the upload still has a key, but only for this process.
  }
}

void PendingUpload::answered() const {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

course::PackedFolder pack_files(const fs::path& path, const std::vector<std::string>& patterns,
                                const std::string& document) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {text_of_file(path), {path.filename().string()}};
  const auto is_named = [&](const std::string& file_name) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return ::fnmatch(pattern.c_str(), file_name.c_str(), 0) == 0;
    });
  };
  auto packed = course::pack_folder(path, is_named, document);
  if (!packed)
    throw UsageError(fmt::format("{}: {}", path.string(), packed.error()),
                     "name the folder of the submission alone");
  return *std::move(packed);
}

PackedDocument pack_document(const fs::path& path, const std::string& name) {
  std::error_code error;
  const fs::path file = fs::is_directory(path, error) ? path / name : path;
  if (!fs::is_regular_file(file, error))
    throw UsageError(fmt::format("{} has no {}", path.string(), name),
                     "name the report's file, or the folder that has it");
  const auto kind = documents::kind_of_name(file.filename().string());
  if (kind != documents::kind_of_name(name))
    throw UsageError(
        fmt::format("{} is not of the kind of {}, which the assignment wants", file.string(), name),
        "export the report again");
  PackedDocument packed{text_of_file(file), {file.filename().string()}, {}};
  if (kind != documents::DocumentKind::markdown) return packed;
  std::map<std::string, std::string> all{{name, packed.bytes}};
  for (const std::string& picture : documents::paths_in(packed.bytes)) {
    const fs::path own = file.parent_path() / picture;
    if (!fs::is_regular_file(own, error)) {
      packed.missing.push_back(picture);
      continue;
    }
    packed.taken.push_back(picture);
    all[picture] = text_of_file(own);
  }
  if (all.size() > 1) packed.bytes = course::pack(all);
  return packed;
}

bool EventReader::read(std::string_view piece) {
  constexpr std::size_t kLongest = 1 << 20;
  left_ += piece;
  std::size_t begin = 0;
  for (std::size_t end; (end = left_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    std::string_view text = std::string_view(left_).substr(begin, end - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    line(text);
  }
  left_.erase(0, begin);
  return left_.size() + event_.data.size() < kLongest;
}

void EventReader::line(std::string_view text) {
  if (text.empty()) {
    if (!event_.data.empty() || !event_.kind.empty()) take_(event_);
    event_ = {};
    return;
  }
  const auto colon = text.find(':');
  if (colon == 0) return;  // a comment, which keeps the connection open
  const std::string_view name = text.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "id") event_.id = value;
  if (name == "event") event_.kind = value;
  if (name == "data") {
    if (!event_.data.empty()) event_.data += '\n';
    event_.data += value;
  }
}

std::string student_of_metadata(const std::string& text) {
  const json metadata = json::parse(text, nullptr, false);
  const json user =
      metadata.is_object() ? metadata.value(json::json_pointer("/users/0"), json()) : json();
  std::string keys;
  for (const char* key : {"email", "sid"}) {
    if (!user.is_object() || !user.contains(key) || !user[key].is_string()) continue;
    const auto value = user[key].get<std::string>();
    // Skips a value with a comma, because it would be read as two.
    if (value.empty() || value.find(',') != value.npos) continue;
    keys += (keys.empty() ? "" : ",") + value;
  }
  if (keys.empty())
    throw Error("submission metadata: no user has an e-mail or a student id",
                "Give --metadata the submission_metadata.json of the platform.");
  return keys;
}

Session::Session(const std::string& server, const std::string& token, Say say,
                 std::optional<std::chrono::seconds> patience)
    : client_(parse_url(server), token), say_(std::move(say)), patience_(patience) {}

std::chrono::seconds Session::patience_after(const ConnectionLost& lost) const {
  if (patience_) return *patience_;
  const bool is_first_contact = !answered_ && dynamic_cast<const NotReached*>(&lost) != nullptr;
  return is_first_contact ? kFirstContact : kOutage;
}

std::string Session::ask(const std::string& method, const std::string& target,
                         const std::map<std::string, std::string>& headers,
                         const std::string& body) {
  for (Patience patience(say_);;) {
    try {
      Answer answer = client_.request(method, target, headers, body);
      expect_good(answer);
      return std::move(answer.body);
    } catch (const ConnectionLost& lost) {
      patience.wait(lost, patience_after(lost));
    }
  }
}

void Session::expect_good(const Answer& answer) {
  answered_ = answered_ || answer.status < 500;  // otherwise a proxy may have answered
  if (answer.status < 300) return;
  const std::string why = error_in(answer.body);
  // A proxy whose service restarts, or a service that cannot read its store.
  if (answer.status >= 500) throw ConnectionLost("the service does not answer: " + why);
  if (const auto wait = wait_in(answer); answer.status == 429 && wait.count() > 0)
    throw TryLater(why, wait);
  if (answer.status == 413)
    throw UsageError("the upload is too large for the service: " + why,
                     "hand in the sources alone");
  throw UsageError(why, hint_of(answer.status));
}

void Session::download(const std::string& target, const fs::path& file, std::uint64_t most) {
  const std::filesystem::path partial = file.string() + ".partial";
  const std::shared_ptr<void> removes(nullptr, [&](void*) {
    std::error_code gone;
    std::filesystem::remove(partial, gone);
  });
  const auto cannot_write = [&] {
    throw Error("cannot write " + file.string(), "is the disk full, or the folder missing?");
  };
  for (Patience patience(say_);;) {
    try {
      std::ofstream out(partial, std::ios::binary | std::ios::trunc);
      Answer answer;
      answer.status = client_.stream(
          target, {},
          [&](std::string_view piece) {
            interrupt::check();
            if (!out.write(piece.data(), static_cast<std::streamsize>(piece.size())))
              cannot_write();
            return true;
          },
          answer.body, most);
      expect_good(answer);
      std::error_code failed;
      if (out.flush()) std::filesystem::rename(partial, file, failed);
      if (!out || failed) cannot_write();
      return;
    } catch (const ConnectionLost& lost) {
      patience.wait(lost, patience_after(lost));
    }
  }
}

std::string Session::submit(const std::string& assignment, const std::string& key,
                            const std::string& bytes, const SubmitOptions& options) {
  std::string more = options.student.empty() ? "" : "&for=" + encode_percent(options.student);
  if (!options.tool.empty()) more += "&tool=" + encode_percent(options.tool);
  if (options.incomplete) more += "&incomplete=yes";
  return ask("POST", "/api/submissions?assignment=" + assignment + more,
             {{"Idempotency-Key", key}, {"Content-Type", "application/octet-stream"}}, bytes);
}

std::string Session::follow(std::int64_t submission) {
  std::string last, state, place;
  Patience patience(say_);
  const EventReader fresh([&](const SentEvent& event) {
    const json data = json::parse(event.data, nullptr, false);
    if (!data.is_object()) return;
    const std::string text = printable_line(data.value("text", ""), 200);
    if (!event.id.empty()) last = event.id;
    if (event.kind == "end") {
      state = data.value("state", "done");
    } else if (event.kind != "place" || text != place) {
      if (event.kind == "place") place = text;
      say_(text);
    }
    patience.restart();
  });
  while (state.empty()) {
    try {
      EventReader reader = fresh;
      std::map<std::string, std::string> headers{{"Accept", "text/event-stream"}};
      if (!last.empty()) headers["Last-Event-ID"] = last;
      std::string refusal;
      const int status = client_.stream(
          fmt::format("/api/submissions/{}/events", submission), headers,
          [&](std::string_view piece) {
            interrupt::check();
            patience.restart();
            answered_ = true;
            return reader.read(piece) && state.empty();
          },
          refusal);
      if (status >= 500) throw ConnectionLost("the service does not answer: " + error_in(refusal));
      if (status != 200) throw UsageError(error_in(refusal), hint_of(status));
      if (state.empty()) throw ConnectionLost("the service closed the connection");
    } catch (const ConnectionLost& lost) {
      patience.wait(lost, patience_after(lost));
    }
  }
  return state;
}

}  // namespace opgrade::client
