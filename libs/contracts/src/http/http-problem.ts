import { LIMIT_SETTINGS, type Limits } from '../limits.js';

/** Why a request's body cannot be read as events at all. */
export interface HttpProblem {
  readonly status: 400 | 413 | 415;
  readonly code: 'unreadable' | 'too_large' | 'unsupported_media_type';
  readonly title: string;
  /** What was found, and what to send instead. Holds nothing of the body. */
  readonly detail: string;
}

export const ACCEPTED_MEDIA_TYPES = [
  'application/cloudevents+json',
  'application/cloudevents-batch+json',
  'application/json',
] as const;

const HOW =
  'Send one event as application/cloudevents+json, several as application/cloudevents-batch+json (a JSON array), or the data as application/json with the attributes in ce-* headers.';

export function unreadable(what: string): HttpProblem {
  return { status: 400, code: 'unreadable', title: 'The body cannot be read', detail: `${what}. ${HOW}` };
}

export function tooLarge(what: string, limit: keyof Limits, allowed: number, advice: string): HttpProblem {
  return {
    status: 413,
    code: 'too_large',
    title: 'The body is over a limit',
    detail: `${what}, over the limit of ${allowed} (${LIMIT_SETTINGS[limit]}): ${advice}.`,
  };
}

export function unsupported(found: string): HttpProblem {
  return {
    status: 415,
    code: 'unsupported_media_type',
    title: 'The media type is not supported',
    detail: `${found}; accepted are ${ACCEPTED_MEDIA_TYPES.join(', ')}, in UTF-8. ${HOW}`,
  };
}
