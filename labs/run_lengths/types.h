/* What you write in run_lengths.cu. */
namespace rle {

/* The bytes of device memory that run() needs for n numbers. */
size_t get_workspace_size(int n);

/* Stores the value and the length of each run of equal numbers, and in *runs how many there are. All pointers lead to
 * device memory; the workspace holds anything. */
void run(const int* x, int n, void* workspace, int* values, int* lengths, int* runs);

}  // namespace rle
