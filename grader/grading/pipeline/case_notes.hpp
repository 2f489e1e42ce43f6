/// Notes about the cases of a stage. If a case runs again, the notes of its old report are dropped.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/note.hpp"

namespace opgrade {

class CaseNotes {
 public:
  /// Adds a note of a kind that has a case.
  void add(const std::string& id, Note note) { all_.push_back(about_case(std::move(note), id)); }
  void forget(const std::string& id) {
    std::erase_if(all_, [&](const Note& note) { return case_id_of(note) == id; });
  }
  const std::vector<Note>& all() const { return all_; }

 private:
  std::vector<Note> all_;
};

}  // namespace opgrade
