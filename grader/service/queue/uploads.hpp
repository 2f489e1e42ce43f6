/// Takes an upload into the store and the queue, or reports why it is refused.
#pragma once

#include <cstdint>
#include <string>

#include "grader/service/http/http_message.hpp"
#include "grader/service/http/routes.hpp"
#include "grader/service/state/service.hpp"

namespace opgrade::service {

struct Upload {
  Identity who;
  std::string address;
  std::string assignment;
  std::string key{};        ///< identifies one upload, however often it is sent
  std::string bytes;        ///< an archive
  std::string login;        ///< the student for whom staff hand in
  std::string tool{};       ///< see HandIn::tool
  bool incomplete = false;  ///< accept the upload even if stages have no files
  /// The practice run whose files these are, or 0. Its key is made here. All members of a team
  /// together hand a run in once, and again only if the hand-in was taken back.
  std::int64_t of_run = 0;
};

struct Taken {
  HandIn hand_in;
  bool is_new = true;  ///< false: the upload's key was known
};

/// Takes an upload. When this returns, the file and the row are on the disk. Throws NotDone.
Taken take_upload(Service& service, Upload upload);

/// Hands in exactly the bytes of a practice run; if the visitor is staff, for the run's student.
/// Each run becomes one hand-in, however often this is called and by whom. Throws NotDone.
Taken take_run(Service& service, const Visit& visit, const HandIn& run);

/// The owner of a student's submissions; nullopt for staff, and for a student who is not in the
/// roster any more.
std::optional<course::Owner> owner_of(const course::CourseFolder& folder, const Identity& who,
                                      const course::Assignment& assignment);

Allowance allowance_of(const Service& service, const course::Assignment& assignment,
                       const std::string& owner);

}  // namespace opgrade::service
