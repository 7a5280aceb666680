import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { count, duration, visible } from '../../text/format';
import { overview as text } from '../../text/overview';
import type { Overview } from './overview-query';
import classes from './OverviewPage.module.css';

type Lane = Overview['lanes'][number];

const { lanes: words } = text;
const LATE_MS = 10_000;
const SHOWN = 8;

/** Ways that events come in, those furthest behind first: verdicts wait for the slowest. */
export function LanesPanel({ lanes }: { readonly lanes: readonly Lane[] }) {
  const outer = lanes.filter(({ transport }) => transport !== 'inside').sort((a, b) => weight(b) - weight(a));
  return (
    <Panel title={words.title} flush>
      <ul className={classes.list}>
        {outer.slice(0, SHOWN).map((lane) => (
          <li key={lane.lane}>
            <span className={classes.what}>
              <Name text={lane.lane} />
            </span>
            <span className={classes.muted}>
              {load(lane)} <Standing lane={lane} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const weight = ({ stopped, retired, lagMs }: Lane) => (retired === true ? -1 : stopped === undefined ? (lagMs ?? 0) : Infinity);

function load({ behind, inFlight }: Lane): string {
  if (behind !== undefined && behind > 0) return words.behind(count(behind));
  return inFlight !== undefined && inFlight > 0 ? words.inFlight(count(inFlight)) : '';
}

function Standing({ lane: { stopped, retired, lagMs } }: { readonly lane: Lane }) {
  if (retired === true) return <StatusText text={words.retired} tone="calm" shape="pause" />;
  if (stopped !== undefined) return <StatusText text={words.stopped} tone="bad" shape="cross" title={visible(stopped)} />;
  if (lagMs === null) return <StatusText text={words.unknown} tone="calm" shape="ring" />;
  const late = lagMs >= LATE_MS;
  return <StatusText text={words.lag(duration(lagMs))} tone={late ? 'warn' : 'ok'} shape={late ? 'triangle' : 'dot'} />;
}
