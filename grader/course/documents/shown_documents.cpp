#include "grader/course/documents/shown_documents.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>
#include <system_error>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/base/files/text_file.hpp"

namespace opgrade::documents {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnd = "end";  // two lines: how far it is shown, the limit that was reached
constexpr const char* kTree = "markdown.xml";

using End = RenderEnd::Kind;
constexpr std::array<std::pair<End, const char*>, 5> kEnds{{{End::whole, "whole"},
                                                            {End::more_pages, "more_pages"},
                                                            {End::limit_reached, "limit_reached"},
                                                            {End::unreadable, "unreadable"},
                                                            {End::not_installed, "not_installed"}}};

std::string text_of_end(const RenderEnd& end) {
  for (const auto& [kind, word] : kEnds)
    if (kind == end.kind)
      return fmt::format("{}\n{}\n", word, end.limit ? text_of(*end.limit) : "");
  return "";
}

std::optional<RenderEnd> read_end(const std::string& text) {
  std::istringstream lines(text);
  std::string word, limit;
  std::getline(lines, word);
  std::getline(lines, limit);
  for (const auto& [kind, name] : kEnds)
    if (word == name) return RenderEnd{kind, limit_of(limit)};
  return std::nullopt;
}

fs::path page_file(const fs::path& folder, std::size_t number) {
  return folder / fmt::format("page-{:03}.png", number);
}

/// Only a digest is accepted as a folder's name.
fs::path folder_of(const fs::path& folder, const std::string& sha256) {
  if (sha256.size() != 64 || sha256.find_first_not_of("0123456789abcdef") != sha256.npos)
    throw Error(fmt::format("'{}' is no SHA-256 of a document", sha256),
                "give sha256_of_text() of its bytes");
  return folder / sha256;
}

Error not_kept(const fs::path& folder, const std::error_code& why) {
  return Error(
      fmt::format("cannot keep a rendered document in {}: {}", folder.string(), why.message()),
      "is the disk full?");
}

}  // namespace

std::optional<ShownDocument> find_shown(const fs::path& folder, const std::string& sha256) {
  const fs::path own = folder_of(folder, sha256);
  const auto text = read_text_file(own / kEnd);
  const auto end = text ? read_end(*text) : std::nullopt;
  if (!end) return std::nullopt;
  ShownDocument shown{{}, read_text_file(own / kTree).value_or(""), *end};
  std::error_code missing;
  for (std::size_t number = 1; fs::exists(page_file(own, number), missing); ++number)
    shown.pages.push_back(page_file(own, number));
  return shown;
}

void keep_shown(const fs::path& folder, const std::string& sha256,
                const RenderedDocument& rendered) {
  if (rendered.end.kind == End::not_installed) return;
  const fs::path own = folder_of(folder, sha256);
  const fs::path partial = folder / fmt::format("{}.{:016x}.partial", sha256, SystemRandom()());
  std::error_code failed;
  fs::create_directories(partial, failed);
  if (failed) throw not_kept(folder, failed);
  std::size_t number = 0;
  for (const std::string& page : rendered.pages)
    write_whole(page_file(partial, ++number), page, 0600);
  if (!rendered.markdown.empty()) write_whole(partial / kTree, rendered.markdown, 0600);
  write_whole(partial / kEnd, text_of_end(rendered.end), 0600);
  std::error_code taken;
  fs::rename(partial, own, taken);
  // Another process has rendered the same bytes meanwhile; its pictures are kept.
  std::error_code gone;
  if (taken) fs::remove_all(partial, gone);
  if (taken && !find_shown(folder, sha256)) throw not_kept(folder, taken);
}

void keep_within(const fs::path& folder, std::uintmax_t bytes) {
  struct Kept {
    fs::path path;
    fs::file_time_type made;
    std::uintmax_t bytes = 0;
  };
  std::vector<Kept> all;
  std::uintmax_t sum = 0;
  std::error_code gone;  // set if another process removes the folder
  for (const auto& entry : fs::directory_iterator(folder, gone)) {
    Kept one{entry.path(), entry.last_write_time(gone)};
    for (const auto& file : fs::directory_iterator(entry.path(), gone))
      if (const auto size = file.file_size(gone); !gone) one.bytes += size;
    sum += one.bytes;
    all.push_back(std::move(one));
  }
  std::ranges::sort(all, {}, &Kept::made);
  for (const Kept& one : all) {
    if (sum <= bytes) return;
    fs::remove_all(one.path, gone);
    sum -= one.bytes;
  }
}

}  // namespace opgrade::documents
