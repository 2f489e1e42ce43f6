/// What staff tell all students, at the top of their pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/service/state/service.hpp"

namespace opgrade::service {

inline constexpr std::size_t kMostAnnouncement = 2000;  ///< bytes

struct Announcement {
  std::int64_t id = 0;
  course::Moment at;
  std::string who;
  std::string assignment;  ///< whose page alone has it; empty: all pages of assignments
  std::string text;
  std::optional<course::Moment> ended;  ///< since when students do not see it
};

/// With a line of the audit log. The text is made printable and cut at kMostAnnouncement.
void announce(Service& service, const Announcement& announcement, const std::string& address);
/// False: there is no such announcement, or it ended before.
bool end_announcement(Service& service, std::int64_t id, const std::string& who,
                      const std::string& address);
/// The newest first, with those that ended.
std::vector<Announcement> announcements(const Service& service);

}  // namespace opgrade::service
