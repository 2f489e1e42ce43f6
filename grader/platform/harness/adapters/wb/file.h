/* Files by their handles. */
#pragma once

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <string>

#include "text.h"

struct st_wbFile_t {
  std::string file, mode;
  FILE* handle = nullptr;
  char* data = nullptr;  ///< the data that were read last
};
typedef st_wbFile_t* wbFile_t;

inline wbFile_t wbFile_new() { return new st_wbFile_t; }
inline wbFile_t wbFile_open(const char* name, const char* mode = "r") {
  FILE* const handle = fopen(name, mode);
  if (handle == nullptr) return nullptr;
  const wbFile_t file = wbFile_new();
  file->file = name;
  file->mode = mode;
  file->handle = handle;
  return file;
}
inline void wbFile_close(wbFile_t file) {
  if (file == nullptr) return;
  if (file->handle != nullptr) fclose(file->handle);
  file->handle = nullptr;
}
inline void wbFile_delete(wbFile_t file) {
  wbFile_close(file);
  if (file != nullptr) free(file->data);
  delete file;
}
inline void wbFile_rewind(wbFile_t file) { rewind(file->handle); }
inline size_t wbFile_size(wbFile_t file) {
  struct stat status;
  return fstat(fileno(file->handle), &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
}
/// Reads `size` * `count` bytes and appends a 0. The result is valid until the next call.
inline char* wbFile_read(wbFile_t file, size_t size, size_t count) {
  free(file->data);
  file->data = static_cast<char*>(calloc(size * count + 1, 1));
  return file->data != nullptr && fread(file->data, size, count, file->handle) > 0 ? file->data
                                                                                   : nullptr;
}
inline char* wbFile_read(wbFile_t file, size_t length) { return wbFile_read(file, 1, length); }
inline char* wbFile_read(wbFile_t file) { return wbFile_read(file, wbFile_size(file)); }
/// Reads the next line without its end; a null pointer at the end of the file. The result is valid
/// until the next call.
inline char* wbFile_readLine(wbFile_t file) {
  std::string line;
  int c = fgetc(file->handle);
  if (c == EOF) return nullptr;
  for (; c != EOF && c != '\n'; c = fgetc(file->handle)) line += static_cast<char>(c);
  free(file->data);
  return file->data = wbString_duplicate(line);
}
inline void wbFile_write(wbFile_t file, const void* buffer, size_t size, size_t count) {
  fwrite(buffer, size, count, file->handle);
}
inline void wbFile_write(wbFile_t file, const void* buffer, size_t length) {
  wbFile_write(file, buffer, 1, length);
}
inline void wbFile_write(wbFile_t file, const std::string& text) {
  wbFile_write(file, text.data(), text.size());
}
inline void wbFile_writeLine(wbFile_t file, const std::string& line) {
  wbFile_write(file, line + "\n");
}
inline wbBool wbFile_existsQ(const char* path) {
  struct stat status;
  return path != nullptr && stat(path, &status) == 0;
}
/// "raw" of "input.raw".
inline char* wbFile_extension(const char* name) {
  const char* const dot = strrchr(name, '.');
  return wbString_duplicate(dot == nullptr ? "" : dot + 1);
}
#define wbFile_getFileName(f) ((f)->file.c_str())
#define wbFile_getMode(f) ((f)->mode.c_str())
#define wbFile_getData(f) ((f)->data)
#define wbFile_getLength(f) wbFile_size(f)
#define wbFile_getFileHandle(f) ((f)->handle)
