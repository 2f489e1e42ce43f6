/// A student's session with the service: retries after a lost connection, and the answers as
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

/// The servers that a user logged in to: ~/.config/opgrade/servers.json, for its owner alone.
class Profile {
 public:
  explicit Profile(std::filesystem::path file = default_file());
  static std::filesystem::path default_file();

  /// The last one that was logged in to, where none is named. Throws UsageError.
  std::string server_or_default(const std::string& named) const;
  /// The token for a server; OPGRADE_TOKEN goes first. Throws UsageError where there is none.
  std::string token(const std::string& server) const;
  void keep(const std::string& server, const std::string& token) const;

 private:
  Servers read() const;  ///< Throws Error for a damaged file.

  std::filesystem::path file_;
};

/// The key of an upload, kept until its answer came: a repeated command sends the same key, so the
/// service takes the upload once.
class PendingUpload {
 public:
  /// `of` tells uploads apart: server, token, assignment, student, content. A folder that cannot be
  /// written keeps no key.
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

/// The service takes the next submission after `wait`.
struct TryLater : UsageError {
  TryLater(const std::string& what, std::chrono::seconds after)
      : UsageError(what, "repeat the command then; --watch waits"), wait(after) {}
  std::chrono::seconds wait;
};

/// Files of a folder whose name matches one of `patterns`; an archive as it is. `document`: the
/// name of the document that the assignment wants, which may be larger than a source. Throws
/// UsageError.
course::PackedFolder pack_files(const std::filesystem::path& path,
                                const std::vector<std::string>& patterns,
                                const std::string& document = "");

/// The document alone, as it is handed in apart.
struct PackedDocument {
  std::string bytes;  ///< Markdown that names pictures is an archive with them
  std::vector<std::string> taken;
  std::vector<std::string> missing;  ///< pictures that the text names and that are not there
};
/// `path` is the document, whatever its name, or a folder that has it as `name`. Throws UsageError.
PackedDocument pack_document(const std::filesystem::path& path, const std::string& name);

/// E-mail and student id, by commas, of the first user in the text of Gradescope's
/// submission_metadata.json. Throws Error where it names none.
std::string student_of_metadata(const std::string& text);

struct SentEvent {
  std::string id, kind, data;
};

/// Reads server-sent events from pieces of any size.
class EventReader {
 public:
  explicit EventReader(std::function<void(const SentEvent&)> take) : take_(std::move(take)) {}

  /// False: the events are longer than any that the service sends.
  bool read(std::string_view piece);

 private:
  void line(std::string_view text);

  std::function<void(const SentEvent&)> take_;
  std::string left_;  ///< the begin of a line
  SentEvent event_;
};

struct SubmitOptions {
  std::string student{};  ///< by staff: login, id or e-mail; several, by commas, are of one student
  std::string tool{};     ///< of a practice run: ToolWish::text()
  bool incomplete = false;  ///< also if stages that earn points have no files
};

class Session {
 public:
  using Say = std::function<void(const std::string&)>;
  /// `patience`: how long a lost connection, or a service that is not there, is tried again. None
  /// given: ten minutes, but seconds for an address at which no service ever answered.
  Session(const std::string& server, const std::string& token, Say say,
          std::optional<std::chrono::seconds> patience = std::nullopt);

  /// Throws ConnectionLost where patience ends, and UsageError with the service's words for a
  /// refusal.
  std::string ask(const std::string& method, const std::string& target,
                  const std::map<std::string, std::string>& headers = {},
                  const std::string& body = "");

  /// Writes the answer into a file piece by piece, which may have `most` bytes. After a lost
  /// connection it begins anew. Throws as ask() does, and Error if the file cannot be written.
  void download(const std::string& target, const std::filesystem::path& file, std::uint64_t most);

  /// JSON of the submission. One `key` makes one submission, however often it is sent.
  std::string submit(const std::string& assignment, const std::string& key,
                     const std::string& bytes, const SubmitOptions& options);

  /// Says the events until the submission's end, also over lost connections. Returns its state.
  std::string follow(std::int64_t submission);

 private:
  /// Throws what a refusal of the service is; nothing for an answer that is none.
  void expect_good(const Answer& answer);

  HttpClient client_;
  Say say_;
  /// How long the next request tries again.
  std::chrono::seconds patience_after(const ConnectionLost& lost) const;

  std::optional<std::chrono::seconds> patience_;
  bool answered_ = false;  ///< the service did, once
};

}  // namespace opgrade::client
