/// Shows a document on a page: pictures of its pages, or its text as sanitised HTML. The file
/// itself is only a download.
#pragma once

#include <string>

#include "grader/service/pages/page.hpp"
#include "grader/service/queue/queue.hpp"

namespace opgrade::service {

/// "/documents/17/file".
std::string document_file_address(const HandIn& hand_in);

/// After how many seconds a page with the document loads itself again: 0 unless it is being
/// rendered.
int again_for_document(const Service& service, const HandIn& hand_in);

/// Adds the document. If it cannot be shown, adds the reason and a link to the file.
void add_document(xml_node parent, const Service& service, const HandIn& hand_in);

}  // namespace opgrade::service
