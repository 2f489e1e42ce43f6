/// Stores in course.db what graders decided about documents, and which rubrics count. Nothing is
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
    item,     ///< whether the item applies
    free,     ///< free points of a group, with a reason
    comment,  ///< a comment on an item, a group or the whole document
    done,     ///< whether the grader has finished the document
  };
  std::int64_t id = 0;
  std::int64_t submission = 0;  ///< the document
  Moment at;
  std::string who;
  Kind kind = Kind::item;
  std::string name;    ///< name of the item or group; empty: the whole document
  bool is_on = true;   ///< false: revokes the earlier decision
  double points = 0;   ///< points for Kind::free
  std::string text{};  ///< text for Kind::free and Kind::comment
};

inline constexpr std::size_t kMaxMarkText = 4000;  ///< bytes

/// The marks that a document's decisions give. `decisions` are in the order in which they were
/// made. In a group that takes one item, a new item replaces the other one.
Marks marks_in(std::span<const Mark> decisions, const Rubric& rubric);

/// Throws UsageError for a decision that the rubric does not allow.
void require_allowed(const Mark& mark, const Rubric& rubric);

/// Adds all marks in one transaction, each with its line in the audit log. Texts are made printable
/// and cut at kMaxMarkText.
void add_marks(const Store& store, const std::vector<Mark>& marks,
               const std::string& address = kThisMachine);

/// A document's marks in the order in which they were made.
std::vector<Mark> marks_of(const Store& store, std::int64_t document);
/// All marks of an assignment's documents, by document. `documents` is their assignment's name
/// ("report.m1").
std::map<std::int64_t, std::vector<Mark>> marks_for(const Store& store,
                                                    const std::string& documents);

/// The text of the rubric that staff applied last for an assignment's marks. nullopt: the rubric's
/// file counts.
std::optional<std::string> applied_rubric(const Store& store, const std::string& assignment);

/// Who changes something, when and from where.
struct Decider {
  std::string who;
  Moment at;
  std::string address = kThisMachine;
};

/// Makes this text, which parse_rubric() reads, the rubric by which marks count from now on.
void apply_rubric(const Store& store, const std::string& assignment, const std::string& text,
                  const Decider& by);

/// True if students see the marks of the assignment's documents.
bool marks_are_released(const Store& store, const std::string& assignment);
void release_marks(const Store& store, const std::string& assignment, bool released,
                   const Decider& by);

}  // namespace opgrade::course
