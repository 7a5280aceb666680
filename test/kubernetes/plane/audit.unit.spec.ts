import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditedCalls, mostInAMinute, writesIn, wrote } from './audit.js';

let folder = '';
let file = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobwarden-audit-'));
  file = join(folder, 'audit.log');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = (verb: string, code: number, second: number, { namespace = 'shop', query = '' } = {}) =>
  JSON.stringify({
    ...{ verb, requestURI: `/apis/apps/v1/namespaces/${namespace}/deployments/workers?fieldManager=jobwarden${query}`, responseStatus: { code } },
    ...{ requestReceivedTimestamp: new Date(second * 1_000).toISOString(), objectRef: { resource: 'deployments', apiGroup: 'apps', namespace, name: 'workers' } },
  });

it('counts as a write what came through, of one namespace, and leaves out looks and dry runs', () => {
  const lines = [call('get', 200, 0), call('patch', 200, 1), call('patch', 422, 2), call('patch', 200, 3, { query: '&dryRun=All' }), call('patch', 200, 4, { namespace: 'shop-2' }), call('list', 403, 5)];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const calls = auditedCalls(file, 'shop');
  expect(calls.map(({ verb, code }) => `${verb} ${String(code)}`)).toEqual(['get 200', 'patch 200', 'patch 422', 'patch 200', 'list 403']);
  expect(calls[0]).toMatchObject({ resource: 'deployments.apps', namespace: 'shop', atMs: 0 });
  expect([writesIn(calls).length, wrote(calls).length]).toEqual([2, 1]);
  expect(auditedCalls(join(folder, 'none.log'), 'shop')).toEqual([]);
});

it('finds the minute with the most of them', () => {
  writeFileSync(file, [0, 30, 59, 61, 89, 200].map((second) => call('patch', 200, second)).join('\n'));
  expect(mostInAMinute(auditedCalls(file, 'shop'))).toBe(4);
  expect(mostInAMinute([])).toBe(0);
});
