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
 * watching misses the swap of a symbolic link, which is how Kubernetes updates a mounted ConfigMap. A new
 * stamp must be seen twice before the file is read, or half of a file that is being written would count: an
 * empty one is a valid policy without tokens. What it does not see by itself: a change of secret files that
 * the policy refers to; `reload()` reads them again.
 */
export interface PolicyFiles {
  /** Changes whenever the content may have changed. Rejects when there is no such file. */
  readonly stamp: (path: string) => Promise<string>;
  readonly read: (path: string) => Promise<string>;
}

export interface PolicySourceOptions {
  /** null = no file: the built-in defaults for ever. */
  readonly path: string | null;
  /** Further checks of a file that is good in itself, such as `checkExposure`. Must not reject. */
  readonly check?: (file: PolicyFile) => readonly Fault[] | Promise<readonly Fault[]>;
  /** Told of each reload that changed something, and of each new way in which one fails. */
  readonly onReload?: (outcome: Result<PolicyFile>) => void;
  /** Milliseconds between two looks; 2,000 unless set. */
  readonly pollMs?: number;
  /** The file system, or what a test puts in its place. */
  readonly files?: PolicyFiles;
}

/** From a new stamp to the look that confirms it. */
const SETTLE_MS = 250;

export type PolicyListener = (current: PolicyFile, previous: PolicyFile) => void;

const MISSING = 'missing';

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
  /** A new stamp that waits to be seen again. */
  #unsettled: string | null = null;
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

  /**
   * Called after a reload that changed the meaning; returns how to leave. A listener that throws is reported
   * as a fault; the others are still told.
   */
  onChange(listener: PolicyListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Begins to look for changes; keeps no process alive. Idempotent. */
  start(): void {
    if (this.#options.path === null || this.#timer !== null) return;
    this.#lookIn(this.#options.pollMs ?? 2_000);
  }

  /** Idempotent. A reload under way still ends. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #lookIn(ms: number): void {
    const timer = setTimeout(() => {
      void this.poll().finally(() => {
        // `stop` may have been called meanwhile.
        if (this.#timer === timer) this.#lookIn(this.#unsettled === null ? (this.#options.pollMs ?? 2_000) : SETTLE_MS);
      });
    }, ms);
    this.#timer = timer.unref();
  }

  /** One look: reloads when the same new stamp is seen for the second time. What the timer does. */
  async poll(): Promise<void> {
    const { path } = this.#options;
    if (path === null) return;
    const stamp = await this.#stampOf(path);
    const settled = stamp === this.#unsettled;
    this.#unsettled = stamp === this.#stamp || settled ? null : stamp;
    if (settled && stamp !== this.#stamp) await this.reload();
  }

  #stampOf(path: string): Promise<string> {
    return this.#files.stamp(path).catch(() => MISSING);
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
    if (changed) this.#tellListeners(loaded.value, previous);
    return loaded;
  }

  #tellListeners(current: PolicyFile, previous: PolicyFile): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(current, previous);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const rule = `the policy is in force, but a listener failed: ${reason}`;
        const mend = 'restart this replica, and report the error';
        this.#options.onReload?.(
          failure([{ code: 'listener-failed', source: current.fileName, path: '', rule, mend }]),
        );
      }
    }
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
    // Before the content: what is written in between gets another stamp, and is found by the next looks.
    this.#stamp = await this.#stampOf(path);
    try {
      return parsePolicy(await this.#files.read(path), path);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
      const mend = 'give the path of a readable file in JOBWARDEN_CONFIG';
      return failure([{ code: 'unreadable-file', source: path, path: '', rule: `cannot be read (${code})`, mend }]);
    }
  }
}
