import type { RedriveRunView } from '#libs/contracts';
import type { RedriveRun } from '../ports/redrive-store.port.js';
import { iso } from './time.js';

export function redriveView(run: RedriveRun): RedriveRunView {
  const { id, filter, perSecond, force, by, reason, status, startedMs, endedMs, stoppedBy, wanted, redriven, refused, refusals } = run;
  const { namespace, queue, patternId: pattern, kind, diedOf } = filter;
  return {
    ...{ id, namespace, queue },
    ...(pattern !== undefined && { pattern }),
    ...(kind !== undefined && { kind }),
    ...(diedOf !== undefined && { diedOf }),
    ...{ perSecond, force, by, reason, status, startedAt: iso(startedMs), endedAt: endedMs === null ? null : iso(endedMs) },
    ...(stoppedBy !== null && { stoppedBy }),
    ...{ wanted, redriven, refused, refusals: { ...refusals } },
    left: status === 'finished' ? 0 : Math.max(0, wanted - redriven - refused),
  };
}
