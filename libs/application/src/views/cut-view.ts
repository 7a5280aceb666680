import { jobEventType, type Cut, type FactKind } from '#libs/contracts';
import { eventTypeOf } from '#libs/domain';
import { iso } from './time.js';

/** Events of a job, and places in each, that are told: a dead letter has to stay small enough for its topic. */
export const MOST_CUTS = 20;

/** An event as it is stored. */
interface CutEvent {
  readonly type: number;
  readonly id: string;
  readonly laneMs: number;
  readonly data: string;
}

interface Told {
  readonly d?: { readonly attempt?: number; readonly error?: { readonly messageBody?: { readonly hash: string; readonly bytes: number } } };
  readonly x?: readonly string[];
}

/** What redaction and the limit of messages have cut out of what was told of a job, event by event. `events`: a JSON text of them. */
export function cutsOf(events: string | null): Cut[] {
  if (events === null) return [];
  return (JSON.parse(events) as readonly CutEvent[]).flatMap((row) => {
    const type = eventTypeOf(row.type);
    if (type?.kind !== 'fact') return [];
    const { d = {}, x: redacted = [] } = JSON.parse(row.data) as Told;
    const message = d.error?.messageBody;
    if (redacted.length === 0 && message === undefined) return [];
    const of = { type: jobEventType(type.type as FactKind), id: row.id, at: iso(row.laneMs), redacted: redacted.slice(0, MOST_CUTS) };
    return [{ ...of, ...(d.attempt !== undefined && { attempt: d.attempt }), ...(message !== undefined && { message }) }];
  });
}
