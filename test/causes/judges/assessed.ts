import { windowOf } from '#libs/application';
import { assess } from '#libs/domain';
import type { Judge } from './judge.js';

/** As the controller looks: from five minutes before the incident is opened. What is older is how it was. */
const WINDOW_MS = 300_000;

/** Jobwarden's own assessment, from the same events. */
export const assessed: Judge = {
  name: 'assessment of the log',
  names: true,
  judge: ({ log, queues, askedMs }) =>
    assess(windowOf(log, { queues: queues.map((queue) => `default/${queue}`), fromMs: askedMs - WINDOW_MS, toMs: askedMs })),
};
