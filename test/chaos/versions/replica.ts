import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cliEntry, freePort, serverEntry, startProcess, type ProcessExit } from '#libs/testing';
import { Victim } from '../victim.js';

/** As compiled, also where this file is run from its source. */
const BUILT = join(dirname(serverEntry), '../../../test/chaos/versions');

/** Environment of a program that is of another release than the shipped one: a module of this folder, loaded before it. */
export type Release = Readonly<Record<string, string>>;
export const SHIPPED: Release = {};

export function releaseOf(module: 'next-release' | 'newest-at-once'): Release {
  return { NODE_OPTIONS: `--import ${pathToFileURL(join(BUILT, `${module}.js`)).href}` };
}

export interface Place {
  readonly databaseUrl: string;
  readonly config: string;
  readonly folder: string;
}

export async function replicaOf(release: Release, name: string, place: Place): Promise<Victim> {
  return new Victim({ ...place, entry: serverEntry, port: await freePort(), name, env: release });
}

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

export async function command(release: Release, args: readonly string[], { databaseUrl }: Place): Promise<Ran> {
  return await ended(startProcess({ entry: cliEntry, args, env: { JOBWARDEN_DATABASE_URL: databaseUrl, ...release } }));
}

/** A service that is started and expected to end by itself. */
export async function refusedStart(release: Release, { databaseUrl, config }: Place): Promise<Ran> {
  const port = String(await freePort());
  const env = { JOBWARDEN_DATABASE_URL: databaseUrl, JOBWARDEN_CONFIG: config, JOBWARDEN_HTTP_PORT: port, ...release };
  return await ended(startProcess({ entry: serverEntry, env }));
}

async function ended(child: { output(): string; readonly exited: Promise<ProcessExit>; kill(): Promise<ProcessExit> }): Promise<Ran> {
  const giveUp = setTimeout(() => void child.kill(), 60_000);
  const { code } = await child.exited;
  clearTimeout(giveUp);
  return { code, output: child.output() };
}

/** What a replica has done, by its own metrics. */
export interface Share {
  readonly appended: number;
  readonly decided: number;
  readonly published: number;
  readonly audited: number;
  readonly drifted: number;
  readonly refolded: number;
}

export async function shareOf({ url }: Victim): Promise<Share> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const sum = (name: string, label = ''): number =>
    text
      .split('\n')
      .filter((line) => line.startsWith(name) && line.includes(label) && !line.startsWith('#'))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
  return {
    appended: sum('jobwarden_ingest_events_total', 'outcome="appended"'),
    decided: sum('jobwarden_sweep_decided_total'),
    published: sum('jobwarden_published_total'),
    audited: sum('jobwarden_audited_rows_total'),
    drifted: sum('jobwarden_projection_drift_total'),
    refolded: sum('jobwarden_refolded_rows_total'),
  };
}
