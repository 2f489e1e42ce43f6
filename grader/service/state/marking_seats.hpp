/// Which grader has which document open now. This is kept in memory only: after a restart, open
/// pages report it again within seconds.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "grader/course/folder/time_zone.hpp"

namespace opgrade::service {

class MarkingSeats {
 public:
  /// An open page polls every two seconds. A page that was closed is forgotten after this time.
  static constexpr std::chrono::seconds kStay{20};

  void sit_down(const std::string& person, std::int64_t document, course::Moment now) {
    const std::scoped_lock lock(guard_);
    at_[person] = {document, now};
  }

  /// The other graders who have the document open, sorted by name.
  std::vector<std::string> others_at(std::int64_t document, const std::string& person,
                                     course::Moment now) const {
    const std::scoped_lock lock(guard_);
    std::vector<std::string> others;
    for (const auto& [other, seat] : at_)
      if (other != person && seat.first == document && now - seat.second <= kStay)
        others.push_back(other);
    return others;
  }

 private:
  mutable std::mutex guard_;
  std::map<std::string, std::pair<std::int64_t, course::Moment>> at_;  ///< by person
};

}  // namespace opgrade::service
