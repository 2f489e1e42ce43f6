#include "grader/service/pages/document_view.hpp"

#include <fmt/format.h>

#include "grader/base/core/whole_number.hpp"
#include "grader/course/documents/markdown_page.hpp"
#include "grader/course/documents/served_headers.hpp"
#include "grader/course/exchange/document_file.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/state/status.hpp"

namespace opgrade::service {
namespace {

/// "report.m1-17.pdf": a name of the service's own words only.
std::string file_name_of(const HandIn& h) {
  const std::string& file = h.submission.file;
  return fmt::format("{}-{}{}", h.submission.assignment, h.submission.id,
                     file.substr(file.rfind('.')));
}

}  // namespace

std::string document_file_address(const HandIn& h) {
  return fmt::format("/documents/{}/file", h.submission.id);
}

int again_for_document(const Service& service, const HandIn& h) {
  constexpr int kAgainAfter = 2;
  return service.renderer->look(h.submission).is_coming ? kAgainAfter : 0;
}

void add_document(xml_node parent, const Service& service, const HandIn& h) {
  const auto view = service.renderer->look(h.submission);
  if (!view.shown) {
    add(parent, "p",
        view.is_coming ? "The pages are being made; this takes some seconds." : view.trouble,
        "notice");
    link(add(parent, "p"), "The file", document_file_address(h));
    return;
  }
  const auto kind = course::kind_of_document(h.submission);
  if (const auto note = documents::note_of(view.shown->end, kind); !note.empty())
    add(parent, "p", note, "notice");
  std::vector<std::string> pages;
  for (std::size_t i = 1; i <= view.shown->pages.size(); ++i)
    pages.push_back(fmt::format("/documents/{}/pages/{}", h.submission.id, i));
  if (kind == documents::DocumentKind::markdown) {
    if (!view.shown->markdown.empty())
      documents::add_markdown_document(add(parent, "div", "", "statement"), view.shown->markdown,
                                       pages);
    return;
  }
  for (std::size_t i = 0; i < pages.size(); ++i)
    with(add(parent, "img"), {{"src", pages[i]},
                              {"alt", fmt::format("Page {} of {}", i + 1, pages.size())},
                              {"loading", i > 1 ? "lazy" : "eager"}});
}

namespace pages {
namespace {

HandIn visited_document(const Service& service, const Visit& visit) {
  auto h = own_hand_in(service, visit);
  if (!h.is_document()) throw NotDone(404, "this is no document");
  return h;
}

Response file_response(documents::ServedHeaders served, std::filesystem::path file) {
  return {200, std::move(served.type), "", std::move(served.headers), std::move(file)};
}

}  // namespace

Response document_file(Service& service, const Visit& visit) {
  const auto h = visited_document(service, visit);
  return file_response(documents::download_headers(file_name_of(h)),
                       service.path / h.submission.file);
}

Response document_page(Service& service, const Visit& visit) {
  const auto h = visited_document(service, visit);
  const auto view = service.renderer->look(h.submission);
  const auto number = whole_number<std::size_t>(visit.captured.at(1));
  if (!view.shown || !number || *number < 1 || *number > view.shown->pages.size())
    throw NotDone(404, "the document has no such page");
  return file_response(documents::picture_headers(), view.shown->pages[*number - 1]);
}

}  // namespace pages
}  // namespace opgrade::service
