/// Secrets of clients: tokens, session cookies, keys in forms.
#pragma once

#include <string>
#include <string_view>

namespace opgrade::service {

/// 256 random bits of the system as 64 hex digits.
std::string new_secret();

/// As it is stored and looked up. The time of a look-up depends on the hash, which a client that
/// guesses cannot steer towards a stored one.
std::string hash_of_secret(const std::string& secret);

/// Compares in a time that depends on the lengths alone.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace opgrade::service
