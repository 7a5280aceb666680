import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceDesk } from '#libs/application';
import { Database, PgEvidenceStore } from '#libs/postgres';
import { startProcess, waitUntil, type TestProcess } from '#libs/testing';
import { Crew } from './crew.js';

describe('a worker process that is asked for what it knows of itself', () => {
  let crew: Crew;
  let database: Database;
  let desk: EvidenceDesk;
  const started: TestProcess[] = [];
  let incidents = 0;

  beforeAll(async () => {
    crew = await Crew.start('defaults: {}');
    database = new Database({ url: crew.database.url, poolSize: 2, role: 'jobwarden_app' });
    desk = new EvidenceDesk({ store: new PgEvidenceStore(database), newKey: () => `key-${String(incidents)}`, sha256: () => createHash('sha256'), maxBytes: 0, withinMs: 8_000 });
  });
  afterEach(async () => {
    for (const process of started.splice(0)) await process.kill();
  });
  afterAll(async () => {
    await database.close();
    await crew.end();
  });

  /** @returns what came of it: the service asks with the worker's next beat. */
  async function askedOf(revision: string, { heap = 'false', blockMs = 0, of = desk }: { heap?: string; blockMs?: number; of?: EvidenceDesk } = {}) {
    const worker = startProcess({ entry: join(import.meta.dirname, 'evidence-main.mjs'), args: [crew.service.url, revision, heap, String(blockMs)] });
    started.push(worker);
    await worker.waitForOutput(/runs/u);
    const workers = async () => ((await crew.client.call('GET', '/v1/workers')) as { items: readonly { id: string; lastBeatAt: string | null }[] }).items;
    await waitUntil('it has beaten', async () => (await workers()).some(({ id, lastBeatAt }) => id === revision && lastBeatAt !== null));
    incidents += 1;
    const incident = String(incidents);
    await of.ask(incident, [{ namespace: 'default', queue: 'q' }], revision);
    await waitUntil('it is over', async () => (await of.standing(incident)).outcome !== 'asked', { withinMs: 15_000 });
    return { ...(await of.standing(incident)), incident };
  }
  const bytes = async (path: string) => await (await fetch(`${crew.service.url}/v1/${path}`)).text();

  it('sends its report, and, where it is allowed, its heap, and loses no lease meanwhile', async () => {
    const { outcome, figures, incident } = await askedOf('open', { heap: 'true' });
    expect(outcome).toBe('captured');
    const [report, heap] = (figures['bodies'] as readonly { readonly ref: string; readonly bytes: number }[]).map((body) => body);
    expect(JSON.parse(await bytes(report!.ref))).toMatchObject({ header: { componentVersions: expect.any(Object) as unknown }, javascriptHeap: expect.any(Object) as unknown });
    const snapshot = await bytes(heap!.ref);
    expect(snapshot).toContain('found in the heap');
    expect(JSON.parse(snapshot)).toHaveProperty('snapshot.meta');
    expect((await crew.job('open')).decisions).toEqual([]);
    expect(await crew.client.call('GET', `/v1/evidence?incident=${incident}`)).toMatchObject({ items: [{ worker: 'open', outcome: 'captured', parts: [{ kind: 'report', state: 'kept' }, { kind: 'heap-snapshot', state: 'kept' }] }] });
  });

  it('sends its report alone unless it is set to more, and nothing where it is set so', async () => {
    expect(await askedOf('shy')).toMatchObject({ outcome: 'captured', figures: { bodies: [{ ref: expect.stringMatching(/report$/u) as unknown }], left: [{ kind: 'heap-snapshot', reason: 'the worker does not allow it' }] } });
    expect(await askedOf('silent', { heap: 'none' })).toMatchObject({ outcome: 'no-worker', figures: { refused: true } });
  });

  it('is waited for no longer while its event loop is blocked', async () => {
    const hurried = new EvidenceDesk({ store: new PgEvidenceStore(database), newKey: () => 'key', sha256: () => createHash('sha256'), maxBytes: 0, withinMs: 1_500 });
    expect(await askedOf('blocked', { blockMs: 30_000, of: hurried })).toMatchObject({ outcome: 'timed-out', figures: { worker: 'blocked' } });
  });
});
