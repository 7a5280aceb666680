import type { InvalidationSource, SourceItem } from '@jobwarden/cache-guard';

/** What a replica hears, when the test says so. */
export function mouth(): { readonly source: InvalidationSource; readonly say: (item: SourceItem) => void } {
  const said: SourceItem[] = [{ kind: 'position', id: '0' }];
  let wake = (): void => undefined;
  const source: InvalidationSource = {
    name: 'test',
    ordered: true,
    async *follow(_from, signal) {
      signal.addEventListener('abort', () => wake(), { once: true });
      while (!signal.aborted) {
        const item = said.shift();
        if (item === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else yield item;
      }
    },
  };
  return {
    source,
    say: (item) => {
      said.push(item);
      wake();
    },
  };
}

/** What does not wait for anybody has been done. */
export const settled = async () => {
  for (let i = 0; i < 20; i += 1) await new Promise(setImmediate);
};
export const invalidation = (number: number): SourceItem => ({
  kind: 'invalidation',
  id: String(number),
  invalidation: { keys: ['a'], tags: [], position: { shard: 0, number } },
});
