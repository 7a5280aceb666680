import { statusWords, type CompareRequest, type Mend, type MendRequest } from '#libs/application';
import type { Limits } from '#libs/contracts';
import { mayUse, type Caller } from '../auth/caller.js';
import { Problem } from '../http/problem.js';
import { invalid, type InputFault } from '../http/validate.js';

/** The query of a comparison, as its schema lets it pass. */
export interface CompareCall {
  readonly namespace: string;
  readonly queue?: string;
  readonly complete?: boolean;
  readonly map?: string;
  readonly preset?: string;
  readonly asOf?: string;
  readonly mend?: Mend;
  readonly reason?: string;
}

/** What of it fits together; every fault at once, before anything of the list is read. */
export function compareRequest(
  call: CompareCall,
  caller: Caller,
  limits: Pick<Limits, 'textBytes'>,
): Omit<CompareRequest, 'maySee' | 'limits'> {
  const faults: InputFault[] = [];
  const words = statusWords(call.map, call.preset);
  if (!words.ok) faults.push({ field: words.field, rule: words.rule, send: words.send });
  if (call.complete === true && (call.queue ?? '') === '') {
    faults.push({ field: 'queue', rule: 'is missing', send: 'A complete list is one of one queue: name it.' });
  }
  const asOfMs = call.asOf === undefined ? null : Date.parse(call.asOf);
  if (Number.isNaN(asOfMs)) faults.push({ field: 'asOf', rule: 'is no instant', send: 'Such as 2026-01-31T10:00:00Z.' });
  const mend = mendOf(call, caller, limits, faults);
  if (faults.length > 0 || !words.ok) throw invalid('query', faults);
  const { namespace, queue = null, complete = false } = call;
  return { namespace, queue, complete, words: words.words, asOfMs, mend };
}

function mendOf(
  { mend, reason = '' }: CompareCall,
  caller: Caller,
  { textBytes }: Pick<Limits, 'textBytes'>,
  faults: InputFault[],
): MendRequest | null {
  if (mend === undefined) {
    if (reason !== '') faults.push({ field: 'reason', rule: 'is given without `mend`', send: 'Leave it out.' });
    return null;
  }
  if (!mayUse(caller, 'operate')) {
    throw new Problem(403, 'scope_missing', `The token ${JSON.stringify(caller.name)} has not the scope operate, which mending needs.`);
  }
  if (reason.trim() === '') faults.push({ field: 'reason', rule: 'is missing', send: 'Say why: it is kept with each decision.' });
  if (Buffer.byteLength(reason) > textBytes) {
    faults.push({ field: 'reason', rule: `has over ${String(textBytes)} bytes`, send: 'Shorten it.' });
  }
  return { mend, reason, by: caller.name };
}
