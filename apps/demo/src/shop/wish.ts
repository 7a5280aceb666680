import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which release the workers of a queue are to run, and how many of them: what a manifest is to a cluster. */
export interface Wish {
  readonly revision: string;
  readonly replicas: number;
  /** Half of the workers first: a careful rollout. */
  readonly careful: boolean;
  /** Rises with each change. */
  readonly generation: number;
  /** Who wrote it last. */
  readonly writer: string;
}

export interface StaffMember {
  readonly name: string;
  readonly revision: string;
  readonly ready: boolean;
  readonly terminating: boolean;
}

/** What is there. */
export interface Standing {
  /** Of the wish that was read last. */
  readonly observedGeneration: number;
  readonly pods: readonly StaffMember[];
}

/** Wish and standing of one queue, as two files: whoever carries the wish out reads the one and writes the other. */
export class WishFiles {
  constructor(
    private readonly folder: string,
    private readonly queue: string,
  ) {}

  /** null: none was ever written. */
  wish(): Wish | null {
    return this.read('wish') as Wish | null;
  }

  standing(): Standing | null {
    return this.read('standing') as Standing | null;
  }

  /** Replaces the file as a whole: a reader sees the one or the other. */
  write(what: 'wish', value: Wish): void;
  write(what: 'standing', value: Standing): void;
  write(what: 'wish' | 'standing', value: Wish | Standing): void {
    const path = this.path(what);
    writeFileSync(`${path}.new`, JSON.stringify(value));
    renameSync(`${path}.new`, path);
  }

  private read(what: string): unknown {
    const path = this.path(what);
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
  }

  private path(what: string): string {
    return join(this.folder, `${this.queue}.${what}.json`);
  }
}
