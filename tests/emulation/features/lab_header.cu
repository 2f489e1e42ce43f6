// Every name of libwb that a program may use, by both spellings of the header and its names.
#include <gputk.h>
#include <wb.h>

#include "expect.cuh"

namespace {

std::string folder;
std::string path(const char* name) { return folder + "/" + name; }

void texts() {
  EXPECT(wbString("n = ", 3, ", ", 1.5, " ", true) == "n = 3, 1.5 True");
  EXPECT(wbString(vector<int>{1, 2}) == "{1, 2}");
  EXPECT(wbString(vector<string>{"a\"", "b"}) == "{\"a\\\"\", \"b\"}");
  EXPECT(wbString() == "");
  string text = "aXbX";
  wbString_replace(text, "X", "yy");
  EXPECT(text == "ayybyy");
  EXPECT(wbString_sameQ("a", string("a")) && !wbString_sameQ("a", "b"));
  EXPECT(wbString_startsWith("-input", "-i") && !wbString_startsWith("i", "-i"));
  char* lower = wbString_toLower("AbC");
  EXPECT(wbString_sameQ(lower, "abc"));
  wbFree(lower);
  EXPECT(lower == nullptr);
  stringstream stream;
  stream << 1 << endl;
  wbLog(TRACE, "seen ", stream.str().size(), " characters");
  wbLog(ERROR, vector<int>(2, 1));
  gpuTKLog(INFO, "by its other name");
  wbTime_start(GPU, "part ", 1);
  wbTime_stop(GPU, "part ", 1);
  wbTimer_start(wbTimerKind_Copy, "message", wbFile, wbFunction, wbLine);
  wbTimer_stop(wbTimerKind_Copy, "message", wbFile, wbFunction, wbLine);
  wbAssert(1 == 1);
  wbAssertMessage("never", 1 == 1);
  sleep(0);
  const uint8_t small = 255;
  const uint32_t wide = 1U << 31;
  const int64_t widest = INT64_MAX;
  EXPECT(small == 255 && wide > 0 && widest > 0);
}

void arguments() {
  char words[][40] = {"program", "-e", "e.raw",          "-i", "a.raw,b.raw", "-o",
                      "o.raw",   "-t", "integral_vector"};
  char* argv[9];
  for (int i = 0; i < 9; ++i) argv[i] = words[i];
  wbArg_t args = wbArg_read(9, argv);
  const wbArg_t copy = args;
  EXPECT(wbArg_getInputCount(args) == 2 && args.inputCount == 2);
  EXPECT(wbString_sameQ(wbArg_getInputFile(copy, 1), "b.raw"));
  EXPECT(wbString_sameQ(wbArg_getInputFiles(args)[0], "a.raw"));
  EXPECT(wbString_sameQ(wbArg_getOutputFile(args), "o.raw"));
  EXPECT(wbString_sameQ(wbArg_getExpectedOutputFile(args), "e.raw"));
  EXPECT(wbString_sameQ(gpuTKArg_getType(args), "integral_vector"));
  string output = path("set.raw");
  wbArg_setOutputFile(args, &output[0]);
  wbArg_setExpectedOutputFile(args, nullptr);
  int values[] = {4, 5};
  void* const untyped = values;
  EXPECT(wbSolution(args, untyped, 2) == wbTrue);
  int n = 0;
  int* const back = (int*)wbImport(output.c_str(), &n, "Integer");
  EXPECT(n == 2 && back[0] == 4 && back[1] == 5);
  free(back);
  wbArg_delete(args);
}

void images() {
  wbImage_t image = wbImage_new(3, 2);
  EXPECT(wbImage_getPitch(image) == 9 && wbImage_getChannels(image) == wbImage_channels);
  for (int i = 0; i < 18; ++i) wbImage_getData(image)[i] = i / 255.0F;
  wbPPM_export(path("a.ppm").c_str(), image);
  const wbImage_t read = wbPPM_import(path("a.ppm").c_str());
  EXPECT(wbImage_getWidth(read) == 3 && wbImage_getHeight(read) == 2 && wbImage_sameQ(read, image));
  EXPECT(gpuTKImage_getPitch(read) == 9);
  float* const data = wbNewArray(float, 2);
  data[0] = data[1] = 1;
  const wbImage_t other = wbImage_new(2, 1, 1, data);
  EXPECT(!wbImage_sameQ(read, other));
  wbImage_delete(image);
  wbImage_delete(read);
  wbImage_delete(other);
}

void files() {
  wbFile_t out = wbFile_open(path("t.txt").c_str(), "w");
  wbFile_writeLine(out, "7 first");
  wbFile_write(out, "second");
  wbFile_delete(out);
  EXPECT(wbFile_existsQ(path("t.txt").c_str()) && !wbFile_existsQ(path("none").c_str()));
  wbFile_t in = wbFile_open(path("t.txt").c_str());
  EXPECT(wbFile_size(in) == 14);
  EXPECT(wbString_sameQ(wbFile_readLine(in), "7 first"));
  EXPECT(wbString_sameQ(wbFile_readLine(in), "second"));
  EXPECT(wbFile_readLine(in) == nullptr);
  wbFile_rewind(in);
  EXPECT(wbString_sameQ(wbFile_read(in), "7 first\nsecond"));
  wbFile_delete(in);
  EXPECT(wbFile_open(path("none").c_str()) == nullptr);
  EXPECT(wbImport_flag(path("t.txt").c_str()) == 7);
  int length = 0;
  char* const text = (char*)wbImport(path("t.txt").c_str(), &length, "Text");
  EXPECT(length == 14 && text[0] == '7');
  free(text);
  char* const extension = wbFile_extension("a/b.raw");
  char* const joined = wbPath_join("a", string("b"), "c.raw");
  char* const name = wbDirectory_name("a/b.raw");
  char* const current = wbDirectory_current();
  EXPECT(wbString_sameQ(extension, "raw") && wbString_sameQ(joined, "a/b/c.raw") &&
         wbString_sameQ(name, "a"));
  EXPECT(current != nullptr);
  for (char* one : {extension, joined, name, current}) free(one);
  wbReal_t reals[] = {0.5F, 2};
  wbExport(path("r.raw").c_str(), wbExportKind_raw, reals, 2, 1, wbType_real);
  int rows = 0, columns = 0;
  float* const back = (float*)gpuTKImport(path("r.raw").c_str(), &rows, &columns);
  EXPECT(rows == 2 && columns == 1 && back[0] == 0.5F && wbEqualQ(back, reals, 2));
  free(back);
}

void values() {
  int numbers[] = {1, 3, 2}, keys[] = {5, 9, 7};
  wbSortByKey(numbers, keys, 3);
  EXPECT(numbers[0] == 3 && numbers[1] == 2 && keys[0] == 9);
  wbSort(numbers, 0, 2);
  EXPECT(numbers[0] == 3 && numbers[2] == 1);
  double wide[3];
  wbCast(wide, numbers, 3);
  EXPECT(wide[0] == 3);
  float* narrow = wbCast<float>(numbers, 3);
  EXPECT(narrow[2] == 1);
  wbDelete(narrow);
  wbBool yes = wbTrue;
  wbChar_t letter = 'a';
  EXPECT(yes != wbFalse && letter == 'a' && wbType_size(wbType_double) == 8);
  EXPECT(wbEqualQ(1.0F, 1.01F) && wbUnequalQ(1, 2) && wbCompare(1, 2) < 0);
  EXPECT(rankCount() == 1 && wbMPI_getRank() == 0);
  float* device = nullptr;
  EXPECT(wbCUDAMalloc(&device, 4) == cudaSuccess && wbCUDAFree(device) == cudaSuccess);
}

}  // namespace

extern "C" int run() {
  char name[] = "/tmp/opgrade-lab-header-XXXXXX";
  folder = mkdtemp(name);
  texts();
  arguments();
  images();
  files();
  values();
  for (const char* file : {"set.raw", "a.ppm", "t.txt", "r.raw"}) unlink(path(file).c_str());
  EXPECT(rmdir(name) == 0);
  return failures;
}
