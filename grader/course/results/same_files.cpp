#include "grader/course/results/same_files.hpp"

#include <algorithm>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/wall_time.hpp"
#include "grader/grading/pipeline/submission_path.hpp"

namespace opgrade {

namespace {

/// True if another run could decide the item. Points that staff give are open for every submission.
bool is_open_here(const PointItem& item) { return item.open && !item.reason.is<why::ByStaff>(); }

/// True if the machine may have caused the outcome: it was busy, or a hot GPU slowed every call.
bool may_be_the_machines(Outcome outcome) {
  return outcome == Outcome::grader_fault || outcome == Outcome::out_of_time ||
         outcome == Outcome::not_credible;
}

}  // namespace

std::optional<Grade> grade_of_copy(Grade first, const std::string& name,
                                   const std::filesystem::path& path) {
  if (first.outcome == Outcome::grader_fault) return {};
  for (StageReport& stage : first.stages) {
    if (stage.build.reason.is<why::CompilerLimit>() ||
        std::ranges::any_of(stage.points, is_open_here))
      return {};
    for (CaseReport& c : stage.cases) {
      if (may_be_the_machines(c.outcome) || std::ranges::any_of(c.points, is_open_here)) return {};
      if (c.repeat) c.repeat->path = owner_of(path);
    }
  }
  first.submission = printable_line(name);
  first.submission_path = owner_of(path);
  // Only the note, which is for staff, says when the shared grade was made. A report from before
  // the hand-in would tell its student that another one has the same files.
  if (std::ranges::none_of(first.notes, &Note::is<notes::SameFiles>))
    first.notes.push_back(notes::SameFiles{first.machine.started});
  first.machine.started = iso_text(this_second());
  return first;
}

}  // namespace opgrade
