#include "grader/service/http/http_message.hpp"

#include <nlohmann/json.hpp>

#include "grader/base/core/percent.hpp"
#include "grader/base/core/text_parts.hpp"

namespace opgrade::service {
namespace {

/// The value of `name` in "form-data; name=\"x\"; filename=\"a;b\"". Backslashes are not removed,
/// because browsers write %22 for a quote.
std::optional<std::string> parameter_of(std::string_view header, std::string_view name) {
  std::size_t at = header.find(';');
  while (at != std::string_view::npos) {
    ++at;
    while (at < header.size() && header[at] == ' ') ++at;
    const std::size_t equals = header.find('=', at);
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = trimmed(header.substr(at, equals - at));
    std::string value;
    if (equals + 1 < header.size() && header[equals + 1] == '"') {
      const std::size_t end = header.find('"', equals + 2);
      if (end == std::string_view::npos) return std::nullopt;
      value = header.substr(equals + 2, end - equals - 2);
      at = header.find(';', end);
    } else {
      at = header.find(';', equals);
      value =
          trimmed(header.substr(equals + 1, at == std::string_view::npos ? at : at - equals - 1));
    }
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string Request::target() const {
  std::string text = encode_percent(path, "/");
  char before = '?';
  for (const auto& [name, value] : query) {
    text += before + encode_percent(name) + "=" + encode_percent(value);
    before = '&';
  }
  return text;
}

std::string Request::cookie(const std::string& name) const {
  for (const auto& one : split(header("cookie"), ';'))
    if (const auto cookie = trimmed(one); cookie.starts_with(name + "="))
      return std::string(cookie.substr(name.size() + 1));
  return "";
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::map<std::string, std::string> read_form(std::string_view text) {
  std::map<std::string, std::string> fields;
  for (const std::string& one : split(text, '&')) {
    const auto equals = std::min(one.find('='), one.size());
    const auto name = decode_percent(one.substr(0, equals), true);
    if (!name.empty())
      fields[name] = decode_percent(one.substr(std::min(equals + 1, one.size())), true);
  }
  return fields;
}

std::optional<std::vector<FormPart>> read_multipart(const std::string& content_type,
                                                    std::string_view body, std::size_t most) {
  if (!lowercase(content_type).starts_with("multipart/form-data")) return std::nullopt;
  const auto boundary = parameter_of(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > 70) return std::nullopt;
  const std::string mark = "--" + *boundary;
  const std::string next = "\r\n" + mark;
  if (!body.starts_with(mark)) return std::nullopt;
  body.remove_prefix(mark.size());
  std::vector<FormPart> parts;
  while (!body.starts_with("--")) {
    if (!body.starts_with("\r\n") || parts.size() >= most) return std::nullopt;
    body.remove_prefix(2);
    FormPart part;
    bool named = false;
    for (;;) {
      const auto end = body.find("\r\n");
      if (end == std::string_view::npos || end > 4096) return std::nullopt;
      const std::string_view line = body.substr(0, end);
      body.remove_prefix(end + 2);
      if (line.empty()) break;
      if (!lowercase(line.substr(0, 20)).starts_with("content-disposition:")) continue;
      const auto name = parameter_of(line, "name");
      if (!name) return std::nullopt;
      part.name = *name;
      part.file_name = parameter_of(line, "filename").value_or("");
      named = true;
    }
    const auto end = body.find(next);
    if (!named || end == std::string_view::npos) return std::nullopt;
    part.bytes = body.substr(0, end);
    body.remove_prefix(end + next.size());
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace opgrade::service
