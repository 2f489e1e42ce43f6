#include "grader/grading/pipeline/source_rules.hpp"

#include "grader/grading/pipeline/constructs.hpp"
#include "grader/grading/pipeline/hiding_code.hpp"

namespace opgrade {

SourceRules apply_source_rules(const StageConfig& stage, Device device,
                               const std::vector<std::string>& sources,
                               const SourceReaders& readers) {
  SourceRules rules;
  const bool counts = !stage.counts.empty();
  const bool watched = is_watched(stage, device);
  // The counts of the emulated device, which has its own build, watch a GPU's stage.
  const bool watched_as_built = watched && device != Device::cuda;
  if (!stage.constructs.empty() || watched_as_built) {
    std::vector<std::string> texts;
    for (const auto& construct : stage.constructs) texts.push_back(tokens_of(construct));
    const SourceReading read = readers.plain(texts);
    if (!read) {
      rules.unread = read.error();
    } else {
      if (!stage.constructs.empty()) {
        const std::optional<TreeUses> uses = readers.uses(*read);
        rules.broken = broken_constructs(stage, sources, *read, uses);
        rules.by_words = !uses || !uses->is_whole;
      }
      if (watched_as_built) rules.hidden = hides_code(*read, device, counts);
    }
  }
  if (watched && device == Device::cuda) {
    const SourceReading read = readers.counted();
    // If a GPU decides, sources that cannot be counted earn no points for counts.
    if (read) rules.hidden = hides_code(*read, Device::emulated, counts);
  }
  return rules;
}

}  // namespace opgrade
