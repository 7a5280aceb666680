import type { RecoveryStanding } from '#libs/application';
import type { Logger } from 'pino';

/** Once for each restore that is noticed, and once when it is over. */
export function tellRestored(log: Logger): (standing: RecoveryStanding) => void {
  let told: string | null = null;
  return ({ restored }) => {
    if (restored === told) return;
    told = restored;
    if (restored === null) log.info('the database has been recovered');
    else log.error({ restored }, 'the database was restored: it is only observed, and nothing goes out, until `jobwarden recover`');
  };
}
