import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Where a reader keeps how far it has come. `save` is called after what lies before has been dealt with, one call at a
 * time; a rejection ends nothing: the position is saved with the next item, and a crash meanwhile brings copies.
 */
export interface PositionStore {
  /** null: there is none yet. */
  load(): Promise<string | null>;
  save(position: string): Promise<void>;
}

/** Forgotten at the end of the process. */
export function memoryPositions(position: string | null = null): PositionStore {
  let kept = position;
  return {
    load: () => Promise.resolve(kept),
    save: (to) => {
      kept = to;
      return Promise.resolve();
    },
  };
}

/** In a file of its own, which is replaced as a whole; its folder is made. Not for two readers at once. */
export function filePositions(path: string): PositionStore {
  return {
    load: async () => {
      try {
        const text = (await readFile(path, 'utf8')).trim();
        return text === '' ? null : text;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
    save: async (position) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.new`, `${position}\n`);
      await rename(`${path}.new`, path);
    },
  };
}
