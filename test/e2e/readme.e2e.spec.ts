import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliEntry, serverEntry, startProcess, type TestProcess } from '#libs/testing';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Commands that a reader can paste, as they stand in the page. */
function shellBlocks(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]+?)^```/gmu)].map(([, script = '']) => script);
}

describe('what the documentation tells a stranger to type', () => {
  let folder: string;
  let service: TestProcess;
  let base: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-readme-'));
    // An answer of 400 or more ends curl with an error, and the script with it.
    writeFileSync(join(folder, '.curlrc'), 'fail\n');
    service = startProcess({ entry: serverEntry, env: { JOBWARDEN_HTTP_PORT: '0', JOBWARDEN_DATA_DIR: join(folder, 'data') } });
    const [url = ''] = await service.waitForOutput(/http:\/\/127\.0\.0\.1:\d+/, 60_000);
    base = url;
    // As it is found once it is installed; here beside a service on another port.
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/jobwarden'), `#!/bin/sh\nexec "${process.execPath}" "${cliEntry}" "$@" --url ${base}\n`, { mode: 0o755 });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** As pasted into a shell, against a service on another port. */
  async function paste(script: string): Promise<string> {
    const here = script.replaceAll('http://127.0.0.1:7411', base);
    const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, HOME: folder };
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', here], { env, cwd: folder, timeout: 60_000 });
    return stdout;
  }

  it('shows a job that gets stuck and comes back', async () => {
    const [example = ''] = shellBlocks('README.md');
    const output = await paste(example);
    expect(output).toMatch(/"type":"jobwarden\.command\.enqueue\.v1".*"attempt":2,"token":2,"reason":"lost"/u);
    expect(output).toMatch(/"status":"succeeded","attempt":2/u);
    expect(output).toMatch(/"kind":"restart-requested".*"reason":"lost".*"kind":"requeued"/u);
    expect(output).not.toMatch(/"outcome":"(?:refused|quarantined)"/u);
  });

  it('is in the examples as a script, word for word', () => {
    const [example = ''] = shellBlocks('README.md');
    expect(readFileSync(join(root, 'examples/first-job.sh'), 'utf8')).toContain(example);
  });

  it('finds, sends round again and closes dead letters', async () => {
    const output = await paste(shellBlocks('docs/dead-letters.md').join('\n'));
    for (const shown of ['"mark":"new"', '"firstCause"', '-1 of queue playground fails as it did', '"to": "ada@example.con"', '"found":1', '"status":"requeued"', '"changes":[{"path":"/to"', '"status":"discarded"', 'told to the shop']) expect(output).toContain(shown);
    expect(output).not.toMatch(/"outcome":"(?:refused|quarantined)"/u);
  });

  it('works in the rest of the README and in the guide', async () => {
    for (const block of shellBlocks('README.md').slice(1)) await paste(block);
    const output = await paste(shellBlocks('docs/guide.md').join('\n'));
    expect(output).toContain('"outcome":"appended"');
    expect(output).toMatch(/"status":"requeued","attempt":2/u);
  });

  it('works on the page for three in the morning', async () => {
    const blocks = shellBlocks('docs/troubleshooting.md').filter((block) => !block.includes('npm run'));
    expect(blocks.length).toBeGreaterThan(5);
    await paste(`${EMAILS}\n${blocks.join('\n')}`);
  });

  it('names only metrics and routes that there are', async () => {
    const pages = ['README.md', 'docs/guide.md', 'docs/concepts.md', 'docs/operations.md', 'docs/troubleshooting.md'];
    const text = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n');
    const metrics = await (await fetch(`${base}/metrics`)).text();
    const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as { paths: Record<string, unknown> };
    const named = (pattern: RegExp) => [...new Set(text.match(pattern))];
    const unknownMetrics = named(/\b(?:jobwarden|worker)_[a-z]+_[a-z_]+\b/gu).filter((name) => !metrics.includes(`# TYPE ${name} `));
    expect(unknownMetrics).toEqual([]);
    const routes = new Set(Object.keys(paths).map((path) => path.split('/', 3).join('/')));
    expect(named(/\/v1\/[a-z-]+/gu).filter((path) => !routes.has(path))).toEqual([]);
  });

  it('notices a command that the service refuses (or the tests above could not fail)', async () => {
    await expect(paste(`curl -sS http://127.0.0.1:7411/v1/queues/emails/jobs/nothing`)).rejects.toThrow();
  });
});

/** The jobs that the page talks about: one that runs, one that waits. */
const EMAILS = `curl -sS http://127.0.0.1:7411/v1/events -H 'content-type: application/json' -d '[
  {"specversion": "1.0", "id": "1", "source": "s", "subject": "welcome-1", "type": "jobwarden.job.queued.v1", "data": {"queue": "emails"}},
  {"specversion": "1.0", "id": "1", "source": "s", "subject": "welcome-2", "type": "jobwarden.job.queued.v1", "data": {"queue": "emails"}},
  {"specversion": "1.0", "id": "2", "source": "s", "subject": "welcome-1", "type": "jobwarden.job.started.v1", "data": {"queue": "emails", "worker": {"id": "w"}}}]'`;
