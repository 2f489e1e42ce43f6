/* Paths and folders. */
#pragma once

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "text.h"

const char wbDirectorySeperator = '/';

inline char* wbDirectory_name(const char* path) {
  const std::string whole = path;
  const size_t slash = whole.rfind(wbDirectorySeperator);
  return wbString_duplicate(slash == std::string::npos ? std::string() : whole.substr(0, slash));
}
inline const char* wbDirectory_create(const char* folder) {
  mkdir(folder, 0777);
  return folder;
}
inline char* wbDirectory_current() { return getcwd(nullptr, 0); }

template <class First, class... Rest>
char* wbPath_join(const First& first, const Rest&... rest) {
  std::string path = wbString(first);
  const int each[] = {0, (path += wbDirectorySeperator + wbString(rest), 0)...};
  (void)each;
  return wbString_duplicate(path);
}
