#include "grader/emulation/translator/merge_sides.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "grader/emulation/translator/members.hpp"
#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// A token outside functions, or the body of a function: tokens [first, last].
struct Piece {
  std::size_t first, last;
  bool body;
};

struct Side {
  Side(std::string_view preprocessed, std::string_view own_headers)
      : text(preprocessed),
        lexed(lex(preprocessed, own_headers)),
        tokens(lexed.tokens),
        scopes(map_scopes(tokens)) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::size_t close = scopes.opens_body[i] ? tokens.close_of(i) : kNone;
      if (close == kNone) {
        pieces.push_back({i, i, false});
        continue;
      }
      pieces.push_back({i, close, true});
      i = close;
    }
  }

  bool same_tokens(const Piece& own, const Side& other, const Piece& others) const {
    if (own.last - own.first != others.last - others.first) return false;
    for (std::size_t i = 0; i <= own.last - own.first; ++i)
      if (tokens[own.first + i].text != other.tokens[others.first + i].text) return false;
    return true;
  }

  bool matches(std::size_t piece, const Side& other, std::size_t others) const {
    const Piece &a = pieces[piece], &b = other.pieces[others];
    return a.body && b.body ? true : a.body == b.body && same_tokens(a, other, b);
  }

  std::size_t offset(std::size_t piece) const {
    return piece < pieces.size() ? tokens[pieces[piece].first].offset : text.size();
  }
  std::string marker(std::size_t token) const {
    const Token& t = tokens[token];
    return "\n# " + std::to_string(t.line) + " \"" + lexed.files[static_cast<std::size_t>(t.file)] +
           "\"\n" + std::string(static_cast<std::size_t>(t.column - 1), ' ');
  }
  /// The text of tokens [first, last], with line markers that name their own lines.
  std::string quote(std::size_t first, std::size_t last) const {
    const std::size_t begin = tokens[first].offset;
    return marker(first) + std::string(text.substr(begin, tokens[last].end() - begin));
  }

  std::string_view text;
  LexedText lexed;
  Cursor tokens;
  ScopeMap scopes;
  std::vector<Piece> pieces;
};

class Merge {
 public:
  Merge(const Side& host, const Side& device) : host_(host), device_(device) {}

  MergedText run() {
    std::size_t h = 0, d = 0;
    while (h < host_.pieces.size() || d < device_.pieces.size()) {
      const bool both = h < host_.pieces.size() && d < device_.pieces.size();
      if (both && host_.matches(h, device_, d)) {
        merge_body(h++, d++);
        continue;
      }
      const auto [more_host, more_device] = to_next_common(h, d);
      const bool layouts_differ =
          changes_objects(host_, h, more_host) || changes_objects(device_, d, more_device);
      if ((more_host > 0 && more_device > 0) || layouts_differ) {
        differ(std::min(h, host_.pieces.size() - 1));
      } else if (more_device > 0) {
        insert(h, d, more_device);
      }
      h += more_host;
      d += more_device;
    }
    out_.text.append(host_.text.substr(copied_));
    return std::move(out_);
  }

 private:
  /// The number of pieces in each text before both texts continue alike.
  std::pair<std::size_t, std::size_t> to_next_common(std::size_t h, std::size_t d) const {
    constexpr std::size_t kAlike = 12;
    const std::size_t hosts = host_.pieces.size() - h, devices = device_.pieces.size() - d;
    for (std::size_t sum = 1; sum <= hosts + devices; ++sum)
      for (std::size_t a = sum > devices ? sum - devices : 0; a <= std::min(sum, hosts); ++a) {
        const std::size_t b = sum - a;
        std::size_t alike = 0;
        while (alike < kAlike && a + alike < hosts && b + alike < devices &&
               host_.matches(h + a + alike, device_, d + b + alike))
          ++alike;
        if (alike == kAlike || (a + alike == hosts && b + alike == devices)) return {a, b};
      }
    return {hosts, devices};
  }

