import type { RecoveryStanding } from '#libs/application';
import type { Metrics } from '#libs/observability';
import type { Logger } from 'pino';

/** In the log once for each restore that is noticed, and once when it is over; as a figure all the time. */
export function tellRestored(log: Logger, metrics: Pick<Metrics, 'restored'>): (standing: RecoveryStanding) => void {
  let told: string | null = null;
  return ({ restored, observeUntilMs, nowMs }) => {
    metrics.restored.set({}, restored === null && observeUntilMs <= nowMs ? 0 : 1);
    if (restored === told) return;
    told = restored;
    if (restored === null) log.info('the database has been recovered');
    else log.error({ restored }, 'the database was restored: it is only observed, and nothing goes out, until `jobwarden recover`');
  };
}
