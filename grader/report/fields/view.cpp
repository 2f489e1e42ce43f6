#include "grader/report/fields/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <variant>

#include "grader/base/core/printable.hpp"
#include "grader/report/fields/profile_fields.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade::report {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/// GitHub's runner reads "::" at the start of a line, after any blanks, and "##[" anywhere; Azure's
/// and TeamCity's runners read "##vso[" and "##teamcity[". Wrapping may move any word to the start
/// of a line.
std::string without_commands(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto rest = text.substr(i);
    if (rest.substr(0, 2) == "::" && (i == 0 || is_blank(text[i - 1]))) {
      out += "\\x3a";
    } else if (rest.substr(0, 2) == "##") {
      const auto word_end = std::find_if(rest.begin() + 2, rest.end(), [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) == 0;
      });
      out += word_end != rest.end() && *word_end == '[' ? "\\x23" : "#";
    } else {
      out += text[i];
    }
  }
  return out;
}

/// `text` in at most `limit` bytes: its start and `mark`, cut between characters.
std::string cut(std::string_view text, std::size_t limit, std::string_view mark) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit - mark.size();
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)).append(mark);
}

constexpr std::string_view kLineMark = " [line cut]";
constexpr std::string_view kOutputMark = "\n[output cut]\n";

std::string block(std::string_view text) {
  // printable() may make a line a little longer than its limit. The line is cut again, so that the
  // view of a view is unchanged.
  const std::string shown = without_commands(printable(text.substr(0, kMaxOutput), kMaxLine));
  std::string out;
  for (std::size_t start = 0; start < shown.size();) {
    const auto end = std::min(shown.find('\n', start), shown.size());
    out += cut(std::string_view(shown).substr(start, end - start), kMaxLine, kLineMark);
    if (end < shown.size()) out += '\n';
    start = end + 1;
  }
  if (text.size() > kMaxOutput) out += kOutputMark;
  return cut(out, kMaxOutput, kOutputMark);
}

/// True for a picture of a report, which is not text and must not be cut.
bool is_base64(std::string_view file) {
  constexpr std::size_t kMostPicture = 100'000;  // of 128 x 128 pixels: 66 KB
  return file.size() <= kMostPicture && std::ranges::all_of(file, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '+' || c == '/' || c == '=';
         });
}

/// Visits all fields of a report, so that no text is forgotten.
class Cleaner {
 public:
  void record(const char*, const char*) {}

  template <class T>
  void operator()(std::string_view key, T& value, const char*) {
    if constexpr (requires { value.has_value(); }) {
      if (value) (*this)(key, *value, "");
    } else if constexpr (std::is_same_v<T, ProfileSource>) {
      value = {one_line(value.file), block(value.text)};
    } else if constexpr (std::is_same_v<T, PicturePair>) {
      for (std::string* const file : {&value.got, &value.want, &value.difference})
        if (!is_base64(*file)) file->clear();
    } else if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      // By the rule of grade.hpp, such a field holds what a compiler or a submission printed.
      value = key.ends_with("_output") ? block(value)
                                       : one_line(value, key == "path" ? kMaxPath : kMaxLine);
    } else if constexpr (requires { value.front(); }) {
      for (auto& item : value) (*this)(key, item, "");
    }
  }

  void added(const char* key, auto& value, const char* text) { (*this)(key, value, text); }
  void rare(const char* key, auto& value, const char* text) { (*this)(key, value, text); }
  void derived(const char*, const auto&, const char*) {}
  void constant(const char*, const char*, const char*) {}
  void rest(const Coordinates&) {}
  void object(const char*, bool, const char*, auto visit) { visit(*this); }
  void alternatives(const char*, auto& variant, const char*) {
    std::visit([this](auto& one) { fields(*this, one); }, variant);
  }
};

/// True if `text` holds `name` as a whole word: "cpu/high/100" is not in "cpu/high/1000".
bool names(std::string_view text, std::string_view name) {
  const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (auto at = text.find(name); !name.empty() && at != text.npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || !inside(text[at - 1])) && (end == text.size() || !inside(text[end]))) {
      return true;
    }
  }
  return false;
}

