import { useSyncExternalStore } from 'react';
import { ago, utc } from '../text/format';

const TICK_MS = 5_000;
let nowMs = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all: a page of a thousand times must not have a thousand timers. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  nowMs = Date.now();
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Now, to some seconds; what uses it is drawn anew as it moves on. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs);

interface Props {
  /** RFC 3339, as the API has it. */
  readonly at: string;
  /** How it is written: how long ago (default), or in UTC. The other one is in the title. */
  readonly as?: 'ago' | 'utc';
}

/** An instant: how long ago, and when exactly. */
export function When({ at, as = 'ago' }: Props) {
  const now = useNow();
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return <>{at}</>;
  const [text, title] = as === 'ago' ? [ago(ms, now), utc(ms)] : [utc(ms), ago(ms, now)];
  return (
    <time dateTime={at} title={title}>
      {text}
    </time>
  );
}
