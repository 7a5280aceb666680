import type { Judge } from './judge.js';
import { assessed } from './assessed.js';
import { errorCodeAlone, newestRevision } from './naive.js';

export const judges: readonly Judge[] = [assessed, newestRevision, errorCodeAlone];
