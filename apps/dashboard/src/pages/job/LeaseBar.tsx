import { common } from '../../text/common';
import { clockTime, duration, utc } from '../../text/format';
import { job as words } from '../../text/job';
import classes from './Attempts.module.css';
import type { Axis, Gap } from './axis';
import type { Bar, EndKind, Span, SpanKind } from './bars';

const { attempts: text } = words;
const KINDS: readonly SpanKind[] = ['waiting', 'held', 'silent', 'lease', 'overdue', 'grace', 'overlap'];

interface Props {
  readonly bar: Bar;
  readonly axis: Axis;
  /** Drawn as a line; null: the job is over. */
  readonly nowMs: number | null;
}

/** One attempt from its grant to its end. What is drawn is said as well. */
export function LeaseBar({ bar, axis, nowMs }: Props) {
  return (
    <div className={classes.bar} role="img" aria-label={saidOf(bar)}>
      <div className={classes.track} />
      {axis.gaps.map(({ at, ms }) => (
        <div key={at} className={classes.gap} title={text.gap(duration(ms))} style={{ left: `${String(at)}%` }} />
      ))}
      {bar.spans.map((span) => (
        <div key={span.kind} className={classes.span} data-kind={span.kind} title={titleOf(span)} style={placeOf(span, axis)} />
      ))}
      {bar.marks.map(({ end, atMs }) => (
        <EndMark key={end} end={end} at={axis.at(atMs)} />
      ))}
      {nowMs !== null && <div className={classes.now} title={text.now} style={{ left: `${String(axis.at(nowMs))}%` }} />}
    </div>
  );
}

const MARKS: Readonly<Partial<Record<EndKind, readonly [tone: string, path: string]>>> = {
  succeeded: ['--ok', 'M4 8.2 7 11l5.2-6'],
  failed: ['--bad', 'M5 5l6 6M11 5l-6 6'],
  'failed-for-good': ['--bad', 'M5 5l6 6M11 5l-6 6'],
  lost: ['--warn', 'M8 4.2v4.6M8 11v.6'],
  hung: ['--warn', 'M8 4.2v4.6M8 11v.6'],
  asked: ['--warn', 'M8 4.2v4.6M8 11v.6'],
  released: ['--calm', 'M5 8h6'],
};

function EndMark({ end, at }: { readonly end: EndKind; readonly at: number }) {
  const mark = MARKS[end];
  if (mark === undefined) return null;
  const [tone, path] = mark;
  return (
    <svg viewBox="0 0 16 16" className={classes.end} style={{ left: `${String(at)}%`, color: `var(${tone})` }} fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round">
      <title>{text.end[end]}</title>
      <circle cx="8" cy="8" r="7" />
      <path d={path} />
    </svg>
  );
}

/** Where it lies and how long it is; React sets these one by one, which the content policy allows. */
function placeOf({ fromMs, toMs }: Span, axis: Axis): { readonly left: string; readonly width: string } {
  const left = axis.at(fromMs);
  return { left: `${String(left)}%`, width: `${String(Math.max(0, axis.at(toMs) - left))}%` };
}

const titleOf = ({ kind, fromMs, toMs }: Span): string => `${text.legend[kind]}: ${clockTime(fromMs)} ${common.to} ${clockTime(toMs)} (${duration(toMs - fromMs)})`;

const saidOf = ({ attempt, end, spans }: Bar): string => `${text.attempt(String(attempt.attempt))}: ${[...spans.map(titleOf), text.end[end]].join('; ')}`;

export function LeaseAxis({ axis }: { readonly axis: Axis }) {
  const { fromMs, toMs, gaps } = axis;
  const day = new Date(fromMs).toISOString().slice(0, 10) !== new Date(toMs).toISOString().slice(0, 10);
  return (
    <div className={classes.times}>
      <span>{day ? utc(fromMs).slice(0, 19) : clockTime(fromMs)}</span>
      {readable(gaps).map(({ at, ms }) => (
        <span key={at} className={classes.left} style={{ left: `${String(at)}%` }}>
          {text.gap(duration(ms))}
        </span>
      ))}
      <span className={classes.last}>{day ? utc(toMs).slice(0, 19) : clockTime(toMs)}</span>
    </div>
  );
}

/** Those whose words neither meet each other nor the ends. */
function readable(gaps: readonly Gap[]): readonly Gap[] {
  return gaps.filter(({ at }, i) => at > 25 && at < 70 && at - (gaps[i - 1]?.at ?? 0) > 25 && (gaps[i + 1]?.at ?? 100) - at > 25);
}

export function Legend({ kinds }: { readonly kinds: ReadonlySet<SpanKind> }) {
  return (
    <ul className={classes.legend}>
      {KINDS.filter((kind) => kinds.has(kind)).map((kind) => (
        <li key={kind}>
          <span className={classes.swatch} aria-hidden="true">
            <span className={classes.span} data-kind={kind} />
          </span>
          {text.legend[kind]}
        </li>
      ))}
    </ul>
  );
}