/// Visits the fields of a reason or a note, and collects the texts.
class TextCollector {
 public:
  void record(const char*, const char*) {}
  template <class T>
  void operator()(const char* key, const T& value, const char* text) {
    rare(key, value, text);
  }
  template <class T>
  void rare(const char*, const T& value, const char*) {
    add(value);
  }
  void alternatives(const char*, const auto& variant, const char*) {
    std::visit([this](const auto& one) { fields(*this, one); }, variant);
  }

  std::vector<std::string> texts;

 private:
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      texts.push_back(value);
    } else if constexpr (requires { value.has_value(); }) {
      if (value) add(*value);
    } else if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else if constexpr (requires { value.front(); }) {
      for (const auto& item : value) add(item);
    }
  }
};

std::vector<std::string> texts_of(const auto& value) {
  TextCollector collector;
  fields(collector, value);
  return std::move(collector.texts);
}

/// The texts that must not appear outside of a hidden case.
struct Secrets {
  std::vector<std::string> ids;    ///< of hidden cases
  std::vector<std::string> named;  ///< ids of cases whose details are hidden
  std::vector<std::string> sentences;

  bool in(std::string_view text) const {
    const auto is_told = [&](const std::string& id) { return names(text, id); };
    const auto repeated = [&](const std::string& s) { return text.find(s) != text.npos; };
    return std::any_of(ids.begin(), ids.end(), is_told) ||
           std::any_of(sentences.begin(), sentences.end(), repeated);
  }

  /// Checks the sentence and the values of the reason, because some formats write the values, too.
  bool in(const Reason& reason) const {
    std::vector<std::string> texts = texts_of(reason);
    texts.push_back(sentence_of(reason));
    texts.push_back(hint_of(reason));
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return in(std::string_view(text)); });
  }

  /// Checks the case that the note is about, and the note's texts, because notes of earlier
  /// versions name cases in a text.
  bool in(const Note& note) const {
    const std::string_view id = case_id_of(note);
    const auto has = [&](const auto& list) { return std::ranges::find(list, id) != list.end(); };
    if (!id.empty() && (has(ids) || has(named))) return true;
    const std::vector<std::string> texts = texts_of(note);
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return in(std::string_view(text)); });
  }
};

Secrets secrets_of(const Grade& grade) {
  Secrets secrets;
  std::vector<std::string> open_sentences;
  for (const auto& stage : grade.stages) {
    for (const auto& c : stage.cases) {
      const bool bare = c.hidden || c.visibility == Visibility::name;
      auto& sentences = bare ? secrets.sentences : open_sentences;
      for (std::string text : {sentence_of(c.reason), hint_of(c.reason)}) {
        if (!text.empty()) sentences.push_back(std::move(text));
      }
      if (bare) (c.hidden ? secrets.ids : secrets.named).push_back(c.id);
    }
  }
  // A sentence that a visible case has, too, reveals nothing, unless it names a hidden case.
  std::erase_if(secrets.sentences, [&](const std::string& s) {
    return std::find(open_sentences.begin(), open_sentences.end(), s) != open_sentences.end();
  });
  return secrets;
}

/// A case whose name may be shown, reduced to outcome and points.
CaseReport named(const CaseReport& c) {
  CaseReport kept;
  kept.id = c.id;
  kept.model = c.model;
  kept.visibility = c.visibility;
  kept.outcome = c.outcome;
  if (c.outcome != Outcome::passed)
    kept.reason =
        text_reason("its details are for the staff", "Test your code at sizes of your own.");
  kept.points = c.points;
  for (auto& item : kept.points) item.reason = text_reason(std::string(words(c.outcome).text));
  return kept;
}

CaseReport redacted(const CaseReport& c, int number) {
  CaseReport kept;
  kept.id = fmt::format("hidden {}", number);
  kept.hidden = true;
  kept.visibility = c.visibility;
  kept.outcome = c.outcome;
  kept.reason = text_reason(fmt::format("hidden case: {}", words(c.outcome).text));
  for (const auto& item : c.points) {
    kept.points.push_back({.name = "hidden case",
                           .points = item.points,
                           .max_points = item.max_points,
                           .reason = text_reason(std::string(words(c.outcome).text)),
                           .open = item.open});
  }
  return kept;
}

