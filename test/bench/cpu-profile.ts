import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string; readonly url: string } }[];
  /** By the clock of `process.hrtime`, µs. */
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface Share {
  readonly of: string;
  /** Of the time that the main thread was not idle, 0 to 1. */
  readonly share: number;
}

export interface ProfileShares {
  /** Share of the window in which the main thread did nothing, 0 to 1. */
  readonly idle: number;
  /** Largest first. */
  readonly shares: readonly Share[];
}

/** What the main thread of a process was busy with between two times of `process.hrtime`, µs; by `node --cpu-prof`. */
export function profileShares(folder: string, fromUs: number, toUs: number): ProfileShares {
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) throw new Error(`no profile in ${folder}`);
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
  const partOf = new Map(profile.nodes.map(({ id, callFrame }) => [id, partOfCode(callFrame)]));
  const spent = new Map<string, number>();
  let at = profile.startTime;
  for (const [i, sample] of profile.samples.entries()) {
    const delta = profile.timeDeltas[i] ?? 0;
    at += delta;
    if (at < fromUs || at > toUs) continue;
    const part = partOf.get(sample) ?? 'unknown';
    spent.set(part, (spent.get(part) ?? 0) + delta);
  }
  const all = [...spent.values()].reduce((sum, us) => sum + us, 0);
  const idleUs = spent.get(IDLE) ?? 0;
  spent.delete(IDLE);
  const shares = [...spent].map(([of, us]) => ({ of, share: us / (all - idleUs) }));
  return { idle: idleUs / all, shares: shares.sort((a, b) => b.share - a.share) };
}

const IDLE = 'idle';

function partOfCode({ functionName, url }: Profile['nodes'][number]['callFrame']): string {
  if (functionName === '(idle)') return IDLE;
  if (functionName === '(garbage collector)') return 'collecting garbage';
  const own = /\/dist\/((?:libs|apps)\/[^/]+)\//.exec(url)?.[1];
  if (own !== undefined) return own;
  const foreign = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1];
  if (foreign !== undefined) return foreign.startsWith('pg') ? 'pg' : foreign;
  return url.startsWith('node:') || url === '' ? 'Node itself' : 'the rest';
}
