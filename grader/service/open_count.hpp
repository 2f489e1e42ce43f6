/// Limits on open requests of a person: live logs, uploads in progress.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace opgrade::service {

class OpenCount {
 public:
  /// At most `of_person` for one person, and `in_all` together.
  OpenCount(int of_person, int in_all);

  /// Counts until the result is gone. Nothing where the person, or all together, have as many as
  /// may be.
  std::shared_ptr<void> enter(const std::string& person);

 private:
  struct State {
    State(int one, int together) : of_person(one), in_all(together) {}
    const int of_person, in_all;
    std::mutex guard;
    std::map<std::string, int> open;
    int all = 0;
  };
  std::shared_ptr<State> state_;  ///< what is open may outlive the service
};

}  // namespace opgrade::service