/// The case that an item of its stage judges, or null. In a stored report of an earlier version an
/// item has no case id; only the computation of its count names the case.
const CaseReport* judged_by(const PointItem& item, const StageReport& stage) {
  const auto judges = [&](const CaseReport& c) {
    return item.case_id.empty() ? !c.model.empty() && layer_of(item.reason) == c.model
                                : item.case_id == c.id;
  };
  const auto found = std::find_if(stage.cases.begin(), stage.cases.end(), judges);
  return found != stage.cases.end() ? &*found : nullptr;
}

/// A rule's values reveal the sizes of the case that it judges: 6 n additions, bytes, milliseconds.
void redact_items(StageReport& stage) {
  for (auto& item : stage.points) {
    const CaseReport* const c = judged_by(item, stage);
    if (c == nullptr || (!c->hidden && c->visibility != Visibility::name)) continue;
    item.reason =
        text_reason(fmt::format("{}; its details are for the staff", words(c->outcome).text));
    if (!c->hidden) continue;
    item.name = "hidden case";
    item.case_id.clear();
  }
}

void hide(Grade& grade) {
  const Secrets secrets = secrets_of(grade);
  const auto guard = [&](Reason& reason, std::string_view instead) {
    if (secrets.in(reason)) reason = text_reason(std::string(instead));
  };
  int number = 0;
  for (auto& stage : grade.stages) {
    redact_items(stage);
    for (auto& c : stage.cases) {
      if (c.hidden) {
        c = redacted(c, ++number);
      } else if (c.visibility == Visibility::name) {
        c = named(c);
      } else {
        guard(c.reason, words(c.outcome).text);
        if (c.broken_rule) guard(c.broken_rule->reason, "depends on a hidden case");
        for (auto& item : c.points) guard(item.reason, "depends on a hidden case");
      }
    }
    for (auto& item : stage.points) {
      if (secrets.in(item.name)) item.name = "hidden case";
      guard(item.reason, "depends on a hidden case");
    }
    guard(stage.build.reason, words(stage.build.outcome).text);
  }
  guard(grade.reason, fmt::format("{}: {}", number > 0 ? "a hidden case" : grade.reason.about,
                                  words(grade.outcome).text));
  // Students must not read that another student has the same code, either.
  std::erase_if(grade.notes,
                [&](const Note& note) { return note.is<notes::SameFiles>() || secrets.in(note); });
}

/// Students repeat a case of a class run in their submission's folder, with the config that the
/// course handed out.
void hide_seed_and_paths(Grade& grade) {
  grade.seed.reset();
  for (auto& stage : grade.stages) {
    for (auto& c : stage.cases) {
      if (!c.repeat) continue;
      const auto& config = c.repeat->config;
      c.repeat = {.path = ".",
                  .config = config.substr(config.rfind('/') + 1),
                  .device = c.repeat->device,
                  .seed = std::nullopt};
    }
  }
}

}  // namespace

Grade after_deadline(Grade grade) {
  for (auto& stage : grade.stages)
    for (auto& c : stage.cases)
      if (c.visibility == Visibility::after_deadline) {
        c.hidden = false;
        c.visibility = Visibility::open;
      }
  return grade;
}

Grade view_for(const Grade& grade, Audience audience) {
  JsonReport view{audience, grade};
  if (audience == Audience::student) {
    hide(view.grade);
    view.grade.submission_path.clear();
    if (!grade.by_author) hide_seed_and_paths(view.grade);
  }
  Cleaner cleaner;
  fields(cleaner, view);
  return std::move(view.grade);
}

std::string one_line(std::string_view text, std::size_t max_length) {
  // Every byte becomes at least one byte, so text behind the limit is not needed.
  const std::string line = printable_line(text.substr(0, max_length + 8), max_length);
  return cut(without_commands(line), max_length, kLineMark);
}

std::string first_lines(std::string_view text, int max_lines) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::size_t end = 0;
  for (int line = 0; line < max_lines; ++line) {
    end = text.find('\n', end);
    if (end == text.npos) return std::string(text);
    ++end;
  }
  const auto left_out =
      1 + std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n');
  return fmt::format("{}[{} more lines]", text.substr(0, end), left_out);
}

}  // namespace opgrade::report
