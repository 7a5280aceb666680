import { codec1 } from './codec-1.js';
import type { StateCodec } from './state-codec.js';

/** Every version that this program reads and writes, oldest first and without a gap. Never empty. */
export const CODECS: readonly [StateCodec, ...StateCodec[]] = [codec1];
