import type { Delivery } from './incident-queries';

export interface Place {
  /** null: its address is secret. */
  readonly host: string | null;
  readonly format: string;
  /** The opening: it is what wakes somebody up. null: it is not told of openings. */
  readonly page: Delivery | null;
  /** The newest step that it is told of. */
  readonly last: Delivery;
  readonly pending: readonly Delivery[];
}

/** Deliveries, by where they go. Two webhooks of one host and format count as one place. */
export function placesOf(deliveries: readonly Delivery[]): readonly Place[] {
  const byPlace = Map.groupBy(deliveries, ({ host, format }) => JSON.stringify([host, format]));
  return [...byPlace.values()].flatMap((steps) => {
    const last = steps.toSorted((a, b) => a.n - b.n).at(-1);
    if (last === undefined) return [];
    const page = steps.find(({ type }) => type === 'opened') ?? null;
    return [{ host: last.host, format: last.format, page, last, pending: steps.filter(({ state }) => state !== 'delivered') }];
  });
}
