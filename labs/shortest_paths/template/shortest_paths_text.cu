int main(int count, char** names) {
  // TODO: your solution, as README.md describes it.
  return 0;
}
