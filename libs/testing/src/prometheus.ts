// A Prometheus of the tests: Debian's, which npm cannot bring.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { isContinuousBuild } from './kafka/missing.js';
import { waitUntil } from './poll.js';
import { startProgram } from './server-program.js';

const MISSING = 'The tests with Prometheus are left out: it is missing. Debian: apt-get install prometheus';

/** For `describe.skipIf`; with CI=true nothing may be left out, and the tests fail. */
export function prometheusLeftOut(): boolean {
  if (['prometheus', 'promtool'].every((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0)) return false;
  if (!isContinuousBuild()) process.stderr.write(`${MISSING}\n`);
  return !isContinuousBuild();
}

export interface Prometheus {
  readonly url: string;
  /** What `GET /api/v1/…` answers as `data`. */
  api<T>(path: string): Promise<T>;
  stop(): Promise<void>;
}

export interface PrometheusOptions {
  /** `host:port` of what is scraped. */
  readonly target: string;
  /** Rule files, by their paths. */
  readonly rules: readonly string[];
  /** A token for the target. */
  readonly token?: string;
  /** `host:port` of who is told of alerts. Default: nobody. */
  readonly alertmanager?: string;
}

/** Scrapes one target once a second, and evaluates the rules twice. The caller stops it, also when its test fails. */
export async function startPrometheus({ target, rules, token, alertmanager }: PrometheusOptions): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-prometheus-'));
  const port = await freePort();
  const config = join(folder, 'prometheus.yaml');
  // A scrape may take no longer than the interval, and one that failed makes every series stale: whatever an alert has held so far begins anew.
  const every = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '500ms' };
  // JSON is YAML.
  const scrape = { job_name: 'jobwarden', static_configs: [{ targets: [target] }], ...(token !== undefined && { authorization: { credentials: token } }) };
  const alerting = alertmanager === undefined ? {} : { alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] } };
  writeFileSync(config, JSON.stringify({ global: every, rule_files: rules, scrape_configs: [scrape], ...alerting }));
  const url = `http://127.0.0.1:${String(port)}`;
  const server = startProgram('prometheus', [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${String(port)}`], { folder });
  try {
    await waitUntil('Prometheus is ready', async () => server.hasEnded || ((await fetch(`${url}/-/ready`).catch(() => null))?.ok ?? false), { withinMs: 20_000 });
    if (server.hasEnded) throw new Error('it ended');
  } catch (error) {
    await server.stop();
    throw new Error(`Prometheus does not answer; it said:\n${server.said() === '' ? MISSING : server.said()}`, { cause: error });
  }
  return {
    url,
    async api<T>(path: string): Promise<T> {
      const answer = await fetch(`${url}/api/v1/${path}`);
      if (!answer.ok) throw new Error(`${path}: ${String(answer.status)} ${await answer.text()}`);
      return ((await answer.json()) as { readonly data: T }).data;
    },
    stop: () => server.stop(),
  };
}
