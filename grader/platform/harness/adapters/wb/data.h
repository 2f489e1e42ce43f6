/* Data files: text with a line of extents, or images. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

#include "file.h"
#include "image.h"

enum wbImportKind_t {
  wbImportKind_unknown = -1,
  wbImportKind_raw = 0x1000,
  wbImportKind_csv,
  wbImportKind_tsv,
  wbImportKind_ppm,
  wbImportKind_text
};
enum wbExportKind_t {
  wbExportKind_unknown = -1,
  wbExportKind_raw = 0x1000,
  wbExportKind_csv,
  wbExportKind_tsv,
  wbExportKind_ppm,
  wbExportKind_text
};

namespace wb {

/// Reads the extents of a text file, and its values.
template <class T>
T* read(const std::string& name, std::vector<int>& extents) {
  FILE* const in = fopen(name.c_str(), "r");
  char line[256];
  if (in == nullptr || fgets(line, sizeof line, in) == nullptr) fail("cannot read " + name);
  size_t count = 1;
  char* next = line;
  for (char* end;; next = end) {
    const long extent = strtol(next, &end, 10);
    if (end == next) break;
    extents.push_back(static_cast<int>(extent));
    count *= static_cast<size_t>(extent);
  }
  T* const values = static_cast<T*>(malloc((count > 0 ? count : 1) * sizeof(T)));
  for (size_t i = 0; i < count; ++i) {
    double value;
    if (fscanf(in, "%lf", &value) != 1) fail(name + " has fewer values than its first line says");
    values[i] = static_cast<T>(value);
  }
  fclose(in);
  return values;
}

template <class T>
void write(const std::string& name, const T* values, const std::vector<int>& extents) {
  FILE* const out = fopen(name.c_str(), "w");
  if (out == nullptr) fail("cannot write " + name);
  size_t count = 1;
  for (const int extent : extents) {
    fprintf(out, "%d ", extent);
    count *= static_cast<size_t>(extent);
  }
  fputc('\n', out);
  for (size_t i = 0; i < count; ++i) {
    if (static_cast<T>(0.5) == 0)
      fprintf(out, "%lld\n", static_cast<long long>(values[i]));
    else
      fprintf(out, sizeof(T) == 8 ? "%.17g\n" : "%.9g\n", static_cast<double>(values[i]));
  }
  fclose(out);
}

inline bool is_whole(const char* type) { return type[0] == 'I' || type[0] == 'i'; }

inline bool is_text(const char* type) { return type[0] == 'T' || type[0] == 't'; }

}  // namespace wb

inline wbImage_t wbImport(const char* name) { return wbPPM_import(name); }
inline void* wbImport(const char* name, int* rows, int* columns, const char* type = "Real") {
  if (wb::is_text(type)) {  // the characters as they are
    const wbFile_t file = wbFile_open(name);
    if (file == nullptr) wb::fail(std::string("cannot read ") + name);
    if (rows != nullptr) *rows = static_cast<int>(wbFile_size(file));
    if (columns != nullptr) *columns = 1;
    wbFile_read(file);
    char* const text = file->data;
    file->data = nullptr;
    wbFile_delete(file);
    return text;
  }
  std::vector<int> extents;
  void* const values = wb::is_whole(type) ? static_cast<void*>(wb::read<int>(name, extents))
                                          : wb::read<float>(name, extents);
  if (rows != nullptr) *rows = extents.empty() ? 0 : extents[0];
  if (columns != nullptr) *columns = extents.size() > 1 ? extents[1] : 1;
  return values;
}
inline void* wbImport(const char* name, int* length, const char* type = "Real") {
  int rows = 0, columns = 0;
  void* const values = wbImport(name, &rows, &columns, type);
  if (length != nullptr) *length = rows * columns;
  return values;
}

/// Reads the first number of a file.
inline int wbImport_flag(const char* name) {
  FILE* const in = fopen(name, "r");
  int value = 0;
  if (in == nullptr || fscanf(in, "%d", &value) != 1) wb::fail(std::string("cannot read ") + name);
  fclose(in);
  return value;
}

inline void wbExport(const char* name, wbImage_t image) { wbPPM_export(name, image); }
template <class T>
void wbExport(const char* name, const T* values, int length) {
  wb::write(name, values, {length});
}
template <class T>
void wbExport(const char* name, const T* values, int rows, int columns) {
  wb::write(name, values, {rows, columns});
}
inline void wbExport_text(const char* name, const void* text, int length) {
  const wbFile_t file = wbFile_open(name, "w");
  if (file == nullptr) wb::fail(std::string("cannot write ") + name);
  wbFile_write(file, text, static_cast<size_t>(length));
  wbFile_delete(file);
}
inline void wbExport(const char* name, wbExportKind_t kind, void* data, int rows, int columns,
                     wbType_t type) {
  if (kind == wbExportKind_ppm) return wbPPM_export(name, static_cast<wbImage_t>(data));
  if (kind == wbExportKind_text) return wbExport_text(name, data, rows * columns);
  switch (type) {
    case wbType_float:
      return wbExport(name, static_cast<float*>(data), rows, columns);
    case wbType_double:
      return wbExport(name, static_cast<double*>(data), rows, columns);
    case wbType_integer:
      return wbExport(name, static_cast<int*>(data), rows, columns);
    default:
      return wbExport(name, static_cast<unsigned char*>(data), rows, columns);
  }
}
