import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { OrchestratorError } from '#libs/application';
import type { WorkloadSeen } from '#libs/domain';
import { waitUntil } from '#libs/testing';
import { CommandOrchestrator, type OrchestratorCommands } from './command-orchestrator.js';

const folder = mkdtempSync(join(tmpdir(), 'jobwarden-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const never = new AbortController().signal;
const SEEN = { target: 'command:emails', version: 'seen-1', generation: 3, wanted: 3, releaseId: 'b' } as WorkloadSeen;

const open = (script: string, more: Partial<OrchestratorCommands> = {}, redact = (text: string) => text) => {
  const argv = ['sh', '-c', script];
  const commands: OrchestratorCommands = { observe: argv, apply: argv, timeoutMs: 10_000, env: {}, ...more };
  return new CommandOrchestrator({ commands: (name) => (name === 'emails' ? commands : null), redact, environment: { PATH: process.env['PATH'], SECRET: 'x' } });
};
const look = (orchestrator: CommandOrchestrator, signal = never) => orchestrator.observe('command:emails', signal);
const failure = async (work: Promise<unknown>): Promise<OrchestratorError> => await work.then(() => Promise.reject(new Error('no failure')), (error: unknown) => error as OrchestratorError);

it('gets the same on standard input and in variables, and nothing else of the service', async () => {
  const orchestrator = open(`cat > ${folder}/input; env | grep -E '^(JOBWARDEN|SECRET|BRANCH)' | sort > ${folder}/env`, { env: { BRANCH: 'main' } });
  const applied = await orchestrator.apply('command:emails', { releaseId: 'a', replicas: 5 }, SEEN, { signal: never, dryRun: true });
  expect(applied).toEqual({ changed: true, generation: 3, version: 'seen-1', writes: 0 });
  expect(JSON.parse(readFileSync(join(folder, 'input'), 'utf8'))).toEqual({ verb: 'apply', target: 'command:emails', dryRun: true, wanted: { releaseId: 'a', replicas: 5 }, seen: SEEN });
  expect(readFileSync(join(folder, 'env'), 'utf8').trim().split('\n')).toEqual([
    'BRANCH=main',
    ...['JOBWARDEN_DRY_RUN=true', 'JOBWARDEN_RELEASE=a', 'JOBWARDEN_REPLICAS=5', 'JOBWARDEN_SEEN_VERSION=seen-1', 'JOBWARDEN_TARGET=command:emails', 'JOBWARDEN_VERB=apply'],
  ]);
});

it('is not run where it stands already', async () => {
  const applied = open('exit 1').apply('command:emails', { releaseId: 'b', replicas: 3 }, SEEN, { signal: never });
  await expect(applied).resolves.toEqual({ changed: false, generation: 3, version: 'seen-1', writes: 0 });
});

it('needs to print little: the rest follows', async () => {
  const seen = await look(open(`echo '{"wanted": 2, "available": 1, "revision": "v2", "releases": [{"id": "v2"}, {"id": "v1", "schema": "<=38"}], "schemaVersion": "39"}'`));
  expect(seen).toMatchObject({ wanted: 2, available: 1, replicas: 1, updated: 1, releaseId: 'v2', pods: [], paused: false, schemaVersion: '39' });
  expect(seen.releases).toEqual([
    { id: 'v2', revision: 'v2', createdMs: 0 },
    { id: 'v1', revision: 'v1', createdMs: 0, schema: '<=38' },
  ]);
});

it.each([
  ['not JSON', 'it printed no JSON object'],
  ['[]', 'it printed no JSON object'],
  ['{"available": 1, "revision": null}', '"wanted" must be a whole number'],
  ['{"wanted": -1, "available": 1, "revision": null}', '"wanted" must be a whole number'],
  ['{"wanted": 1, "available": 1}', '"revision" must be a text'],
  ['{"wanted": 1, "available": 1, "revision": null, "paused": "no"}', '"paused" must be true or false'],
  ['{"wanted": 1, "available": 1, "revision": null, "pods": [{"ready": true}]}', 'pods[0]: "name" must be a text'],
])('that prints %s is refused, with the field', async (printed, why) => {
  const error = await failure(look(open(`printf '%s' '${printed}'`)));
  expect(error.code).toBe('rejected');
  expect(error.message).toContain(why);
});

it.each([
  [64, 'unsupported'],
  [65, 'rejected'],
  [66, 'not_found'],
  [73, 'conflict'],
  [75, 'throttled'],
  [77, 'forbidden'],
  [1, 'unreachable'],
  [127, 'unreachable'],
])('that ends with %d is %s', async (code, failed) => {
  expect(await failure(look(open(`exit ${String(code)}`)))).toMatchObject({ code: failed });
});

it('says its last words without secrets: its own variables, and what the policy redacts', async () => {
  const orchestrator = open('echo "first line" >&2; echo "token=$TOKEN card=4111" >&2; exit 1', { env: { TOKEN: 's3cr3t-value' } }, (text) => text.replace(/\d{4}/, '[card]'));
  expect((await failure(look(orchestrator))).message).toBe('command:emails: observe ended with code 1: first line token=[redacted] card=[card]');
});

it('that does not end in time is ended with its children, also where they ignore the request', async () => {
  const pids = join(folder, 'pids');
  const orchestrator = open(`trap '' TERM; sh -c 'trap "" TERM; echo $$ > ${pids}; sleep 60' & wait; sleep 60`, { timeoutMs: 300 });
  expect(await failure(look(orchestrator))).toMatchObject({ code: 'timed_out' });
  const child = Number(readFileSync(pids, 'utf8'));
  await waitUntil('the child is gone', () => {
    try {
      process.kill(child, 0);
      return false;
    } catch {
      return true;
    }
  });
});

it('whose output is too long, that cannot be started, that nobody has named', async () => {
  expect(await failure(look(open('head -c 2000000 /dev/zero')))).toMatchObject({ code: 'rejected', message: expect.stringContaining('printed too much') as string });
  expect(await failure(look(open('', { observe: ['/no/such/program'] })))).toMatchObject({ code: 'unsupported', message: expect.stringContaining('ENOENT') as string });
  expect(await failure(open('').observe('command:others', never))).toMatchObject({ code: 'unsupported' });
  expect(await failure(look(open('kill -KILL $$')))).toMatchObject({ code: 'unreachable', message: expect.stringContaining('was killed') as string });
});
