import { Empty } from '../../kit/Empty';
import { Panel } from '../../kit/Panel';
import { useNow } from '../../kit/When';
import { job as words } from '../../text/job';
import { AttemptFacts } from './AttemptFacts';
import { axisOf } from './axis';
import { barsOf } from './bars';
import type { JobDetail } from './job-queries';
import { LeaseBar, LeaseAxis, Legend } from './LeaseBar';
import { isFinished } from './standing';
import classes from './Attempts.module.css';

const { attempts: text } = words;

/** Each attempt on one line of time: what overlaps is seen, and what was silent. */
export function Attempts({ job }: { readonly job: JobDetail }) {
  const nowMs = useNow();
  const bars = barsOf(job, nowMs);
  const spans = bars.flatMap((bar) => bar.spans);
  const runs = bars.some(({ end }) => end === 'running') || job.status === 'restart-requested';
  const axis = spans.length === 0 ? null : axisOf(spans, runs && !isFinished(job) ? [nowMs] : []);
  return (
    <Panel title={text.title} aside={axis !== null && <Legend kinds={new Set(spans.map(({ kind }) => kind))} />} flush>
      {bars.length === 0 ? (
        <Empty title={text.none} text={text.noneText} />
      ) : (
        <ul className={classes.list}>
          {bars.map((bar) => (
            <li key={bar.attempt.attempt} className={classes.attempt}>
              <AttemptFacts bar={bar} job={job} />
              {axis !== null && <LeaseBar bar={bar} axis={axis} nowMs={runs ? nowMs : null} />}
            </li>
          ))}
          {axis !== null && (
            <li className={classes.axis} aria-hidden="true">
              <LeaseAxis axis={axis} />
            </li>
          )}
        </ul>
      )}
    </Panel>
  );
}
