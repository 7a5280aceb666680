import type { Logger } from 'pino';

/** Once: the fold version in force was raised while this replica counted as dead, and it can do nothing any more. */
export function tellLeftBehind(log: Logger): (leftBehind: string | null) => void {
  let told = false;
  return (leftBehind) => {
    if (leftBehind !== null && !told) log.error({ reason: leftBehind }, 'the database has been switched to a newer program: this one writes nothing');
    told = leftBehind !== null;
  };
}
