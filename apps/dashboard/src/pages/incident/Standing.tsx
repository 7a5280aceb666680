import { List, Text } from '@mantine/core';
import { codeSays, deadlineSays, kindSays, phaseLook } from '../../kit/incident-words';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { useNow } from '../../kit/When';
import { ago, utc, visible } from '../../text/format';
import { incident as words } from '../../text/incident';
import { incidentWords } from '../../text/incident-words';
import type { Incident, Run } from './incident-queries';
import classes from './Standing.module.css';

const { standing: text } = words;
/** As the API says it of a run that stands still for it. */
const STOP_SWITCH = 'the stop switch';

/** What somebody reads first at three in the morning: how it stands, what is asked of them, and until when. */
export function Standing({ incident }: { readonly incident: Incident }) {
  const { run, status, steps, kind } = incident;
  const [tone, shape] = run === undefined ? (status === 'open' ? (['bad', 'triangle'] as const) : (['ok', 'dot'] as const)) : phaseLook(run.phase);
  const held = run?.waitsFor === STOP_SWITCH;
  const says = held ? text.held : run === undefined ? (status === 'open' ? text.openNoRun : incidentWords.phase.over) : incidentWords.phase[run.phase];
  const last = status === 'resolved' ? steps.findLast(({ type }) => type === 'resolved') : undefined;
  const about = run === undefined ? kindSays(kind) : null;
  const failed = run?.phase === 'escalated' ? steps.findLast(({ type }) => type === 'escalated') : undefined;
  return (
    <Panel title={text.title}>
      <div className={classes.standing} data-tone={tone}>
        <span className={classes.says} role="status">
          <StatusText text={says} tone={tone} shape={shape} wraps />
        </span>
        {failed !== undefined && <Text size="sm">{visible(failed.reason)}</Text>}
        {run?.code != null && run.phase === 'escalated' && <Text size="sm">{codeSays(run.code)}</Text>}
        {last !== undefined && <Text size="sm">{visible(last.reason)}</Text>}
        {about !== null && <Text size="sm">{about}</Text>}
        {held && <Text size="sm">{incidentWords.phase[run.phase]}</Text>}
        {run !== undefined && status === 'open' && !held && <Until run={run} />}
        {run?.drill === true ? <Text size="sm">{words.drill}</Text> : run?.dryRun === true ? <Text size="sm">{words.dryRun}</Text> : null}
      </div>
      {run !== undefined && status === 'open' && <Plan run={run} />}
    </Panel>
  );
}

function Until({ run: { until, phase } }: { readonly run: Run }) {
  const nowMs = useNow();
  if (until === null) return null;
  const ms = Date.parse(until);
  const exact = utc(ms).replace(/\.\d+ UTC$/u, ' UTC');
  return (
    <Text size="sm">
      <time dateTime={until} className={classes.until}>{ms > nowMs ? text.until(ago(ms, nowMs), exact) : text.passed(exact)}</time> {deadlineSays(phase)}
    </Text>
  );
}

/** As sentences: the API tells it in parts that stand behind “it would”. */
export function Plan({ run: { plan, phase } }: { readonly run: Run }) {
  if (plan === null || plan.length === 0) return null;
  const title = phase === 'waiting-for-approval' ? text.plan : phase === 'would-have' || phase === 'waiting-for-calm' ? text.planWould : text.planGoesOn;
  return (
    <div className={classes.plan}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <PlanList plan={plan} />
    </div>
  );
}

export function PlanList({ plan }: { readonly plan: readonly string[] }) {
  return (
    <List type="ordered" size="sm">
      {plan.map((part, at) => (
        // Two parts may say the same, and they never change places.
        <List.Item key={`${String(at)}:${part}`}>{sentence(visible(part))}</List.Item>
      ))}
    </List>
  );
}

const sentence = (part: string): string => `${part.charAt(0).toUpperCase()}${part.slice(1)}${/[.!?]$/u.test(part) ? '' : '.'}`;
