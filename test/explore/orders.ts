import { stateToJson, type JobEvent, type JobState } from '#libs/domain';

const ALL_ORDERS_UP_TO = 3;

/** Folds a set of events in other orders and with repeats; the first text that differs from `json`, or null. */
export function otherFold(log: readonly JobEvent[], json: string, fold: (events: readonly JobEvent[]) => JobState): string | null {
  for (const order of orders(log)) {
    const text = stateToJson(fold(order));
    if (text !== json) return text;
  }
  return null;
}

/** Of few events every order, each twice; of more backwards, from the middle, and the last one first, with repeats. */
function* orders(log: readonly JobEvent[]): Generator<readonly JobEvent[]> {
  if (log.length <= ALL_ORDERS_UP_TO) {
    for (const order of permutations(log)) yield [...order, ...order];
    return;
  }
  const backwards = log.toReversed();
  const middle = log.length >> 1;
  yield [...backwards, ...log];
  yield [...log.slice(middle), ...backwards];
  yield [log.at(-1)!, ...log];
}

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items;
  else for (let i = 0; i < items.length; i += 1) for (const rest of permutations(items.toSpliced(i, 1))) yield [items[i]!, ...rest];
}
