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

/// 256 bits from the system's random numbers, as 64 hex digits.
std::string new_secret();

/// The form in which a secret is stored and looked up. The time of a look-up depends on the hash,
/// and a client that guesses cannot choose a secret whose hash resembles a stored one.
std::string hash_of_secret(const std::string& secret);

/// Compares in a time that depends on the lengths alone.
bool same_secret(std::string_view a, std::string_view b);

/// Each role may do all that the roles before it may. A student sees only their own submissions.
enum class Role {
  student,
  observer,  ///< staff who see all and change nothing
  grader,    ///< comments, and requeues stuck submissions; changes no grade
  staff,
};
inline constexpr std::array<std::string_view, 4> kRoleNames{"student", "observer", "grader",
                                                            "staff"};
constexpr std::string_view name_of(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

struct Identity {
  std::string person;  ///< a login
  Role role = Role::student;
  std::string form_key;   ///< the key of a browser session's forms; empty for a token
  std::string section{};  ///< the section to which this member of staff is limited; empty: no limit

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

  /// Makes a token, which is shown only once, and revokes the person's older ones.
  std::string make_token(const std::string& person, Role role, course::Moment now,
                         const std::string& section = "");
  /// Ends the person's tokens and sessions. Returns the number of tokens.
  int revoke(const std::string& person, course::Moment now);
  std::vector<TokenLine> tokens() const;
  std::optional<Identity> by_token(const std::string& token) const;

  struct Session {
    std::string cookie, form_key;
  };
  /// Begins a session. Each login makes a new cookie, so that a planted one is useless. The form
  /// key is that of the person's last session, so that a form that outlived that session can still
  /// be sent after a new login.
  std::optional<Session> begin_session(const std::string& token, course::Moment now);
  /// Begins a session without a token, for a person whom an authenticating proxy names.
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
