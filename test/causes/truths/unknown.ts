import type { JobError } from '../log/entry.js';
import type { Random } from '../random.js';
import { here, type Truth } from './truth.js';

const WORDS = ['unexpected state', 'assertion failed', 'internal error', 'not ready', 'invalid handle', 'checksum differs', 'no such element', 'bad input', 'illegal argument', 'operation not permitted', 'unsupported', 'inconsistent result'];
const CLASSES = ['Error', 'RuntimeError', 'IllegalStateException', 'AppError', 'Exception', 'InternalError', 'LogicError', 'ProcessingError'];

/** Jobs fail, everywhere and each in its own way: nothing in the log says why. */
export const unknown: Truth = {
  wishes: () => ({ perSecond: [0.5, 5] }),
  inject: (scene) => {
    const { fleet, random } = scene;
    const share = random.between(0.35, 0.8);
    fleet.troubles.push({
      fate: (run, nowMs) => (here(scene, run, nowMs) && random.chance(share) ? { ends: 'failed', at: random.next(), error: anyError(random) } : null),
    });
    return { shape: 'assorted', blamed: () => [] };
  },
};

function anyError(random: Random): JobError {
  const message = `${random.pick(WORDS)} in ${random.hex(4)}: ${random.pick(WORDS)} (${String(random.int(1, 99_999))})`;
  return { class: random.pick(CLASSES), message };
}
