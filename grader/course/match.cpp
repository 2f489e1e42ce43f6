#include "grader/course/match.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/core/nearest.hpp"
#include "grader/core/text_parts.hpp"

namespace opgrade::course {
namespace {

/// Small letters and digits alone, and all bytes that are not ASCII.
std::string squeezed(const std::string& text) {
  std::string kept;
  for (const unsigned char c : lowercase(text))
    if (std::isalnum(c) || c >= 0x80) kept += static_cast<char>(c);
  return kept;
}

/// The name as Canvas sorts it: "Ada Lovelace" and "Lovelace, Ada" are "lovelaceada".
std::string sorted_name(const std::string& name) {
  const auto last = name.rfind(' ');
  if (name.find(',') != name.npos || last == name.npos) return squeezed(name);
  return squeezed(name.substr(last + 1) + name.substr(0, last));
}

bool has_key(const Student& student, const std::string& key) {
  return key == student.id || key == student.login || key == student.canvas_id ||
         (!student.email.empty() && lowercase(key) == lowercase(student.email));
}

std::size_t distance(const Person& person, const Student& student) {
  std::size_t best = std::string::npos;
  const std::string mail = student.email.substr(0, student.email.find('@'));
  std::vector<std::string> wanted = person.keys;
  wanted.push_back(person.name);
  for (const auto& text : wanted) {
    if (text.empty()) continue;
    for (const auto& known : {student.id, lowercase(student.login), lowercase(mail),
                              squeezed(student.name), sorted_name(student.name)}) {
      if (known.empty()) continue;
      best = std::min(
          {best, edit_distance(lowercase(text), known), edit_distance(squeezed(text), known)});
    }
  }
  return best;
}

std::string entry_of(const Student& student) {
  return fmt::format("{} ({}, {})", student.login, student.name, student.id);
}

}  // namespace

Match match(const Person& person, const Roster& roster) {
  std::vector<const Student*> found;
  for (const auto& student : roster.students) {
    if (std::ranges::any_of(person.keys,
                            [&](const auto& key) { return !key.empty() && has_key(student, key); }))
      found.push_back(&student);
  }
  if (found.empty() && !squeezed(person.name).empty()) {
    // "Chen Wei" and "Wei Chen" are two people; a name without blanks may be of either order.
    const bool one_word = person.name.find(' ') == std::string::npos;
    const std::string name = sorted_name(person.name);
    for (const auto& student : roster.students) {
      if (name == sorted_name(student.name) || (one_word && name == squeezed(student.name)))
        found.push_back(&student);
    }
  }
  if (found.size() == 1) return {found.front(), ""};
  if (found.size() > 1) {
    std::vector<std::string> entries;
    for (const Student* student : found) entries.push_back(entry_of(*student));
    return {nullptr, "more than one roster entry fits", std::move(entries)};
  }
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<std::size_t, const Student*>> by_distance;
  for (const auto& student : roster.students)
    by_distance.emplace_back(distance(person, student), &student);
  std::ranges::stable_sort(by_distance, {}, &std::pair<std::size_t, const Student*>::first);
  by_distance.resize(std::min(by_distance.size(), kShown));
  Match none{nullptr, "no roster entry fits"};
  for (const auto& [edits, student] : by_distance) none.nearest.push_back(entry_of(*student));
  return none;
}

}  // namespace opgrade::course
