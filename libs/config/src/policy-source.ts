import { readFile, stat } from 'node:fs/promises';
import { failure, success, type Fault, type Result } from './fault.js';
import { builtInPolicy, parsePolicy } from './policy-file.js';
import type { PolicyFile, PolicyScope, ResolvedPolicy } from './policy-types.js';
import { resolvePolicy } from './resolve-policy.js';

/**
 * The policy in force, and its reload.
 *
 *   open ── good ──► current ── file changed ──► read, check ── good ──► new current, listeners told
 *     └── bad ──► refused         ▲                              └─ bad ──► the old one stays, observers told
 *                                 └──────────────── mended, or changed back ◄──────────┘
 *
 * A change is seen by asking for the file's stamp (inode, size, time of change) every two seconds: file
 * watching misses the swap of a symbolic link, which is how Kubernetes updates a mounted ConfigMap. A file
 * that changes while it is read is read again. What it does not see by itself: a change of secret files
 * that the policy refers to; `reload()` reads them again.
 */
export interface PolicyFiles {
  /** Changes whenever the content may have changed. Rejects when there is no such file. */
  readonly stamp: (path: string) => Promise<string>;
  readonly read: (path: string) => Promise<string>;
}

export interface PolicySourceOptions {
  /** null = no file: the built-in defaults for ever. */
  readonly path: string | null;
  /** Further checks of a file that is good in itself, such as `checkExposure`. */
  readonly check?: (file: PolicyFile) => readonly Fault[] | Promise<readonly Fault[]>;
  /** Told of each reload that changed something, and of each new way in which one fails. */
  readonly onReload?: (outcome: Result<PolicyFile>) => void;
  /** Milliseconds between two looks; 2,000 unless set. */
  readonly pollMs?: number;
  /** The file system, or what a test puts in its place. */
  readonly files?: PolicyFiles;
}

export type PolicyListener = (current: PolicyFile, previous: PolicyFile) => void;

const DISK: PolicyFiles = {
  stamp: async (path) => {
    const { ino, size, mtimeMs } = await stat(path);
    return `${String(ino)}:${String(size)}:${String(mtimeMs)}`;
  },
  read: (path) => readFile(path, 'utf8'),
};

export class PolicySource {
  readonly #options: PolicySourceOptions;
  readonly #files: PolicyFiles;
  readonly #listeners = new Set<PolicyListener>();
  #current: PolicyFile;
  /** Of the content that was last looked at, good or bad. */
  #stamp: string | null = null;
  /** The faults last told, so that a broken file is reported once and not every two seconds. */
  #told = '';
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<Result<PolicyFile>> | null = null;

  private constructor(options: PolicySourceOptions) {
    this.#options = options;
    this.#files = options.files ?? DISK;
    this.#current = builtInPolicy();
  }

  /** Reads the file for the first time; without a good one there is no source. */
  static async open(options: PolicySourceOptions): Promise<Result<PolicySource>> {
    const source = new PolicySource(options);
    const loaded = await source.#load();
    if (!loaded.ok) return loaded;
    source.#current = loaded.value;
    return success(source);
  }

  get current(): PolicyFile {
    return this.#current;
  }

  /** Changes when, and only when, the meaning of the file changes. */
  get version(): string {
    return this.#current.version;
  }

  resolve(scope: PolicyScope): ResolvedPolicy {
    return resolvePolicy(this.#current, scope);
  }

  /** Called after a reload that changed the meaning; returns how to leave. Listeners must not throw. */
  onChange(listener: PolicyListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Begins to look for changes; keeps no process alive. Idempotent. */
  start(): void {
    if (this.#options.path === null || this.#timer !== null) return;
    this.#timer = setInterval(() => void this.poll(), this.#options.pollMs ?? 2_000);
    this.#timer.unref();
  }

  /** Idempotent. A reload under way still ends. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** One look: reloads when the stamp has changed. What the timer does. */
  async poll(): Promise<void> {
    const { path } = this.#options;
    if (path === null) return;
    const stamp = await this.#files.stamp(path).catch(() => 'missing');
    if (stamp !== this.#stamp) await this.reload();
  }

  /** Reads the file now, whatever its stamp: on SIGHUP. Calls at the same time share one reading. */
  reload(): Promise<Result<PolicyFile>> {
    this.#running ??= this.#reload().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #reload(): Promise<Result<PolicyFile>> {
    const loaded = await this.#load();
    if (!loaded.ok) {
      this.#tellOnce(JSON.stringify(loaded.faults), loaded);
      return loaded;
    }
    const previous = this.#current;
    const changed = previous.version !== loaded.value.version;
    this.#current = loaded.value;
    if (changed || this.#told !== '') this.#options.onReload?.(loaded);
    this.#told = '';
    if (changed) for (const listener of [...this.#listeners]) listener(loaded.value, previous);
    return loaded;
  }

  #tellOnce(key: string, outcome: Result<PolicyFile>): void {
    if (key === this.#told) return;
    this.#told = key;
    this.#options.onReload?.(outcome);
  }

  async #load(): Promise<Result<PolicyFile>> {
    const { path, check } = this.#options;
    const parsed = path === null ? success(builtInPolicy()) : await this.#read(path);
    if (!parsed.ok || check === undefined) return parsed;
    const faults = await check(parsed.value);
    return faults.length === 0 ? parsed : failure(faults);
  }

  async #read(path: string): Promise<Result<PolicyFile>> {
    try {
      const before = await this.#files.stamp(path);
      const text = await this.#files.read(path);
      const after = await this.#files.stamp(path);
      // Written to meanwhile: this may be half of it. Leave the stamp unknown, so that the next look reads again.
      this.#stamp = before === after ? after : null;
      return parsePolicy(text, path);
    } catch (error) {
      this.#stamp = 'missing';
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
      const mend = 'give the path of a readable file in JOBWARDEN_CONFIG';
      return failure([{ code: 'unreadable-file', source: path, path: '', rule: `cannot be read (${code})`, mend }]);
    }
  }
}
