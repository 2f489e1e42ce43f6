/// Characters that an editor shows as nothing or as another one, and that stop a compiler.
#pragma once

#include <optional>
#include <string>

namespace opgrade {

struct OddCharacter {
  std::string name;          ///< "a zero-width space (U+200B)"
  std::string instead;       ///< what looks like it and is meant, with quotes; empty: nothing
  int line = 0, column = 0;  ///< in characters, from 1
};

/// The first one of the source, called `file`, that has to do with an error among the compiler's
/// messages: one of them is about its line, or about the word that the source would have without
/// it. Texts and comments may hold any character, and so may names: of a letter that looks like
/// another one, the word must occur with the other one, too.
std::optional<OddCharacter> find_odd_character(const std::string& source, const std::string& file,
                                               const std::string& messages);

}  // namespace opgrade
