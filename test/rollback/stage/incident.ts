import { waitUntil } from '#libs/testing';
import type { Shipped } from '../../e2e/cases/shipped.js';
import { badOf } from './pool.js';

export interface Step {
  readonly n: number;
  readonly type: string;
  readonly at: string;
  readonly reason: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

export interface Incident {
  readonly incidentId: string;
  readonly status: string;
  readonly summary: string;
  readonly steps: readonly Step[];
}

/** What became of the pool, as an operator reads it: its own incident, or that of its bad release. null: nothing yet. */
export async function incidentOf(service: Shipped, pool: string): Promise<Incident | null> {
  const listed = await service.all<{ readonly incidentId: string; readonly subject: string }>('/v1/incidents?kind=saturation');
  const ours = listed.find(({ subject }) => subject === `${pool}/workers` || subject.endsWith(badOf(pool)));
  return ours === undefined ? null : await service.get<Incident>(`/v1/incidents/${ours.incidentId}`);
}

/** Waits until its incident is as `holds` says, and answers it. @throws with how far the run has come. */
export async function untilIncident(service: Shipped, queue: string, holds: (incident: Incident) => boolean): Promise<Incident> {
  const seen: Incident[] = [];
  const look = async (): Promise<boolean> => {
    const incident = await incidentOf(service, queue).catch(asksToRepeat);
    if (incident !== null) seen.push(incident);
    return incident !== null && holds(incident);
  };
  const last = () => seen.at(-1);
  await waitUntil(`the incident of ${queue} is there`, look, { withinMs: WITHIN_MS, everyMs: 500 }).catch((error: unknown) => {
    const incident = last();
    throw new Error(`${queue}: ${incident === undefined ? 'no incident' : runText(incident)}`, { cause: error });
  });
  const incident = last();
  if (incident === undefined) throw new Error(`${queue} has no incident`);
  return incident;
}

/** A service that is busy says so, or takes no connection for a while: this poll asks again. */
function asksToRepeat(error: unknown): null {
  if (error instanceof Error && (error.message.includes(': 503 ') || codeOf(error.cause) === 'UND_ERR_CONNECT_TIMEOUT')) return null;
  throw error;
}

const codeOf = (cause: unknown): unknown => (cause instanceof Error && 'code' in cause ? cause.code : null);

/** Longer than a run waits for anything that it can be waiting for here: one that comes to nothing escalates by itself, and says why. */
const WITHIN_MS = 660_000;

export function stepOf(incident: Incident, type: string): Step | null {
  return incident.steps.find((step) => step.type === type) ?? null;
}

export const atMs = (step: Step): number => Date.parse(step.at);

/** The whole run in one line, and what it was taken for where it was given to a person. */
export function runText({ steps }: Incident): string {
  const words = steps.map(({ type, reason, evidence }) => {
    if (type === 'readmitting') return `readmitting ${JSON.stringify(evidence?.['percent'] ?? '')}`;
    if (type === 'cause-assessed') return reason;
    return type === 'escalated' ? `escalated (${reason})` : type;
  });
  return words.join(' → ');
}
