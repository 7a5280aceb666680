import { Text } from '@mantine/core';
import { causeWord } from '../../kit/incident-words';
import { Panel } from '../../kit/Panel';
import { StatusText, type Shape, type Tone } from '../../kit/StatusText';
import { useNow, When } from '../../kit/When';
import { clockTime, duration, visible } from '../../text/format';
import { incident as words } from '../../text/incident';
import { assessedIn } from './assessed';
import type { Incident, Step } from './incident-queries';
import { StageFacts } from './StageFacts';
import classes from './Stages.module.css';
import { stagesOf, type Stage, type StageState } from './stages';

const { stages: text } = words;

const LOOKS: Readonly<Record<StageState, readonly [Tone, Shape]>> = {
  done: ['ok', 'dot'],
  now: ['busy', 'bolt'],
  ahead: ['calm', 'ring'],
  passed: ['calm', 'pause'],
  stopped: ['bad', 'triangle'],
  skipped: ['calm', 'cross'],
};

/** The way of the incident from its opening to its end, with what each step did. */
export function Stages({ incident }: { readonly incident: Incident }) {
  const aborted = incident.steps.some(({ type }) => type === 'aborted');
  return (
    <Panel title={text.title} flush>
      <ol className={classes.stages} aria-label={text.label}>
        {stagesOf(incident).map((stage) => (
          <One key={stage.name} stage={stage} title={stage.name === 'end' && aborted ? text.endAborted : text.name[stage.name]} />
        ))}
      </ol>
    </Panel>
  );
}

function One({ stage, title }: { readonly stage: Stage; readonly title: string }) {
  const { name, state, step, steps, since } = stage;
  const [tone, shape] = LOOKS[state];
  const current = state === 'now' || state === 'stopped';
  const ended = step !== null && (state === 'done' || state === 'passed') ? step : null;
  return (
    <li className={classes.stage} data-state={state} data-tone={tone} aria-current={current ? 'step' : undefined}>
      <div className={classes.head}>
        <span className={classes.name}>
          <StatusText text={title} tone={tone} shape={shape} />
        </span>
        <span className={classes.meta}>
          <span>{text.state[state]}</span>
          {ended !== null && (
            <>
              <time dateTime={ended.at} title={ended.at}>{clockTime(Date.parse(ended.at))}</time>
              <span>{ended.by === 'jobwarden' ? text.byJobwarden : text.by(visible(ended.by))}</span>
              {since !== null && <span>{text.took(duration(Math.max(0, Date.parse(ended.at) - Date.parse(since))))}</span>}
            </>
          )}
          {current && since !== null && <SoFar since={since} />}
        </span>
      </div>
      {state === 'ahead' || (state === 'now' && step === null) ? (
        <Text size="sm" c="dimmed">
          {text.ahead[name]}
        </Text>
      ) : (
        step !== null && state !== 'skipped' && <p className={classes.said}>{said(name, step, steps)}</p>
      )}
      {(ended !== null || current) && <StageFacts name={name} steps={steps} />}
    </li>
  );
}

function SoFar({ since }: { readonly since: string }) {
  const nowMs = useNow();
  const ms = nowMs - Date.parse(since);
  return ms < 0 ? <When at={since} /> : <span>{text.since(duration(ms))}</span>;
}

/** The service's own sentence; that of the cause is made of stable words. */
function said(name: Stage['name'], step: Step, steps: readonly Step[]): string {
  const assessed = name === 'cause' ? assessedIn(steps) : null;
  if (assessed === null) return visible(step.reason);
  const cause = causeWord(assessed.cause);
  return assessed.subject === null ? words.cause.named(cause) : words.cause.namedBlamed(cause, visible(assessed.subject));
}
