/// The content of servers.json: where a user logged in.
///
/// A test holds servers.schema.json to the fields; UPDATE_GOLDEN=1 writes it anew.
#pragma once

#include <map>
#include <string>

#include "grader/core/fields.hpp"

namespace opgrade::client {

inline constexpr const char* kServersSchema = "opgrade-servers-1";

struct Servers {
  std::string last;
  std::map<std::string, std::string> tokens;
};

void fields(auto& io, Is<Servers> auto& s) {
  io.record("servers", "The servers that a user logged in to; for the owner of the file alone.");
  io.version("schema", kServersSchema, "Version of this format.");
  io.rare("last", s.last, "Address of the last one.");
  io.rare("tokens", s.tokens, "By address: the secret that the server knows the user by.");
}

}  // namespace opgrade::client
