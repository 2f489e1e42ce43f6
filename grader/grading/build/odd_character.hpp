/// Characters that an editor shows as nothing or as another one, and that stop a compiler.
#pragma once

#include <optional>
#include <string>

namespace opgrade {

struct OddCharacter {
  std::string name;          ///< "a zero-width space (U+200B)"
  std::string instead;       ///< the character that it looks like and that is meant, with quotes;
                             ///< empty if there is none
  int line = 0, column = 0;  ///< in characters, from 1
};

/// The first odd character of the source, called `file`, that has to do with an error among the
/// compiler's messages: a message is about its line, or about the word that the source would have
/// without it. Texts and comments may hold any character. Names may, too: a letter that looks like
/// another one is reported only if its word also occurs with the other one.
std::optional<OddCharacter> find_odd_character(const std::string& source, const std::string& file,
                                               const std::string& messages);

}  // namespace opgrade
