import { join } from 'node:path';

/** Compiled or not. */
export const repository = join(import.meta.dirname, '../..').replace(/[\\/]dist$/, '');
