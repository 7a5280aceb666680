import { Count } from '../../kit/Count';
import { Sparkline } from '../../kit/Sparkline';
import { common } from '../../text/common';
import { count, duration, ratio } from '../../text/format';
import { overview as text } from '../../text/overview';
import { failureRatio, failureTone, slowness } from './attention';
import type { OverviewQueue } from './overview-query';
import classes from './QueuesPanel.module.css';
import { Trend } from './Trend';

const { queues: words } = text;
const VERY_OFTEN = 0.25;
const SLOW = 3;

const last = <T,>(values: readonly (T | null)[]): T | null => values.reduce<T | null>((found, value) => value ?? found, null);
const most = (values: readonly (number | null)[]): number => values.reduce<number>((found, value) => Math.max(found, value ?? 0), 0);

interface Props {
  readonly queue: OverviewQueue;
}

/** How many wait, and since when the oldest one does unless that has a column of its own. */
export function WaitingTrend({ queue: { waiting, oldestAgeMs, waitingHistory }, oldest }: Props & { readonly oldest: boolean }) {
  const [from, to] = [waitingHistory[0], waitingHistory.at(-1)];
  const line =
    waitingHistory.length < 2 || from === undefined || to === undefined ? null : (
      <Sparkline values={waitingHistory} label={words.history(count(from), count(to), count(most(waitingHistory)))} />
    );
  return (
    <Trend
      line={line}
      figure={waiting === null ? common.unknown : <Count value={waiting} />}
      beside={oldest && oldestAgeMs !== null ? words.oldestOf(duration(oldestAgeMs)) : null}
    />
  );
}

/** How many of those that ended failed. */
export function FailureTrend({ queue }: Props) {
  const share = failureRatio(queue);
  const { recent, failureHistory } = queue;
  const bad = failureTone(recent.failed, recent.failed + recent.succeeded);
  const tone = bad === null || bad === 'ok' ? 'calm' : bad;
  const line =
    failureHistory.length === 0 ? null : <Sparkline values={failureHistory} look="rate" tone={tone} least={VERY_OFTEN} label={words.failureHistory(ratio(most(failureHistory)))} />;
  if (share === null) return <Trend line={line} figure={common.none} beside={null} />;
  const figure = tone === 'calm' ? ratio(share) : <span className={classes.loud} data-tone={tone}>{ratio(share)}</span>;
  return <Trend line={line} figure={figure} beside={words.ofEnded(count(recent.failed + recent.succeeded))} />;
}

/** How long a run takes, against what is usual: the dashed line. */
export function LatencyTrend({ queue }: Props) {
  const { recent, usualMedianMs: usual, medianHistory } = queue;
  const times = slowness(queue);
  const ended = last(medianHistory);
  const line =
    ended === null ? null : (
      <Sparkline values={medianHistory} look="rate" tone={(times ?? 0) >= SLOW ? 'warn' : 'calm'} usual={usual} label={words.medianHistory(duration(ended), duration(most(medianHistory)), usual === null ? null : duration(usual))} />
    );
  if (recent.medianMs === null) return <Trend line={line} figure={common.none} beside={null} />;
  const beside =
    times === null || usual === null ? null : (
      <span className={classes.usual} data-slow={times >= SLOW || undefined} title={words.usualTitle(factor(times), duration(usual))}>
        {words.usual(factor(times))}
      </span>
    );
  return <Trend line={line} figure={duration(recent.medianMs)} beside={beside} />;
}

const factor = (times: number) => (times < 10 ? times.toFixed(1) : count(Math.round(times)));
