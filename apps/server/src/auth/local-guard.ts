import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '#libs/config';
import { Problem } from '../http/problem.js';

/**
 * Without tokens the browser of whoever runs the service is the hole: any page it shows can send requests to this
 * machine. A name that its owner lets point here (DNS rebinding) shows in `Host`; a foreign page shows in `Origin`, or
 * in what the browser says of the site. Requests of programs have neither.
 */
export function refuseForeign(headers: IncomingHttpHeaders): void {
  const { host, origin } = headers;
  if (host === undefined || !isLoopback(nameOf(host))) {
    throw foreign(
      'host_refused',
      `without tokens only loopback names are answered, and Host is ${shown(host)}; use 127.0.0.1 or localhost`,
    );
  }
  if (origin !== undefined && originHost(origin) !== host.toLowerCase()) {
    throw foreign('origin_refused', `without tokens a page of ${shown(origin)} may not call this service`);
  }
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate') {
    throw foreign('origin_refused', 'without tokens a page of another site may not call this service');
  }
}

function foreign(code: string, reason: string): Problem {
  return new Problem(403, code, `Refused: ${reason}. Tokens in the policy file lift this.`);
}

function nameOf(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(host);
  return bracketed?.[1] ?? host.replace(/:\d+$/, '');
}

/** null: `null`, or nothing that has a host. */
function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

function shown(value: string | undefined): string {
  return value === undefined ? 'missing' : JSON.stringify(value.slice(0, 100));
}
