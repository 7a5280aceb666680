import { figureText } from '../../kit/figures';
import { common } from '../../text/common';
import { incident as words } from '../../text/incident';
import { changesOf, sharesOf, type FigureChange } from './changes-of';
import type { Step } from './incident-queries';
import classes from './Stages.module.css';
import type { StageName } from './stages';

const { stages: text } = words;

/** What was before and what is after, of the figures that people know; of the readmission the shares so far. */
export function StageFacts({ name, steps }: { readonly name: StageName; readonly steps: readonly Step[] }) {
  if (name === 'readmitting') return <Shares steps={steps} />;
  const changes = changesOf(steps).filter(({ name: figure }) => Object.hasOwn(text.figure, figure));
  if (changes.length === 0) return null;
  return (
    <ul className={classes.facts}>
      {changes.map((change) => (
        <li key={change.name}>{changeText(change)}</li>
      ))}
    </ul>
  );
}

function Shares({ steps }: { readonly steps: readonly Step[] }) {
  const shares = sharesOf(steps);
  if (shares.length === 0) return null;
  const reached = shares.at(-1)?.percent ?? 0;
  return (
    <ol className={classes.shares} aria-label={text.shares}>
      {shares.map(({ percent, fellBack }, at) => (
        <li key={`${String(at)}:${String(percent)}`} data-fell={fellBack || undefined}>
          {fellBack ? text.fellBack(String(percent)) : text.share(String(percent))}
        </li>
      ))}
      {reached < 100 && <li data-ahead>{text.toCome('100')}</li>}
    </ol>
  );
}

function changeText({ name, before, after }: FigureChange): string {
  const named = text.figure[name as keyof typeof text.figure];
  if (before === null || before === after) return text.fact(named, valueText(after ?? before));
  return after === null ? text.fact(named, valueText(before)) : text.change(named, valueText(before), valueText(after));
}

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  return value === null ? common.unknown : figureText(value);
}