  /// True if the pieces, which the other text lacks, declare data of a class, so that its objects
  /// change in size.
  static bool changes_objects(const Side& side, std::size_t first, std::size_t pieces) {
    if (pieces == 0) return false;
    std::size_t begin = side.pieces[first].first;
    std::size_t end = side.pieces[first + pieces - 1].last + 1;
    // For `int f(); int a;` against `int a;` the comparison may report `f(); int` as the addition,
    // so shift the range to the begin of a statement.
    while (begin > side.scopes.statement[begin] &&
           side.tokens[begin - 1].text == side.tokens[end - 1].text) {
      --begin;
      --end;
    }
    return side.scopes.scope[begin] == Scope::type &&
           change_objects(side.tokens, side.scopes, begin, end);
  }

  void copy_to(std::size_t offset) {
    out_.text.append(host_.text.substr(copied_, offset - copied_));
    copied_ = offset;
  }

  void merge_body(std::size_t h, std::size_t d) {
    const Piece &own = host_.pieces[h], &other = device_.pieces[d];
    if (!own.body || host_.same_tokens(own, device_, other)) return;
    const std::size_t begin = host_.scopes.statement[own.first];
    const bool on_device = host_.tokens.any_is(begin, own.first, {"__device__", "__global__"});
    if (!on_device) return;
    const bool on_host = host_.tokens.any_is(begin, own.first, {"__host__"});
    // A constant can have only one value, not one for each side.
    if (on_host && host_.tokens.any_is(begin, own.first, {"constexpr", "consteval"}))
      return differ(h);
    copy_to(host_.tokens[own.first].offset);
    // The marker says that these words are the driver's, so that a reader of the student's text
    // does not find them.
    if (on_host) out_.text += "\n# 1 \"<opgrade>\"\n{ if (::opgrade_emulation::on_device())";
    out_.text += device_.quote(other.first, other.last);
    if (on_host) out_.text += " else" + host_.quote(own.first, own.last) + " }";
    copied_ = host_.tokens[own.last].end();
    out_.text += "\n# " + std::to_string(host_.tokens[own.last].line) + " \"" +
                 host_.lexed.files[static_cast<std::size_t>(host_.tokens[own.last].file)] + "\"\n";
  }

  /// Inserts declarations that only the device's text has.
  void insert(std::size_t h, std::size_t d, std::size_t pieces) {
    copy_to(host_.offset(h));
    out_.text += device_.quote(device_.pieces[d].first, device_.pieces[d + pieces - 1].last);
    if (h < host_.pieces.size()) out_.text += host_.marker(host_.pieces[h].first);
  }

  void differ(std::size_t h) {
    const Token& at = host_.tokens[host_.pieces[h].first];
    out_.remarks.push_back({Remark::Kind::not_emulated,
                            host_.lexed.files[static_cast<std::size_t>(at.file)], at.line,
                            at.column, "a declaration that __CUDA_ARCH__ changes"});
  }

  const Side& host_;
  const Side& device_;
  MergedText out_;
  std::size_t copied_ = 0;
};

}  // namespace

MergedText merge_sides(std::string_view host, std::string_view device,
                       std::string_view own_headers) {
  const Side host_side(host, own_headers), device_side(device, own_headers);
  return Merge(host_side, device_side).run();
}

bool depends_on_side(std::string_view preprocessed, std::string_view own_headers) {
  std::set<std::string> seen;
  for (std::size_t begin = 0; begin < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', begin), preprocessed.size());
    const std::string_view line = preprocessed.substr(begin, end - begin);
    begin = end + 1;
    // # 1 "file" 1 3 4: 3 is a system header
    const std::size_t open = line.find('"');
    const std::size_t close = line.rfind('"');
    if (!line.starts_with("# ") || open >= close || line.find(" 3", close) != line.npos) continue;
    const std::string file(line.substr(open + 1, close - open - 1));
    if (std::string_view(file).starts_with(own_headers) || !seen.insert(file).second) continue;
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (text.str().find("__CUDA_ARCH__") != std::string::npos) return true;
  }
  return false;
}

}  // namespace opgrade::emulation
