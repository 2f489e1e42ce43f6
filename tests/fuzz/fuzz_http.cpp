// What clients send to the submission service, behind the library that reads HTTP's own bytes:
// queries, forms, uploads of browsers, cookies; and rosters, which staff change by a form.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "grader/base/core/percent.hpp"
#include "grader/course/folder/csv_reader.hpp"
#include "grader/service/http/http_message.hpp"

using namespace opgrade;

namespace {

void demand(bool right) {
  if (!right) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  demand(decode_percent(encode_percent(text), false) == text);
  demand(decode_percent(text, true).size() <= text.size());
  for (const auto& [name, value] : service::read_form(text))
    demand(!name.empty() && name.size() + value.size() <= text.size());

  service::Request request;
  request.headers["cookie"] = text;
  const std::string cookie = request.cookie("name");
  demand(cookie.find(';') == std::string::npos && text.find(cookie) != std::string::npos);

  // The first line is the header, the rest the body.
  const auto end = text.find('\n');
  if (end != std::string::npos) {
    constexpr std::size_t kMost = 20;
    const std::string body = text.substr(end + 1);
    const auto parts = service::read_multipart(text.substr(0, end), body, kMost);
    demand(!parts || parts->size() <= kMost);
    if (parts)
      for (const auto& part : *parts) demand(body.find(part.bytes) != std::string::npos);
  }
  if (const auto rows = course::read_csv(text))
    for (const auto& row : *rows) demand(row.line >= 1 && !row.cells.empty());
  return 0;
}
