// One load that is overtaken, step by step: by an invalidation that its own replica has not heard of yet.
import { createCacheGuard, memoryStore, type SharedStore } from '@jobwarden/cache-guard';
import { describe, expect, it } from 'vitest';
import { invalidation, mouth, settled } from './model/mouth.js';

/** What the replica that has heard reads, after one that has not was overtaken in its load. */
async function readAfter(shared: SharedStore): Promise<number> {
  const [late, quick] = [mouth(), mouth()];
  const [a, b] = [late, quick].map(({ source }) => createCacheGuard({ source, shared }));
  await Promise.all([a!.ready, b!.ready]);
  await settled();
  let value = 1;
  let goOn = (): void => undefined;
  const loading = a!.get('a', async () => {
    const found = value;
    await new Promise<void>((resolve) => (goOn = resolve));
    return found;
  });
  await settled();
  value = 2;
  quick.say(invalidation(1));
  await settled();
  goOn();
  await loading;
  const read = await b!.get('a', () => value);
  await Promise.all([a!.close(), b!.close()]);
  return read;
}

describe('a load that an invalidation overtakes', () => {
  it('leaves nothing in the second level, also where its replica has not heard of it', async () => {
    expect(await readAfter(memoryStore({ entries: true }))).toBe(2);
  });

  it('twin: would be read by others where the second level did not look', async () => {
    const store = memoryStore({ entries: true });
    const careless: SharedStore = {
      read: (key) => store.read(key),
      store: async (key, entry, ttlMs) => await store.store(key, { ...entry, stamp: (await store.read(key)).stamp }, ttlMs),
      isCurrent: (names, stamp) => store.isCurrent(names, stamp),
      invalidate: (batch, position) => store.invalidate(batch, position),
      renew: (position) => store.renew(position),
      position: (source) => store.position(source),
    };
    expect(await readAfter(careless)).toBe(1);
  });

  it('is a miss for whoever names the invalidation, before his replica has heard of it', async () => {
    const { source, say } = mouth();
    const cache = createCacheGuard({ source, shared: memoryStore({ entries: true }) });
    await cache.ready;
    await settled();
    let value = 1;
    expect(await cache.get('a', () => value)).toBe(1);
    value = 2;
    expect(await cache.get('a', () => value)).toBe(1);
    expect(await cache.get('a', () => value, { after: { shard: 0, number: 1 } })).toBe(2);
    say(invalidation(1));
    await settled();
    expect(await cache.get('a', () => value)).toBe(2);
    await cache.close();
  });

  it('after a reset nothing of before is current', async () => {
    const { source, say } = mouth();
    const cache = createCacheGuard({ source, shared: memoryStore({ entries: true }) });
    await cache.ready;
    await settled();
    let value = 1;
    await cache.get('a', () => value);
    value = 2;
    say({ kind: 'reset', id: '9' });
    await settled();
    expect(await cache.get('a', () => value)).toBe(2);
    await cache.close();
  });
});
