import type { FastifyRequest } from 'fastify';
import type { TokenScope } from '#libs/config';
import { notFound, Problem } from '../http/problem.js';

/** Who calls: a token of the policy file, or anybody on this machine where there are none. */
export interface Caller {
  /** Kept as the author of what is decided. */
  readonly name: string;
  readonly scopes: readonly TokenScope[] | 'all';
  readonly namespaces: readonly string[] | 'all';
}

/** Whoever reaches a service that has no tokens, which only this machine can. */
export const LOCAL_CALLER: Caller = Object.freeze({ name: 'local', scopes: 'all', namespaces: 'all' });

const callers = new WeakMap<object, Caller>();

export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  // A route without the guard would be open to everybody: rather an error than an answer.
  if (caller === undefined) throw new Error('the request has not passed the guard');
  return caller;
}

export function mayUse(caller: Caller, scope: TokenScope): boolean {
  return caller.scopes === 'all' || caller.scopes.includes(scope) || caller.scopes.includes('admin');
}

export function maySee(caller: Caller, namespace: string): boolean {
  return caller.namespaces === 'all' || caller.namespaces.includes(namespace);
}

/** What lies in a namespace of others is not there, rather than forbidden: its names are nobody else's business. */
export function seen(caller: Caller, namespace: string): string {
  if (maySee(caller, namespace)) return namespace;
  throw notFound(
    'namespace_unknown',
    `There is no namespace ${JSON.stringify(namespace)} for this token; name one of its own with ?namespace=.`,
  );
}

/** What is of no namespace is not there for a token that is bound to some. */
export function seesInstallation(caller: Caller): boolean {
  return caller.namespaces === 'all';
}

export function needsEverywhere(caller: Caller): void {
  if (caller.namespaces === 'all') return;
  throw new Problem(
    403,
    'namespace_bound',
    'This is about the whole installation, and the token is bound to namespaces.',
  );
}
