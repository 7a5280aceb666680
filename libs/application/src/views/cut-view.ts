import { jobEventType, type Cut, type FactKind } from '#libs/contracts';
import { eventTypeOf } from '#libs/domain';
import type { TimelineRow } from '../ports/read-models.port.js';
import { iso } from './time.js';

interface Told {
  readonly d?: { readonly attempt?: number; readonly error?: { readonly messageBody?: { readonly hash: string; readonly bytes: number } } };
  readonly x?: readonly string[];
}

/** What redaction and the limit of messages have cut out of what was told of a job, event by event. */
export function cutsOf(rows: readonly TimelineRow[]): readonly Cut[] {
  return rows.flatMap((row) => {
    const type = eventTypeOf(row.type);
    if (type?.kind !== 'fact') return [];
    const { d = {}, x: redacted = [] } = JSON.parse(row.data) as Told;
    const message = d.error?.messageBody;
    if (redacted.length === 0 && message === undefined) return [];
    const of = { type: jobEventType(type.type as FactKind), id: row.id, at: iso(row.laneMs), redacted: [...redacted] };
    return [{ ...of, ...(d.attempt !== undefined && { attempt: d.attempt }), ...(message !== undefined && { message }) }];
  });
}
