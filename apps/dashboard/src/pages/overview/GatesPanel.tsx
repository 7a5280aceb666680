import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { StatusText, type Shape, type Tone } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { count, visible } from '../../text/format';
import { overview as text } from '../../text/overview';
import type { Overview } from './overview-query';
import classes from './OverviewPage.module.css';

type Gate = Overview['gates'][number];

const { gates: words } = text;
const SHOWN = 4;
const LOOKS: Readonly<Record<Gate['verdict'], readonly [Tone, Shape]>> = {
  healthy: ['ok', 'dot'],
  unhealthy: ['bad', 'cross'],
  inconclusive: ['busy', 'ring'],
  error: ['warn', 'triangle'],
};

/** Rollouts that go on, and whether they may. */
export function GatesPanel({ gates }: { readonly gates: readonly Gate[] }) {
  return (
    <Panel title={words.title} flush>
      <ul className={classes.list}>
        {gates.slice(0, SHOWN).map((gate) => (
          <li key={JSON.stringify(gate.scope)}>
            <span className={classes.what}>
              <Verdict gate={gate} /> <Name text={nameOf(gate)} />
            </span>
            <span className={classes.muted}>
              {gate.canary !== null && `${visible(gate.canary.revision)} · `}
              {gate.verdict === 'inconclusive' && gate.needed.canary > 0 && `${words.needed(count(gate.needed.canary))} · `}
              <When at={gate.at} />
            </span>
          </li>
        ))}
        {gates.length > SHOWN && <li className={classes.muted}>{words.more(count(gates.length - SHOWN))}</li>}
      </ul>
    </Panel>
  );
}

function Verdict({ gate: { verdict, closed } }: { readonly gate: Gate }) {
  if (closed && verdict !== 'unhealthy') return <StatusText text={words.closed} tone="warn" shape="pause" />;
  const [tone, shape] = LOOKS[verdict];
  return <StatusText text={words.verdict[verdict]} tone={tone} shape={shape} />;
}

const nameOf = ({ scope: { target, namespace, queue } }: Gate) => target ?? `${namespace ?? ''}/${queue ?? ''}`;
