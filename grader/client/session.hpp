/// A student's session with the service: it retries after a lost connection and returns answers as
/// values.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/fields.hpp"
#include "grader/client/http_client.hpp"
#include "grader/course/exchange/pack.hpp"

namespace opgrade::client {

/// The content of servers.json. A test holds servers.schema.json to the fields; UPDATE_GOLDEN=1
/// writes it anew.
inline constexpr const char* kServersSchema = "opgrade-servers-1";

struct Servers {
  std::string last;
  std::map<std::string, std::string> tokens;
};

void fields(auto& io, Is<Servers> auto& s) {
  io.record("servers", "The servers that a user logged in to; for the owner of the file alone.");
  io.version("schema", kServersSchema, "Version of this format.");
  io.rare("last", s.last, "Address of the last one.");
  io.rare("tokens", s.tokens, "By address: the secret that the server knows the user by.");
}

/// The servers to which a user logged in: ~/.config/opgrade/servers.json, which only its owner can
/// read.
class Profile {
 public:
  explicit Profile(std::filesystem::path file = default_file());
  static std::filesystem::path default_file();

  /// `named`, or if it is empty, the server of the last login. Throws UsageError if there is none.
  std::string server_or_default(const std::string& named) const;
  /// The token for a server; OPGRADE_TOKEN takes precedence. Throws UsageError if there is none.
  std::string token(const std::string& server) const;
  void keep(const std::string& server, const std::string& token) const;

 private:
  Servers read() const;  ///< Throws Error for a damaged file.

  std::filesystem::path file_;
};

/// The key of an upload, stored until the upload is answered. A repeated command sends the same
/// key, so that the service stores the upload once.
class PendingUpload {
 public:
  /// `of` identifies the upload: server, token, assignment, student, content. If the folder cannot
  /// be written, the key is not stored.
  explicit PendingUpload(const std::vector<std::string>& of,
                         const std::filesystem::path& folder = default_folder());
  static std::filesystem::path default_folder();

  const std::string& key() const { return key_; }
  bool is_repeated() const { return repeated_; }
  void answered() const;

 private:
  std::filesystem::path file_;
  std::string key_;
  bool repeated_ = false;
};

/// The service accepts the next submission after `wait`.
struct TryLater : UsageError {
  TryLater(const std::string& what, std::chrono::seconds after)
      : UsageError(what, "repeat the command then; --watch waits"), wait(after) {}
  std::chrono::seconds wait;
};

/// Packs the files of a folder whose names match one of `patterns`; an archive is sent unchanged.
/// `document`: the name of the document that the assignment asks for, which may be larger than a
/// source. Throws UsageError.
course::PackedFolder pack_files(const std::filesystem::path& path,
                                const std::vector<std::string>& patterns,
                                const std::string& document = "");

/// A document that is handed in separately.
struct PackedDocument {
  std::string bytes;  ///< Markdown that names pictures is an archive with them
  std::vector<std::string> taken;
  std::vector<std::string> missing;  ///< pictures that the text names and that do not exist
};
/// `path` is the document, whatever its name, or a folder with a document called `name`. Throws
/// UsageError.
PackedDocument pack_document(const std::filesystem::path& path, const std::string& name);

/// E-mail and student id, separated by commas, of the first user in the text of Gradescope's
/// submission_metadata.json. Throws Error if it names none.
std::string student_of_metadata(const std::string& text);

struct SentEvent {
  std::string id, kind, data;
};

/// Reads server-sent events from pieces of any size.
class EventReader {
 public:
  explicit EventReader(std::function<void(const SentEvent&)> take) : take_(std::move(take)) {}

  /// Returns false if an event is longer than any that the service sends.
  bool read(std::string_view piece);

 private:
  void line(std::string_view text);

  std::function<void(const SentEvent&)> take_;
  std::string left_;  ///< the start of an incomplete line
  SentEvent event_;
};

struct SubmitOptions {
  std::string student{};    ///< given by staff: login, id or e-mail; several, separated by commas,
                            ///< are of one student
  std::string tool{};       ///< for a practice run: ToolWish::text()
  bool incomplete = false;  ///< submit even if stages that earn points have no files
};

class Session {
 public:
  using Say = std::function<void(const std::string&)>;
  /// `patience`: how long requests are retried if the connection is lost or the service cannot be
  /// reached. Default: ten minutes, but seconds for an address at which no service ever answered.
  Session(const std::string& server, const std::string& token, Say say,
          std::optional<std::chrono::seconds> patience = std::nullopt);

  /// Throws ConnectionLost when `patience` is over, and UsageError with the service's words if the
  /// service refuses.
  std::string ask(const std::string& method, const std::string& target,
                  const std::map<std::string, std::string>& headers = {},
                  const std::string& body = "");

  /// Writes the answer, of at most `most` bytes, into a file piece by piece. Starts again after a
  /// lost connection. Throws as ask() does, and Error if the file cannot be written.
  void download(const std::string& target, const std::filesystem::path& file, std::uint64_t most);

  /// Returns the submission as JSON. Repeated calls with one `key` make one submission.
  std::string submit(const std::string& assignment, const std::string& key,
                     const std::string& bytes, const SubmitOptions& options);

  /// Reports the events until the submission's end, reconnecting if the connection is lost. Returns
  /// the submission's state.
  std::string follow(std::int64_t submission);

 private:
  /// Throws the error that fits if the service refused; returns if it did not.
  void expect_good(const Answer& answer);

  HttpClient client_;
  Say say_;
  /// How long the next request is retried.
  std::chrono::seconds patience_after(const ConnectionLost& lost) const;

  std::optional<std::chrono::seconds> patience_;
  bool answered_ = false;  ///< the service has answered at least once
};

}  // namespace opgrade::client
