import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '#libs/embedded-postgres';
import { Emitter } from '../emitter.js';
import { Load, POLICY } from '../load.js';
import { audited, newDatabase, untilQuiet } from '../run.js';
import { Subscriber } from '../subscriber.js';
import { counted, findings, type Counted } from '../verify.js';
import type { Victim } from '../victim.js';
import { SHIPPED, command, refusedStart, releaseOf, replicaOf, shareOf, type Place, type Share } from './replica.js';

export interface VersionsOptions {
  /** How long both releases work side by side, ms. */
  readonly mixedMs: number;
  readonly jobsPerSecond: number;
  /** Default: the next release as it should be. */
  readonly next?: 'next-release' | 'newest-at-once';
  readonly print: (line: string) => void;
}

export interface VersionsReport {
  /** What is wrong; none is the goal. */
  readonly findings: readonly string[];
  /** While both worked. */
  readonly old: Share;
  readonly next: Share;
  readonly counted: Counted;
  readonly acknowledged: number;
  /** From the switch until no row was left in the old version, and a cycle of one replica's audit; seconds. */
  readonly movedSeconds: number;
  readonly cycleSeconds: number;
  readonly moved: number;
}

/** Rows that a replica's audit takes each second. */
const AUDIT_ROWS = 100;

/**
 * Two releases on one database, told by turns of the same jobs. Then the old one ends, the fold version is switched, the
 * rows are moved, and the old one may not come back.
 */
