/* The arguments of a program: `-i a,b -o c -e d -t type`. */
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "types.h"

struct wbArg_t {
  int inputCount = 0;
  char** inputFiles = nullptr;
  char *outputFile = nullptr, *expectedOutput = nullptr, *type = nullptr, *sessionId = nullptr;

  /// Owns the text of the pointers above; all copies share it.
  struct Words {
    std::vector<std::string> inputs;
    std::vector<char*> pointers;
    std::string output, expected, type, session;
  };
  std::shared_ptr<Words> words = std::make_shared<Words>();
};

inline wbArg_t wbArg_read(int argc, char** argv) {
  wbArg_t args;
  wbArg_t::Words& words = *args.words;
  const auto keep = [](char*& where, std::string& word, const std::string& value) {
    word = value;
    where = &word[0];
  };
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "-o") keep(args.outputFile, words.output, value);
    if (name == "-e") keep(args.expectedOutput, words.expected, value);
    if (name == "-t") keep(args.type, words.type, value);
    if (name == "-s") keep(args.sessionId, words.session, value);
    for (size_t at = 0, comma; name == "-i" && at <= value.size(); at = comma + 1) {
      comma = std::min(value.find(',', at), value.size());
      words.inputs.push_back(value.substr(at, comma - at));
    }
  }
  for (std::string& input : words.inputs) words.pointers.push_back(&input[0]);
  args.inputCount = static_cast<int>(words.pointers.size());
  args.inputFiles = words.pointers.data();
  return args;
}
inline wbArg_t wbArg_new(int*, char***) { return {}; }
inline void wbArg_delete(wbArg_t) {}

inline int wbArg_getInputCount(const wbArg_t& args) { return args.inputCount; }
inline char** wbArg_getInputFiles(const wbArg_t& args) { return args.inputFiles; }
inline char* wbArg_getInputFile(const wbArg_t& args, int i) {
  if (i < 0 || i >= args.inputCount) wb::fail("there is no input " + std::to_string(i));
  return args.inputFiles[i];
}
inline char* wbArg_getOutputFile(const wbArg_t& args) { return args.outputFile; }
inline char* wbArg_getExpectedOutputFile(const wbArg_t& args) { return args.expectedOutput; }
inline char* wbArg_getType(const wbArg_t& args) { return args.type; }
inline char* wbArg_getSessionId(const wbArg_t& args) { return args.sessionId; }
#define wbArg_setInputCount(args, value) ((args).inputCount = (value))
#define wbArg_setInputFiles(args, value) ((args).inputFiles = (value))
#define wbArg_setInputFile(args, i, value) ((args).inputFiles[i] = (value))
#define wbArg_setOutputFile(args, value) ((args).outputFile = (value))
#define wbArg_setExpectedOutputFile(args, value) ((args).expectedOutput = (value))
#define wbArg_setType(args, value) ((args).type = (value))
#define wbArg_setSessionId(args, value) ((args).sessionId = (value))
