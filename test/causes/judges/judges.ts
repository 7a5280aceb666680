import type { Judge } from './judge.js';
import { errorCodeAlone, newestRevision } from './naive.js';

export const judges: readonly Judge[] = [newestRevision, errorCodeAlone];
