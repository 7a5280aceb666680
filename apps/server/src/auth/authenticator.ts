import { timingSafeEqual } from 'node:crypto';
import { hashToken, type TokenEntry } from '#libs/config';
import { Problem } from '../http/problem.js';
import { LOCAL_CALLER, type Caller } from './caller.js';

/** Bearer tokens (or passwords of basic authentication), by their hashes in the policy file in force. */
export class Authenticator {
  constructor(private readonly tokens: () => readonly TokenEntry[]) {}

  /** Without tokens only this machine reaches the service, and may do everything. */
  get open(): boolean {
    return this.tokens().length === 0;
  }

  /** Throws a 401 for what is no token of the file. */
  callerOf(authorization: string | undefined): Caller {
    if (this.open) return LOCAL_CALLER;
    if (authorization === undefined) throw unauthorized('token_required', 'Send a token: Authorization: Bearer …');
    const token = tokenIn(authorization);
    const entry = token === undefined ? null : this.entryOf(token);
    if (entry === null) throw unauthorized('token_unknown', 'The token is not one of the policy file.');
    return { name: entry.name, scopes: entry.scopes, namespaces: entry.namespaces };
  }

  /** Looks at every entry and compares in constant time: how long it takes says nothing about how near a guess came. */
  private entryOf(token: string): TokenEntry | null {
    const presented = Buffer.from(hashToken(token), 'hex');
    let found: TokenEntry | null = null;
    for (const entry of this.tokens()) {
      if (timingSafeEqual(presented, Buffer.from(entry.hash, 'hex'))) found = entry;
    }
    return found;
  }
}

/** Whoever can only be given an address, such as a webhook of Flagger, sends the password of it: `https://any:TOKEN@host/`. */
function tokenIn(authorization: string): string | undefined {
  const basic = /^basic +([a-z0-9+/]+=*)$/i.exec(authorization)?.[1];
  if (basic === undefined) return /^bearer +([^\s]+)$/i.exec(authorization)?.[1];
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  const at = pair.indexOf(':');
  return at === -1 ? undefined : pair.slice(at + 1);
}

function unauthorized(code: string, detail: string): Problem {
  return new Problem(401, code, detail, { headers: { 'www-authenticate': 'Bearer realm="jobwarden"' } });
}
