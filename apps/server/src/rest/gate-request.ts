import type { GateRequest, GateScope } from '#libs/application';
import { DEFAULT_NAMESPACE, type GateSelection } from '#libs/domain';
import { seen, type Caller } from '../auth/caller.js';
import { Problem } from '../http/problem.js';

/** The track of canaries, unless another one is named. */
const CANARY_TRACK = 'canary';

export interface AskedGate {
  readonly namespace?: string | undefined;
  readonly target?: string | undefined;
  readonly queue?: string | undefined;
  readonly track?: string | undefined;
  readonly revision?: string | undefined;
  readonly baseline?: string | undefined;
}

/** What is to be judged, or a 400 that says what is missing. */
export function gateRequest(asked: AskedGate, caller: Caller): Omit<GateRequest, 'sinceMs'> {
  return { scope: gateScope(asked, caller), namespaces: caller.namespaces, selection: selectionOf(asked) };
}

export function gateScope({ namespace = DEFAULT_NAMESPACE, target, queue }: AskedGate, caller: Caller): GateScope {
  if (target !== undefined && queue === undefined) return { target, queue: null };
  if (queue !== undefined && target === undefined) return { target: null, queue: { namespace: seen(caller, namespace), queue } };
  throw new Problem(400, 'scope_required', 'Name a target or a queue: ?target= of the policy’s rollback.target, or ?queue= with its namespace.');
}

function selectionOf({ track, revision, baseline: named }: AskedGate): GateSelection {
  if (track !== undefined && revision !== undefined) {
    throw new Problem(400, 'canary_ambiguous', 'Name the canary by its track or by its revision, not by both.');
  }
  const baseline = named ?? null;
  return revision === undefined ? { by: 'track', track: track ?? CANARY_TRACK, baseline } : { by: 'revision', revision, baseline };
}
