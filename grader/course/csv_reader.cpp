#include "grader/course/csv_reader.hpp"

#include <algorithm>
#include <utility>

#include "grader/core/text_parts.hpp"

namespace opgrade::course {
namespace {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  tl::expected<std::vector<CsvRow>, CsvProblem> read() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      CsvRow row{line_, {}};
      for (bool more = true; more;) {
        const int begin = line_;
        const auto cell = take_cell();
        if (!cell) return tl::unexpected(CsvProblem{begin, cell.error()});
        row.cells.push_back(*cell);
        more = at_ < text_.size() && text_[at_] == ',';
        if (more) ++at_;
      }
      end_line();
      if (std::ranges::any_of(row.cells, [](const auto& cell) { return !cell.empty(); }))
        rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  tl::expected<std::string, std::string> take_cell() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return take_quoted();
    std::string cell;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
      cell += text_[at_++];
    return std::string(trimmed(cell));
  }

  tl::expected<std::string, std::string> take_quoted() {
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      } else if (text_[at_] == '\n') {
        ++line_;
      }
      cell += text_[at_];
    }
    if (at_ >= text_.size())
      return tl::unexpected<std::string>("a quoted cell has no closing quote");
    ++at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
      return tl::unexpected<std::string>(
          "text follows a closing quote; a quote in a cell is written \"\"");
    return cell;
  }

  void end_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

tl::expected<std::vector<CsvRow>, CsvProblem> read_csv(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return CsvReader(text).read();
}

}  // namespace opgrade::course
