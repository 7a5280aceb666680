import { parseToken, tokenText } from '../token.js';

/** Lower case, as Node gives the headers of a request. */
export const FENCING_HEADER = 'fencing-token';

/** For the request that has the effect: `fetch(url, { headers: { ...fencingHeaders(job.token) } })`. @throws RangeError. */
export function fencingHeaders(token: number): Record<'Fencing-Token', string> {
  return { 'Fencing-Token': tokenText(token) };
}

/** Headers as a Node server has them (`request.headers`), or a `Headers`. */
export type RequestHeaders = { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>;

/** An answer that says no, in the form of RFC 9457. */
export interface Refusal {
  /** 428: the header is missing; 400: it is no token; 412: a newer one has written. */
  readonly status: 400 | 412 | 428;
  readonly headers: { readonly 'content-type': 'application/problem+json' };
  /** JSON. */
  readonly body: string;
}

export type TokenOfRequest = { readonly kind: 'token'; readonly token: number } | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Reads the token of a request. It is not checked against anything yet: see `checkFence`. */
export function tokenOfRequest(headers: RequestHeaders): TokenOfRequest {
  const text = headerOf(headers);
  if (text === undefined) return refused(428, 'fencing_token_required', 'Say whose write this is: the header Fencing-Token is missing.');
  const token = parseToken(text);
  if (token === null) return refused(400, 'fencing_token_invalid', 'Fencing-Token is a whole number from 1 to 2^53 - 1, in decimal.');
  return { kind: 'token', token };
}

/**
 * Reads the token and asks the fence; null: go on and write. 412 and not 409 where it is stale, since it is a
 * precondition that the request itself carries, and since a 409 invites to try again: this token never gets better.
 *
 * @param holds Keeps the token unless a higher one is kept, and says which: `postgresFenceHolds` in the transaction that
 *   writes, or a `MemoryFence`. Asked apart from the write, another request may come between the two.
 */
export async function checkFence(headers: RequestHeaders, holds: (token: number) => boolean | Promise<boolean>): Promise<Refusal | null> {
  const found = tokenOfRequest(headers);
  if (found.kind === 'refused') return found.refusal;
  return (await holds(found.token)) ? null : staleRefusal(found.token);
}

/** The answer to a token that is stale, for a fence that was asked otherwise. */
export function staleRefusal(token: number): Refusal {
  return refusal(412, 'stale_token', `A newer attempt has written here than the one with the token ${tokenText(token)}. Stop, and do not try again.`);
}

const TITLES = { 400: 'Bad Request', 412: 'Precondition Failed', 428: 'Precondition Required' } as const;

function refusal(status: Refusal['status'], code: string, detail: string): Refusal {
  const body = { type: `urn:jobwarden:problem:${code}`, title: TITLES[status], status, code, detail };
  return { status, headers: { 'content-type': 'application/problem+json' }, body: JSON.stringify(body) };
}

function refused(status: Refusal['status'], code: string, detail: string): TokenOfRequest {
  return { kind: 'refused', refusal: refusal(status, code, detail) };
}

function headerOf(headers: RequestHeaders): string | undefined {
  if (typeof headers.get === 'function') return headers.get(FENCING_HEADER) ?? undefined;
  const value = (headers as Readonly<Record<string, string | string[] | undefined>>)[FENCING_HEADER];
  // Sent twice, it is two tokens, and no token.
  return Array.isArray(value) ? value.join() : value;
}
