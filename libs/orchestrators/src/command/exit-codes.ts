import type { OrchestratorFailure } from '#libs/application';

/**
 * What a command's exit code says; the numbers are those of `sysexits.h`. 0 is done. Every other one, also that of a script which just failed, is
 * `unreachable`: it may pass, and since commands are repeatable it is tried again.
 */
export const EXIT_CODES: ReadonlyMap<number, OrchestratorFailure> = new Map([
  [64, 'unsupported'],
  [65, 'rejected'],
  [66, 'not_found'],
  [73, 'conflict'],
  [75, 'throttled'],
  [77, 'forbidden'],
]);
