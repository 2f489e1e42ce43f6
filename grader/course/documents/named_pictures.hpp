/// Which pictures of a hand-in its Markdown names, and where its tree shows them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade::documents {

/// A PNG or JPEG of the same hand-in as a Markdown document.
struct NamedPicture {
  std::string path;  ///< from the document's folder
  std::string bytes;
};

/// File names that a text may mean by its pictures: what stands before each ".png", ".jpg" and
/// ".jpeg", as it is and percent-decoded. Too many rather than too few, because cmark-gfm, which
/// runs in the sandbox alone, decides what is a picture. Of a text with thousands, the first ones.
std::set<std::string> picture_names_in(std::string_view markdown);

/// The paths of PNG and JPEG files in a text, from its folder, each once: what a client sends along
/// with it. Words alone are read, so a path with blanks is found if they are written as %20.
std::vector<std::string> paths_in(std::string_view markdown);

/// The picture that a destination in the text means: the one of this path, else the only one of
/// this file name, because a form in a browser sends no folders. nullptr for other addresses.
const NamedPicture* find_picture(std::span<const NamedPicture> pictures,
                                 std::string_view destination);

/// True for a destination that leads out of the hand-in: another host, a scheme such as data.
bool is_elsewhere(std::string_view destination);

/// The attribute of an image in RenderedDocument::markdown: which of the rendered pictures it is,
/// from 1 on; 0 for a file of the hand-in that cannot be shown.
inline constexpr const char* kShownAs = "opgrade-shown";

}  // namespace opgrade::documents
