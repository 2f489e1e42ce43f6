/// What graders decided about documents, and the rubrics that count, in course.db. Nothing is
/// overwritten: the last decision of a kind and name holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/course/gradebook/rubric.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::course {

/// One decision of a grader about one document.
struct Mark {
  enum class Kind {
    item,     ///< the item applies, or does not
    free,     ///< free points of a group, with a reason
    comment,  ///< on an item, a group or the whole document
    done,     ///< the document is marked, or open again
  };
  std::int64_t id = 0;
  std::int64_t submission = 0;  ///< the document
  Moment at;
  std::string who;
  Kind kind = Kind::item;
  std::string name;    ///< of the item or group; empty: the whole document
  bool is_on = true;   ///< false: takes it back
  double points = 0;   ///< of Kind::free
  std::string text{};  ///< of Kind::free and Kind::comment
};

inline constexpr std::size_t kMaxMarkText = 4000;  ///< bytes

/// What a document's decisions come to, in the order in which they were made. An item of a group
/// that takes one replaces the group's other one.
Marks marks_in(std::span<const Mark> decisions, const Rubric& rubric);

/// Throws UsageError for a decision that the rubric does not allow.
void require_allowed(const Mark& mark, const Rubric& rubric);

/// In one transaction, each with its line of the audit log. Texts are made printable and cut at
/// kMaxMarkText.
void add_marks(const Store& store, const std::vector<Mark>& marks,
               const std::string& address = kThisMachine);

/// In the order in which they were made.
std::vector<Mark> marks_of(const Store& store, std::int64_t document);
/// By document, of the documents with this name of an assignment ("report.m1").
std::map<std::int64_t, std::vector<Mark>> marks_for(const Store& store,
                                                    const std::string& documents);

/// The text of the rubric by which an assignment's marks count since staff applied it. None: that
/// of its file counts.
std::optional<std::string> applied_rubric(const Store& store, const std::string& assignment);

/// Who changes something, when and from where.
struct Decider {
  std::string who;
  Moment at;
  std::string address = kThisMachine;
};

/// From now on marks count by this text, which parse_rubric() reads.
void apply_rubric(const Store& store, const std::string& assignment, const std::string& text,
                  const Decider& by);

/// Students see the marks of the assignment's documents.
bool marks_are_released(const Store& store, const std::string& assignment);
void release_marks(const Store& store, const std::string& assignment, bool released,
                   const Decider& by);

}  // namespace opgrade::course
