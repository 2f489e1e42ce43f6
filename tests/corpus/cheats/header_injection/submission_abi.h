#error "the grader's adapter took a header of the submission"
