/// Takes an upload into the store and the queue, or reports the reason against it.
#pragma once

#include <string>

#include "grader/service/http/http_message.hpp"
#include "grader/service/http/routes.hpp"
#include "grader/service/state/service.hpp"

namespace opgrade::service {

struct Upload {
  Identity who;
  std::string address;
  std::string assignment;
  std::string key;          ///< of one upload, however often it is sent
  std::string bytes;        ///< an archive
  std::string login;        ///< staff hand in for this student
  std::string tool{};       ///< as HandIn::tool
  bool incomplete = false;  ///< taken although stages have no files
};

struct Taken {
  HandIn hand_in;
  bool is_new = true;  ///< false: the key was known
};

/// When it returns, the file and the row are on the disk. Throws NotDone.
Taken take_upload(Service& service, Upload upload);

/// Hands in exactly the bytes of a practice run, for its student if the visitor is staff. The same
/// run makes one hand-in, however often it is asked for. Throws NotDone.
Taken take_run(Service& service, const Visit& visit, const HandIn& run);

/// The owner of a student's submissions; none for staff, and for one whom the roster lost.
std::optional<course::Owner> owner_of(const course::CourseFolder& folder, const Identity& who,
                                      const course::Assignment& assignment);

Allowance allowance_of(const Service& service, const course::Assignment& assignment,
                       const std::string& owner);

}  // namespace opgrade::service
