/** What each call on a job will do, said before it is done. */
export const actions = {
  label: 'What you can do',
  cancel: {
    label: 'Cancel',
    says: (id: string) => `Cancels the job ${id}: no further attempt is given, and whoever runs it is told to stop. A worker that does not listen may still end its work.`,
  },
  restart: {
    label: 'Restart',
    says: (id: string) => `Asks the worker of the job ${id} to stop. When it has let go, or the grace has passed, the next attempt is given. It uses up one retry.`,
    again: (id: string) => `Sends the command of the job ${id} out again. Its attempt and its token stay the same, and no retry is used up.`,
  },
  /** Why the service would not, where somebody else was quicker or a bound is reached; by the code of its answer. */
  conflict: {
    not_dead_lettered: 'Somebody was quicker: it is no dead letter any more. Close this; the page says what became of it.',
    not_finished: 'Somebody was quicker: it is on its way round again. Close this; the page says what became of it.',
    finished: 'Somebody was quicker: it is closed already. Close this; the page says what became of it.',
    not_closable: 'Somebody was quicker: it is on its way round again. Close this; the page says what became of it.',
    already_succeeded: 'An attempt of it has succeeded meanwhile. There is nothing left to do.',
    payload_changed: 'Somebody has changed its payload while you looked. Close this, and change it as it is now.',
    result_differs: 'Its payload is another one by now. Look at the difference again.',
    payload_erased: 'Its payload was erased for good: it cannot be run again. It can still be resolved or discarded.',
    max_redrives: 'It was redriven as often as its policy allows (maxRedrives). Tick the box above if it should go once more nevertheless.',
  },
  redrive: {
    label: 'Redrive',
    says: (id: string) => `Sends the job ${id} round again as it is: one more attempt with a higher token, and its retries counted anew. Its history stays.`,
    force: 'Also if it was redriven as often as it may be',
  },
  resolve: {
    label: 'Resolve',
    says: (id: string) => `Declares the job ${id} done, as if it had ended well: the work was done in another way, or need not be. Whoever runs it is told to stop.`,
  },
  discard: {
    label: 'Discard',
    says: (id: string) => `Gives the job ${id} up: its work will not be done. Whoever runs it is told to stop. It can be redriven later.`,
  },
  limits: {
    label: 'Change limits',
    says: (id: string) => `Changes how often the job ${id} is tried and how long it may run. For this job alone; what you leave empty stays as it is.`,
    maxRetries: 'Retries after the first attempt',
    timeout: 'Hard timeout in seconds',
    range: 'A whole number from 0 to 100.',
    timeoutRange: 'More than 0, at most 400 days (34,560,000).',
  },
  erase: {
    label: 'Erase payload',
    says: (id: string) =>
      `Erases what was told of the job ${id} besides the log, for good: its payload, snapshots, stacks, long messages and progress. It can never be run again; if it is not finished, somebody has to close it by hand.`,
    done: (bodies: string, commands: string, entries: string) => `Erased: ${bodies} bodies, ${commands} messages and ${entries} entries of the quarantine.`,
    outOfReach: 'What cannot be taken back:',
  },
  patch: 'Change payload',
  approve: {
    label: 'Approve',
    says: (id: string, what: string) => `Lets it be done for the job ${id}, at the next look, if it is still true then: “${what}”.`,
    observing: 'Its queue only observes: nothing may be done there, not even with an approval. Move the queue to “approving” first.',
  },
  fixture: 'Copy as a test',
} as const;
