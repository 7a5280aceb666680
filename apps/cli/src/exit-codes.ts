/** What a command ends with; scripts rely on it. */
export const EXIT = {
  /** Done, and nothing to complain about. */
  fine: 0,
  /** Differences were found, or some of the work failed. */
  differences: 1,
  /** Refused, or called wrongly: nothing was done. */
  refused: 2,
  /** The database or the service did not answer. */
  unreachable: 3,
  /** Neither yes nor no so far. */
  undecided: 4,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
