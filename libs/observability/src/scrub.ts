/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/**
 * Takes secrets out of a finished log line, wherever they came in: a message, an error's text, a stack. The
 * redaction by field cannot see those. Every repeat has a bound, so that a long hostile line costs no more
 * than its length.
 */
export function scrub(line: string): string {
  return line
    .replace(URL_PASSWORD, `$1:${REDACTED}@`)
    .replace(QUERY_SECRET, `$1${REDACTED}`)
    .replace(AUTHORIZATION, `$1 ${REDACTED}`)
    .replace(WEBHOOK_SECRET, `whsec_${REDACTED}`);
}

/** `postgres://user:password@host`: the password up to the last @ before the path, as parsers of URLs see it. */
const URL_PASSWORD = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:@/"]{0,256}):[^\s/"]{1,1024}@/gi;
const QUERY_SECRET = /([?&](?:password|access_token|token|secret|api_key)=)[^&\s"]{1,2048}/gi;
const AUTHORIZATION = /\b(Bearer|Basic) {1,4}[\w.~+/=-]{6,4096}/gi;
const WEBHOOK_SECRET = /\bwhsec_[A-Za-z0-9+/=]{8,256}/g;
