import { STATUS_CODES } from 'node:http';
import type { ProblemDetails } from '#libs/contracts';

export interface ProblemMore {
  /** A few words; the status' own phrase unless given. */
  readonly title?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the answer, such as what a job is at; none of those that every problem has. */
  readonly members?: Readonly<Record<string, unknown>> & { readonly [Member in keyof ProblemDetails | 'requestId']?: never };
  readonly cause?: unknown;
}

/** An answer that is not the one asked for, as RFC 9457 has it. Thrown anywhere above the use cases. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    /** Stable, for programs. */
    readonly code: string,
    detail: string,
    readonly more: ProblemMore = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'Problem';
  }

  /** `requestId` stands in the log beside whatever led to this. */
  body(request: { readonly url: string; readonly id: string }): ProblemDetails & Record<string, unknown> {
    return {
      type: `urn:jobwarden:problem:${this.code}`,
      title: this.more.title ?? STATUS_CODES[this.status] ?? 'Error',
      status: this.status,
      code: this.code,
      detail: this.message,
      instance: request.url.split('?', 1)[0] ?? '/',
      ...this.more.members,
      requestId: request.id,
    };
  }
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** For both kinds of nothing: what is not there, and what the caller may not see. */
export function notFound(code: string, detail: string): Problem {
  return new Problem(404, code, detail);
}

export function queueUnknown(queue: string): Problem {
  return notFound('queue_unknown', `No event has named the queue ${JSON.stringify(queue)}.`);
}
