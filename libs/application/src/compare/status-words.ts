import { JOB_STATUSES, type JobStatus } from '#libs/domain';

/** What somebody else says of a job, in our words; `unknown`: he says that there is none. */
export type TheirStatus = JobStatus | 'unknown';

/** Answers what a word of theirs means here; null: nobody has said. */
export type StatusWords = (word: string) => TheirStatus | null;

/** States as these queues name them. */
export const STATUS_PRESETS = {
  bullmq: {
    waiting: 'queued',
    wait: 'queued',
    prioritized: 'queued',
    paused: 'queued',
    'waiting-children': 'queued',
    delayed: 'retrying',
    active: 'processing',
    completed: 'succeeded',
    failed: 'failed',
    unknown: 'unknown',
  },
  'pg-boss': {
    created: 'queued',
    retry: 'retrying',
    active: 'processing',
    completed: 'succeeded',
    cancelled: 'cancelled',
    failed: 'failed',
    expired: 'failed',
  },
} as const satisfies Record<string, Readonly<Record<string, TheirStatus>>>;
export const PRESET_NAMES = Object.keys(STATUS_PRESETS) as readonly (keyof typeof STATUS_PRESETS)[];

const TARGETS: readonly TheirStatus[] = [...JOB_STATUSES, 'unknown'];

export type ParsedWords =
  | { readonly ok: true; readonly words: StatusWords }
  | { readonly ok: false; readonly field: 'map' | 'preset'; readonly rule: string; readonly send: string };

/** `map` is `theirs:ours,theirs:ours`. Our own words need no mapping; of both, only one may be given. */
export function statusWords(map: string | undefined, preset: string | undefined): ParsedWords {
  if (map !== undefined && preset !== undefined) {
    return refused('map', 'is given together with `preset`', 'Give one of the two.');
  }
  if (preset !== undefined) {
    const found = PRESET_NAMES.find((name) => name === preset);
    if (found === undefined) return refused('preset', 'is not known', `Known are ${PRESET_NAMES.join(', ')}.`);
    return { ok: true, words: wordsOf(new Map(Object.entries(STATUS_PRESETS[found]))) };
  }
  const pairs = new Map<string, TheirStatus>();
  for (const pair of map === undefined ? [] : map.split(',')) {
    const at = pair.lastIndexOf(':');
    const word = pair.slice(0, Math.max(at, 0)).trim();
    const target = TARGETS.find((t) => t === pair.slice(at + 1).trim());
    if (word === '') return refused('map', `has ${JSON.stringify(pair)}, which is no pair`, 'Write theirs:ours,theirs:ours.');
    if (target === undefined) {
      return refused('map', `has ${JSON.stringify(pair)}, whose second word is no status`, `Known are ${TARGETS.join(', ')}.`);
    }
    pairs.set(word, target);
  }
  return { ok: true, words: wordsOf(pairs) };
}

function wordsOf(pairs: ReadonlyMap<string, TheirStatus>): StatusWords {
  return (word) => pairs.get(word) ?? JOB_STATUSES.find((status) => status === word) ?? null;
}

function refused(field: 'map' | 'preset', rule: string, send: string): ParsedWords {
  return { ok: false, field, rule, send };
}
