import { beforeEach, describe, expect, it } from 'vitest';
import type { Fault, Result } from './fault.js';
import { PolicySource, type PolicySourceOptions } from './policy-source.js';
import type { PolicyFile } from './policy-types.js';

/** A disk with one file, whose stamp a test moves by hand. */
class FakeDisk {
  text: string | null = '';
  version = 0;
  reads = 0;

  write(text: string | null): void {
    this.text = text;
    this.version += 1;
  }

  stamp(): Promise<string> {
    return this.text === null ? Promise.reject(new Error('ENOENT')) : Promise.resolve(String(this.version));
  }

  read(): Promise<string> {
    this.reads += 1;
    return this.text === null
      ? Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }))
      : Promise.resolve(this.text);
  }
}

let disk: FakeDisk;
let told: Result<PolicyFile>[];

beforeEach(() => {
  disk = new FakeDisk();
  told = [];
});

async function open(text: string, more: Partial<PolicySourceOptions> = {}): Promise<PolicySource> {
  disk.write(text);
  const result = await PolicySource.open({
    path: 'policy.yaml',
    files: { stamp: () => disk.stamp(), read: () => disk.read() },
    onReload: (outcome) => void told.push(outcome),
    ...more,
  });
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.value;
}

/** A new stamp counts once it is seen for the second time. */
async function look(source: PolicySource): Promise<void> {
  await source.poll();
  await source.poll();
}

function maxRetries(source: PolicySource): number {
  return source.resolve({ namespace: 'default', queue: 'q' }).policy.maxRetries;
}

function codes(): readonly string[] {
  return told.map((outcome) => (outcome.ok ? 'good' : outcome.faults.map((fault) => fault.code).join()));
}

describe('the policy in force', () => {
  it('is refused at start when the file is bad or missing', async () => {
    await expect(open('defaults: {leese: 1s}')).rejects.toThrow('unknown-key');
    disk.write(null);
    const missing = await PolicySource.open({
      path: 'x',
      files: { stamp: () => disk.stamp(), read: () => disk.read() },
    });
    expect(missing.ok ? [] : missing.faults).toMatchObject([{ code: 'unreadable-file', source: 'x' }]);
    expect(missing.ok ? '' : missing.faults[0]?.rule).toContain('ENOENT');
  });

  it('without a path is built in, and stays so', async () => {
    const source = await open('', { path: null });
    source.start();
    await look(source);
    await source.reload();
    expect(disk.reads).toBe(0);
    expect(maxRetries(source)).toBe(3);
    source.stop();
  });

  it('follows the file, and tells its listeners what was and what is', async () => {
    const source = await open('defaults: {maxRetries: 1}');
    const changes: [number, number][] = [];
    const retries = (file: PolicyFile): number => file.defaults.policy.maxRetries;
    const leave = source.onChange((current, previous) => void changes.push([retries(previous), retries(current)]));
    const version = source.version;
    disk.write('defaults: {maxRetries: 2}');
    await look(source);
    expect(maxRetries(source)).toBe(2);
    expect(source.version).not.toBe(version);
    leave();
    disk.write('defaults: {maxRetries: 4}');
    await look(source);
    expect(changes).toEqual([[1, 2]]);
    expect(codes()).toEqual(['good', 'good']);
  });

  it('does not read a file that is still being written', async () => {
    const source = await open('defaults: {maxRetries: 1}');
    disk.write('');
    await source.poll();
    disk.write('defaults: {maxRetries: 2}');
    await source.poll();
    expect([maxRetries(source), disk.reads]).toEqual([1, 1]);
    await source.poll();
    expect([maxRetries(source), disk.reads]).toEqual([2, 2]);
  });

  it('stays when the new file is bad, says so once, and again when it is mended', async () => {
    const source = await open('defaults: {maxRetries: 1}');
    disk.write('defaults: {maxRetries: many}');
    await look(source);
    await look(source);
    await source.reload();
    disk.write(null);
    await look(source);
    expect(maxRetries(source)).toBe(1);
    disk.write('defaults: {maxRetries: 1}');
    await look(source);
    expect(codes()).toEqual(['bad-value', 'unreadable-file', 'good']);
  });

  it('keeps its version, and its listeners their peace, when only a comment changes', async () => {
    const source = await open('defaults: {maxRetries: 1}');
    let calls = 0;
    source.onChange(() => (calls += 1));
    disk.write('# why\ndefaults: {maxRetries: 1}');
    await look(source);
    expect([calls, disk.reads, told.length]).toEqual([0, 2, 0]);
    expect(source.resolve({ namespace: 'default', queue: 'q' }).origins.get('maxRetries')?.line).toBe(2);
  });

  it('asks the caller too: a file that loses its tokens can be a bad reload', async () => {
    const fault: Fault = { code: 'exposed-without-tokens', source: 'environment', path: '', rule: 'r', mend: 'm' };
    const check = (file: PolicyFile): readonly Fault[] => (file.tokens.length > 0 ? [] : [fault]);
    const source = await open(`tokens: [{name: ci, hash: ${'a'.repeat(64)}, scopes: [emit]}]`, { check });
    disk.write('');
    await look(source);
    expect(source.current.tokens).toHaveLength(1);
    expect(codes()).toEqual(['exposed-without-tokens']);
  });

  it('shares one reading among calls at the same time', async () => {
    const source = await open('');
    await Promise.all([source.reload(), source.reload(), source.reload()]);
    expect(disk.reads).toBe(2);
  });

  it('goes on when a listener throws: the others are told, and the fault is reported', async () => {
    const source = await open('');
    let calls = 0;
    source.onChange(() => {
      throw new Error('schedule');
    });
    source.onChange(() => (calls += 1));
    disk.write('defaults: {maxRetries: 9}');
    await look(source);
    expect([calls, maxRetries(source)]).toEqual([1, 9]);
    expect(codes()).toEqual(['good', 'listener-failed']);
  });
});

it('a started source looks by itself until it is stopped', async () => {
  const source = await open('defaults: {maxRetries: 1}', { pollMs: 1 });
  const changed = new Promise<void>((resolve) => source.onChange(() => resolve()));
  source.start();
  source.start();
  disk.write('defaults: {maxRetries: 2}');
  await changed;
  expect(maxRetries(source)).toBe(2);
  source.stop();
  source.stop();
});
