import type { LaneReading, LaneRow } from '#libs/application';
import type { Metrics } from '#libs/observability';

/** How far each way in has been read. Lanes that were given up hold nothing, and are left out. */
export function setLanes(metrics: Metrics, { nowMs, http }: LaneReading, rows: readonly LaneRow[]): void {
  const partitions = rows.filter(({ name, holds }) => holds && name.startsWith('kafka/'));
  const read = [{ lane: 'http', readMs: http.readMs }, ...partitions.map(({ name, readMs }) => ({ lane: name, readMs }))];
  metrics.laneLag.replace(
    // One of which nothing was ever read has no lag; it shows by the records behind it.
    read
      .filter(({ readMs }) => readMs > 0)
      .map(({ lane, readMs }) => [{ lane }, Math.max(0, nowMs - readMs) / 1_000] as const),
  );
  metrics.laneBehind.replace(
    partitions.flatMap(({ name, next, endAt }) =>
      endAt === null ? [] : [[{ lane: name }, Math.max(0, endAt - next)] as const],
    ),
  );
  metrics.lanesStopped.set({}, partitions.filter(({ stopped }) => stopped !== null).length);
}

export function forgetLanes(metrics: Metrics): void {
  metrics.laneLag.replace([]);
  metrics.laneBehind.replace([]);
  metrics.lanesStopped.forget({});
}
