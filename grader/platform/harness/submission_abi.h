/* What an adapter exports from a built submission: plain C, so that any compiler of any interface
 * can provide it. The harness calls these functions; an adapter turns them into the student's. */
#ifndef OPGRADE_SUBMISSION_ABI_H
#define OPGRADE_SUBMISSION_ABI_H

#define OPGRADE_ABI_VERSION 6
#define OPGRADE_MAX_BUFFERS 8
#define OPGRADE_MAX_SIZES 16

/* One computation. The task defines its sizes and buffers and their order; the output is the first
 * buffer, the others are inputs. Elements are float32. The adapter sets the device pointers in its
 * prolog and uses them afterwards. */
typedef struct opgrade_call {
  float* buffer[OPGRADE_MAX_BUFFERS];
  int size[OPGRADE_MAX_SIZES];
  float* device[OPGRADE_MAX_BUFFERS];
  float device_ms; /* of the last forward, by device events; 0 if there are none */
  int events;      /* not 0: forward records them. They lengthen a short call by some us */
  /* For a program: called if it ends its process without the handlers of exit(). Returns in any
   * process but the program's own, and if the harness wants no output. */
  void (*over)(int status);
} opgrade_call;

/* A device tensor that another process can open: CUDA's IPC handle of the allocation, and where in
 * it the tensor starts. */
typedef struct opgrade_shared {
  char handle[64];
  unsigned long long offset;
} opgrade_shared;

typedef struct opgrade_submission {
  int abi_version;
  /* The steps that Layer Time adds to Op Time; null if the interface has no such step. */
  void (*prolog)(opgrade_call*);
  void (*forward)(opgrade_call*); /* what Op Time times */
  void (*epilog)(opgrade_call*);
  /* Waits for the device. Returns 0, or an error number whose text goes to *error. A text with 0 is
   * that of a failed call that was no launch and did not stop the device. Null on the CPU. */
  int (*synchronize)(const char** error);
  /* Runs a little device work, so that no timed call includes the switch to this process. Null on
   * the CPU. */
  void (*touch)(void);
  /* After the prolog: sets handles for the output and for the input that the grader makes fresh on
   * the device. Returns 0 if both can be shared. Null if the device cannot share memory. */
  int (*share)(const opgrade_call*, opgrade_shared shared[2]);
  /* Sends the grader the findings not sent yet (kFindingsFd in protocol.hpp); returns all findings
   * as a JSON list. Null if the device has no findings. */
  const char* (*findings)(void);
  /* Called before each forward, untimed; null if the interface has no such step. */
  void (*prepare)(opgrade_call*);
  /* Called after each epilog, untimed: undoes the submission's changes to its host tensors, such as
   * a registration. Null if there is nothing to undo. */
  void (*release)(const opgrade_call*);
  /* For a program, whose forward does not return but ends the process with the result of main:
   * reads its output file. Called when its last handler has run. Null for a function. */
  void (*collect)(opgrade_call*, int status);
} opgrade_submission;

#ifdef __cplusplus
extern "C"
#endif
    const opgrade_submission*
    opgrade_get_submission(void);

/* The harness exports a `const opgrade_call*` by this name: the call that a program's process
 * makes. The adapter writes the input files before the program's own constructors run. */
#define OPGRADE_PROGRAM_CALL "opgrade_program_call"

/* An adapter exports its opgrade_submission by this. */
#define OPGRADE_EXPORT(submission)                                            \
  extern "C" __attribute__((visibility("default"))) const opgrade_submission* \
  opgrade_get_submission(void) {                                              \
    return &submission;                                                       \
  }

#endif
