import type { MaintenanceView, SignalView } from '#libs/contracts';
import type { MaintenanceWindow } from '#libs/domain';
import type { SignalRow } from '../ports/signal-store.port.js';
import { iso, isoOrNull } from './time.js';

export function signalView(row: SignalRow): SignalView {
  const { id, source, fingerprint, namespace, queue, times, incidentId, settled, detail, figures } = row;
  return {
    ...{ id, source, fingerprint, namespace, queue, times, incidentId, settled, detail, figures },
    startsAt: isoOrNull(row.startsMs),
    seenAt: iso(row.seenMs),
    lastAt: iso(row.lastMs),
    resolvedAt: isoOrNull(row.resolvedMs),
  };
}

export function maintenanceView(window: MaintenanceWindow): MaintenanceView {
  const { id, namespace, queue, target, reason, by, endedBy } = window;
  return {
    ...{ id, namespace, queue, target, reason, by, endedBy },
    from: iso(window.fromMs),
    until: iso(window.untilMs),
    endedAt: isoOrNull(window.endedMs),
  };
}
