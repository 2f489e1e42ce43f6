/// Notes about the cases of a stage. Those of a case that runs again leave with its report.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/core/grade.hpp"

namespace opgrade {

class CaseNotes {
 public:
  void add(const std::string& id, std::string text) {
    all_.push_back(text_reason(std::move(text)));
    all_.back().about = id;
  }
  void add_left_out(const std::string& id, std::string_view what, std::string_view why) {
    add(id, fmt::format("not {}: {}", what, why));
  }
  void forget(const std::string& id) {
    std::erase_if(all_, [&](const Reason& note) { return note.about == id; });
  }
  const std::vector<Reason>& all() const { return all_; }

 private:
  std::vector<Reason> all_;
};

}  // namespace opgrade
