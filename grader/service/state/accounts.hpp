/// Accounts: tokens, browser sessions, their secrets, and the audit log.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/course/store/store.hpp"

namespace opgrade::service {

/// 256 random bits of the system as 64 hex digits.
std::string new_secret();

/// As it is stored and looked up. The time of a look-up depends on the hash, which a client that
/// guesses cannot steer towards a stored one.
std::string hash_of_secret(const std::string& secret);

/// Compares in a time that depends on the lengths alone.
bool same_secret(std::string_view a, std::string_view b);

/// Each may do what the ones before may, but that a student sees the own submissions alone.
enum class Role {
  student,
  observer,  ///< of staff: sees all, changes nothing
  grader,    ///< comments, and has stuck submissions graded; changes no grade
  staff,
};
inline constexpr std::array<std::string_view, 4> kRoleNames{"student", "observer", "grader",
                                                            "staff"};
constexpr std::string_view name_of(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

struct Identity {
  std::string person;  ///< a login
  Role role = Role::student;
  std::string form_key;   ///< of a browser's session; empty for a token
  std::string section{};  ///< of the roster, to which this member of staff is limited; empty: none

  bool is_staff() const { return role != Role::student; }
  bool is_of_whole_course() const { return is_staff() && section.empty(); }
};

struct TokenLine {
  std::int64_t id = 0;
  std::string person;
  Role role = Role::student;
  std::string section;
  course::Moment made;
  std::optional<course::Moment> revoked;
};

struct AuditLine {
  course::Moment at;
  std::string who, address, action, subject;
};

inline constexpr std::chrono::hours kSessionLife{14 * 24};

class Accounts {
 public:
  explicit Accounts(const course::Store& store) : store_(store) {}

  /// A new token, which is shown this once. The person's older ones are revoked.
  std::string make_token(const std::string& person, Role role, course::Moment now,
                         const std::string& section = "");
  /// Ends the person's tokens and their sessions. Returns how many tokens.
  int revoke(const std::string& person, course::Moment now);
  std::vector<TokenLine> tokens() const;
  std::optional<Identity> by_token(const std::string& token) const;

  struct Session {
    std::string cookie, form_key;
  };
  /// A new cookie for each login, so that a planted one is worth nothing. The form key is that of
  /// the person's session before: a form that outlived the session is sent after a new login.
  std::optional<Session> begin_session(const std::string& token, course::Moment now);
  /// Without a token: of one whom an authenticating proxy names.
  std::optional<Session> begin_session(const Identity& who,
                                       const std::optional<std::string>& token_sha256,
                                       course::Moment now);
  std::optional<Identity> by_session(const std::string& cookie, course::Moment now) const;
  void end_session(const std::string& cookie);

  void audit(const AuditLine& line);
  std::vector<AuditLine> audit_log(int newest) const;  ///< the newest first

 private:
  const course::Store& store_;
};

}  // namespace opgrade::service
