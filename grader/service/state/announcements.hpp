/// Announcements of staff to all students, at the top of their pages.
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
  std::string assignment;  ///< the only assignment whose page shows it; empty: the pages of all
  std::string text;
  std::optional<course::Moment> ended;  ///< after this students do not see it
};

/// Adds an announcement, with a line in the audit log. The text is made printable and cut at
/// kMostAnnouncement.
void announce(Service& service, const Announcement& announcement, const std::string& address);
/// Returns false if there is no such announcement, or it ended before.
bool end_announcement(Service& service, std::int64_t id, const std::string& who,
                      const std::string& address);
/// All announcements, also ended ones, the newest first.
std::vector<Announcement> announcements(const Service& service);

}  // namespace opgrade::service
