import { jsonEvents } from '#libs/contracts';
import type { JobRef } from '#libs/domain';

type Json = Readonly<Record<string, unknown>>;

export interface LeftOfCommand {
  readonly message: string;
  readonly hadPayload: boolean;
}

/** An enqueue command without payload and progress; null: it has neither. */
export function commandWithout(text: string): LeftOfCommand | null {
  const { data, ...envelope } = JSON.parse(text) as { readonly data?: Json };
  const { payload, progress, ...rest } = data ?? {};
  if (payload === undefined && progress === undefined) return null;
  return { message: JSON.stringify({ ...envelope, data: rest }), hadPayload: payload !== undefined };
}

/** What names a job, and says which attempt: all that is left of it in a list with others. */
const NAMES = ['queue', 'id', 'attempt', 'token'];

/**
 * What is left of an entry in quarantine that names several jobs, without what it says of this one; null: nothing changes. What it
 * says of the others is theirs, and holds their verdicts back until it is replayed.
 */
export function entryWithout(bytes: Uint8Array, ref: JobRef): Buffer | null {
  // Digits that a double would lose are theirs too.
  const event = jsonEvents(Buffer.from(bytes).toString('utf8')).events[0] as Json & { readonly data: Json };
  const { data } = event;
  // Where a redaction rule has cut the list, nothing of it is there.
  if (!Array.isArray(data['jobs'])) return null;
  const own = event['subject'] === ref.id && data['queue'] === ref.queue;
  const jobs = (data['jobs'] as readonly (Json | null)[]).map((job) => (job !== null && job['queue'] === ref.queue && job['id'] === ref.id ? only(NAMES, job) : job));
  const left = JSON.stringify({ ...event, data: { ...(own ? only(NAMES, data) : data), jobs } });
  return left === JSON.stringify(event) ? null : Buffer.from(left);
}

function only(names: readonly string[], of: Json): Json {
  return Object.fromEntries(Object.entries(of).filter(([name]) => names.includes(name)));
}
