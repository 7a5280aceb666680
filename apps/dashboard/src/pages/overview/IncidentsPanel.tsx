import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { incidentWord, phaseLook, phaseWord, type RunPhase } from '../../kit/incident-words';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { count, visible } from '../../text/format';
import { overview as text } from '../../text/overview';
import type { Overview } from './overview-query';
import classes from './OverviewPage.module.css';

const SHOWN = 5;

interface Props {
  readonly incidents: Overview['incidents'];
  /** All that are open. */
  readonly open: number;
}

/** What people have to look at, the newest first. */
export function IncidentsPanel({ incidents, open }: Props) {
  const all = (
    <Anchor component={Link} to={pathTo.incidents()} size="sm">
      {text.incidents.all}
    </Anchor>
  );
  return (
    <Panel title={text.incidents.title} aside={all} flush>
      {incidents.length === 0 ? (
        <div className={classes.none}>
          <StatusText text={text.incidents.none} tone="ok" shape="dot" />
        </div>
      ) : (
        <ul className={classes.list}>
          {incidents.slice(0, SHOWN).map(({ incidentId, kind, cause, summary, queue, openedAt, run }) => (
            <li key={incidentId}>
              <span className={classes.what}>
                <StatusText text={incidentWord({ kind, cause })} tone="bad" shape="triangle" />{' '}
                <Anchor component={Link} to={pathTo.incident(incidentId)} size="sm">
                  {visible(summary)}
                </Anchor>
              </span>
              <span className={classes.muted}>
                {run !== undefined && <Phase phase={run.phase} />} {visible(queue ?? run?.target ?? text.incidents.installation)} · <When at={openedAt} />
              </span>
            </li>
          ))}
          {open > SHOWN && <li className={classes.muted}>{text.incidents.more(count(open - SHOWN))}</li>}
        </ul>
      )}
    </Panel>
  );
}

/** Whether it waits for a person: the first thing to know of one that acts by itself. */
function Phase({ phase }: { readonly phase: RunPhase }) {
  const [tone, shape] = phaseLook(phase);
  return <StatusText text={phaseWord(phase)} tone={tone} shape={shape} />;
}