export async function runVersions(options: VersionsOptions): Promise<VersionsReport> {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-versions-'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  const place = { databaseUrl: await newDatabase(postgres.adminUrl), config: join(folder, 'policy.yaml'), folder };
  writeFileSync(place.config, POLICY);
  const old = await replicaOf(SHIPPED, 'old', place);
  const next = await replicaOf(releaseOf(options.next ?? 'next-release'), 'next', place);
  const end = new AbortController();
  const database = new pg.Client({ connectionString: place.databaseUrl });
  try {
    await old.start(null);
    await next.start(null);
    await database.connect();
    return await new SideBySide({ place, old, next, database, end, options }).run();
  } finally {
    end.abort();
    await database.end();
    for (const replica of [old, next]) replica.kill();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly place: Place;
  readonly old: Victim;
  readonly next: Victim;
  readonly database: pg.Client;
  readonly end: AbortController;
  readonly options: VersionsOptions;
}

class SideBySide {
  private readonly found: string[] = [];
  private readonly loadEnd = new AbortController();
  private readonly emitter: Emitter;
  private readonly load: Load;
  private readonly subscriber: Subscriber;
  private turn = 0;

  constructor(private readonly parts: Parts) {
    const { old, next, end, options } = parts;
    // By turns, so that each job is folded by both; only the next release is left in the end.
    const url = (): string => ((this.turn += 1) % 2 === 0 && old.alive ? old.url : next.url);
    this.emitter = new Emitter(url, end.signal);
    this.load = new Load(this.emitter, this.loadEnd.signal, options.jobsPerSecond);
    this.subscriber = new Subscriber(`${next.url}/v1/streams/commands?from=start`, end.signal, (m) => {
      this.load.take(m);
    });
  }

  async run(): Promise<VersionsReport> {
    const { next, place } = this.parts;
    const running = this.load.run();
    const shares = await this.mixed();
    // What cannot be read side by side never comes to rest: there is nothing more to see.
    if (this.found.length > 0) return await this.report({ ...shares, movedSeconds: 0, cycleSeconds: 0, moved: 0 });
    const switched = await this.switched();
    this.loadEnd.abort();
    await running;
    this.found.push(...(await untilQuiet(place.databaseUrl, this.load, 60_000)));
    this.found.push(...(await findings(place.databaseUrl, this.emitter, this.subscriber)));
    this.found.push(...audited(place.databaseUrl, place.folder, releaseOf('next-release')));
    this.heard(next);
    await this.notBack();
    const { refolded: moved } = await shareOf(next);
    await next.stop();
    return await this.report({ ...shares, ...switched, moved });
  }

  private async report(shares: Omit<VersionsReport, 'findings' | 'acknowledged' | 'counted'>): Promise<VersionsReport> {
    this.loadEnd.abort();
    this.parts.end.abort();
    await this.subscriber.ended();
    const acknowledged = this.emitter.acknowledged.size;
    return { findings: this.found, ...shares, acknowledged, counted: await counted(this.parts.place.databaseUrl) };
  }

  private async mixed(): Promise<Pick<VersionsReport, 'old' | 'next'>> {
    const { old, next, place, options } = this.parts;
    for (const untilMs = Date.now() + options.mixedMs; Date.now() < untilMs; ) {
      await delay(Math.min(1_000, options.mixedMs));
      await this.reports(old);
      options.print(`side by side: ${String(this.load.jobs)} jobs, ${String(this.emitter.acknowledged.size)} events`);
    }
    const versions = await this.versions();
    if (versions.join() !== '1') this.found.push(`rows were stored in versions ${versions.join(', ')}, and 1 is in force`);
    for (const release of [SHIPPED, releaseOf('next-release')]) this.found.push(...audited(place.databaseUrl, place.folder, release));
    const shares = { old: await shareOf(old), next: await shareOf(next) };
    for (const [name, share] of Object.entries(shares)) {
      const { drifted, refolded, ...work } = share;
      for (const [what, count] of Object.entries(work)) if (count === 0) this.found.push(`${name} has ${what} nothing`);
      if (drifted + refolded > 0) this.found.push(`${name} found ${String(drifted)} rows drifted, and refolded ${String(refolded)}`);
    }
    this.heard(old);
    return shares;
  }

  /** Reports of the older release read the rows of both. */
  private async reports({ url }: Victim): Promise<void> {
    const answer = await fetch(`${url}/v1/jobs?limit=200`).catch(() => null);
    if (answer?.ok !== true) this.found.push(`a report of the old release: ${String(answer?.status)} ${(await answer?.text()) ?? ''}`);
  }

  private async switched(): Promise<Pick<VersionsReport, 'movedSeconds' | 'cycleSeconds'>> {
    const { old, place, options } = this.parts;
    const switchIt = async () => await command(releaseOf('next-release'), ['fold-version', '--switch', '2'], place);
    const early = await switchIt();
    if (early.code !== 2 || !early.output.includes('replicas_behind')) this.found.push(`a switch beside the old release: ${said(early)}`);
    await old.stop();
    await this.untilDead();
    const done = await switchIt();
    if (done.code !== 0) this.found.push(`the switch: ${said(done)}`);
    const begun = Date.now();
    const cycleSeconds = Math.ceil((await this.rows()) / AUDIT_ROWS) + 1;
    while ((await this.versions()).includes(1)) {
      // A cycle's turns last a second and what they take; jobs that come meanwhile make it longer.
      if (Date.now() - begun > 3 * cycleSeconds * 1_000 + 20_000) {
        this.found.push(`rows of the old version are left after three cycles of the audit`);
        break;
      }
      await delay(200);
    }
    const movedSeconds = Math.round((Date.now() - begun) / 100) / 10;
    options.print(`switched: all rows moved within ${String(movedSeconds)} s`);
    return { movedSeconds, cycleSeconds };
  }

  /** The row of a replica that has left stays, and counts for five seconds. */
  private async untilDead(): Promise<void> {
    const live = `SELECT 1 FROM jobwarden.replicas WHERE fold_version = 1 AND beat_at > now() - interval '5 s'`;
    while ((await this.parts.database.query(live)).rowCount !== 0) await delay(100);
  }

  private async notBack(): Promise<void> {
    const { place } = this.parts;
    const start = await refusedStart(SHIPPED, place);
    if (start.code !== 1 || !start.output.includes('folded by version 2')) this.found.push(`the old release, started again: ${said(start)}`);
    const audit = await command(SHIPPED, ['audit'], place);
    if (audit.code !== 2 || !audit.output.includes('fold_version')) this.found.push(`the old release's audit: ${said(audit)}`);
  }

  /** Nothing that concerns versions may have been said. */
  private heard(replica: Victim): void {
    const lines = replica.said.split('\n').filter((line) => /newer_rows|fold_version|folded by version|differed from the fold/u.test(line));
    this.found.push(...lines.slice(0, 3).map((line) => `it was logged: ${line.slice(0, 300)}`));
  }

  private async versions(): Promise<number[]> {
    const { rows } = await this.parts.database.query<{ version: number }>(
      'SELECT DISTINCT fold_version AS version FROM jobwarden.jobs WHERE row_version > 0 ORDER BY 1',
    );
    return rows.map((r) => r.version);
  }

  private async rows(): Promise<number> {
    const { rows } = await this.parts.database.query<{ count: string }>('SELECT count(*) FROM jobwarden.jobs');
    return Number(rows[0]?.count);
  }
}

function said({ code, output }: { readonly code: number | null; readonly output: string }): string {
  return `${String(code)}, ${output.slice(0, 400)}`;
}
