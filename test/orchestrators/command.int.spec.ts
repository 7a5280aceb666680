import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandOrchestrator, type OrchestratorCommands } from '#libs/orchestrators';
import { waitUntil } from '#libs/testing';
import type { WorkloadSeen } from '#libs/domain';
import { orchestratorContract, type ContractPool } from './contract.js';

const script = join(import.meta.dirname, 'operator-command.mjs');

orchestratorContract("an operator's command", () => {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-command-'));
  const run = [process.execPath, script];
  const commands: OrchestratorCommands = { observe: run, apply: run, timeoutMs: 10_000, env: { POOLS: folder } };
  const open = (own: OrchestratorCommands) =>
    new CommandOrchestrator({ commands: (name) => (/^[\w-]+$/.test(name) ? own : null), redact: (text) => text, environment: process.env });
  const orchestrator = open(commands);
  let made = 0;

  const pool = (broken: readonly string[]): ContractPool => {
    const name = `pool-${String(made++)}`;
    const target = `command:${name}`;
    const file = join(folder, `${name}.json`);
    const releases = ['v2', 'v1'].map((revision) => ({ id: `release-${revision}`, revision }));
    const save = (pools: unknown): void => writeFileSync(file, JSON.stringify(pools));
    save({ generation: 1, revision: 'v2', replicas: 3, paused: false, writer: 'kubectl', releases, broken });
    return {
      target,
      write: (writer, wish) => {
        const before = JSON.parse(readFileSync(file, 'utf8')) as { generation: number };
        save({ ...before, ...wish, writer, generation: before.generation + 1 });
        return Promise.resolve();
      },
      until: async (what, holds) => {
        let seen: WorkloadSeen | undefined;
        const look = async () => holds((seen = await orchestrator.observe(target, AbortSignal.timeout(10_000))));
        await waitUntil(what, look, { withinMs: 10_000 });
        return seen!;
      },
      halt: () => Promise.reject(new Error('its wishes are carried out at once')),
    };
  };
  return Promise.resolve({
    orchestrator,
    pool: ({ broken } = {}) => Promise.resolve(pool(broken === undefined ? [] : [broken])),
    unknownTarget: 'command:nobody',
    mayOnlyLook: () => Promise.resolve({ orchestrator: open({ ...commands, apply: ['sh', '-c', 'exit 77'] }), target: pool([]).target }),
    throttled: () => {
      const comesAgain = ['sh', '-c', 'exit 75'];
      return Promise.resolve({ orchestrator: open({ ...commands, observe: comesAgain, apply: comesAgain }), target: 'command:any', retryAfterMs: null });
    },
    hanging: () => Promise.resolve({ orchestrator: open({ ...commands, observe: ['sleep', '60'], timeoutMs: 200 }), target: 'command:any' }),
    close: () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  });
}, { ofCluster: false });
