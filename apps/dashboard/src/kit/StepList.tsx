import type { components } from '../api/generated/schema';
import { visible } from '../text/format';
import { incident } from '../text/incident';
import classes from './StepList.module.css';
import { When } from './When';

const { log: text } = incident;
type Step = components['schemas']['IncidentStepView'];

interface Props {
  readonly label: string;
  readonly steps: readonly Step[];
  /** With what was seen, behind a fold. Default false. */
  readonly figures?: boolean;
}

/** Steps of an incident as they were written down, in the order in which they are given. */
export function StepList({ label, steps, figures = false }: Props) {
  return (
    <ol className={classes.list} aria-label={label}>
      {steps.map(({ n, type, at, by, reason, evidence }) => (
        <li key={n}>
          <div className={classes.meta}>
            <When at={at} as="utc" />
            <span className={classes.type}>{text.type[type]}</span>
            <span>{by === 'jobwarden' ? incident.stages.byJobwarden : incident.stages.by(visible(by))}</span>
          </div>
          <div className={classes.reason}>
            {visible(reason)}
            {figures && evidence !== undefined && Object.keys(evidence).length > 0 && (
              <details>
                <summary>{text.figures}</summary>
                <pre tabIndex={0}>
                  {Object.entries(evidence)
                    .map(([name, value]) => `${visible(name)}: ${visible(JSON.stringify(value))}`)
                    .join('\n')}
                </pre>
              </details>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
