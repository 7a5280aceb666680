import type { components } from '../api/generated/schema';
import { visible } from '../text/format';
import { incidentWords as words } from '../text/incident-words';
import type { Shape, Tone } from './StatusText';

export type ListedIncident = components['schemas']['ListedIncident'];
export type RunPhase = components['schemas']['RunView']['phase'];

/** Kinds, causes and codes are open lists: a newer service may tell of one that is not known here. */
function among(known: Readonly<Record<string, unknown>>, word: string): string | null {
  const found: unknown = Object.hasOwn(known, word) ? known[word] : null;
  return typeof found === 'string' ? found : null;
}

const plain = (word: string): string => visible(words.other(word));

export const kindWord = (kind: string): string => among(words.kind, kind) ?? plain(kind);
export const kindSays = (kind: string): string | null => among(words.kindSays, kind);
export const causeWord = (cause: string): string => among(words.cause, cause) ?? plain(cause);
export const causeSays = (cause: string): string | null => among(words.causeSays, cause);
export const codeSays = (code: string): string => among(words.code, code) ?? words.code.other(visible(code));
export const phaseWord = (phase: RunPhase): string => among(words.phaseWord, phase) ?? plain(phase);
export const deadlineSays = (phase: RunPhase): string => among(words.deadline, phase) ?? words.deadline.other;

/** What it is: its cause once that is known, else its kind. */
export const incidentWord = ({ kind, cause }: Pick<ListedIncident, 'kind' | 'cause'>): string => (cause === null || cause === 'unknown' ? kindWord(kind) : causeWord(cause));

export const incidentLook = ({ status }: Pick<ListedIncident, 'status'>): readonly [Tone, Shape] => (status === 'open' ? ['bad', 'triangle'] : ['calm', 'ring']);

/** What asks for a person stands out; what goes on by itself is busy. */
export function phaseLook(phase: RunPhase): readonly [Tone, Shape] {
  switch (phase) {
    case 'escalated':
      return ['bad', 'triangle'];
    case 'waiting-for-approval':
      return ['warn', 'hand'];
    case 'would-have':
      return ['calm', 'eye'];
    case 'over':
      return ['ok', 'dot'];
    default:
      return ['busy', 'bolt'];
  }
}
