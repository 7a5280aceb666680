import type { FailedData, JobError } from '@jobwarden/client';

/** What is made of an error. What is left out is read off the error itself. */
export interface Classified {
  /** false: no retry will help. */
  readonly retryable?: boolean;
  /** Not to be tried again sooner, ms. */
  readonly retryAfterMs?: number;
  /** For grouping. */
  readonly class?: string;
  readonly code?: string;
  readonly responseStatus?: number;
}

/**
 * Looks at an error of a handler; undefined: as usual. As usual is: `retryable` and `retryAfterMs` of the error itself
 * where it has them (`TerminalError`, `RetryLaterError`), else retryable; the class by the error's name; `code`; the
 * response status by `status`, `statusCode` or `response.status`. Must not throw.
 */
export type Classify = (error: unknown) => Classified | undefined;

export type Failure = Pick<FailedData, 'error' | 'retryable' | 'retryAfterMs'> & { readonly retryable: boolean };

export function failureOf(error: unknown, classify?: Classify): Failure {
  const said = classifiedBy(classify, error);
  const retryable = said.retryable ?? fieldOf(error, 'retryable') !== false;
  const retryAfterMs = said.retryAfterMs ?? durationOf(fieldOf(error, 'retryAfterMs'));
  return { error: jobErrorOf(error, said), retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function classifiedBy(classify: Classify | undefined, error: unknown): Classified {
  try {
    return classify?.(error) ?? {};
  } catch {
    return {}; // it is the handler's error that has to be told, not that of the hook
  }
}

function jobErrorOf(error: unknown, said: Classified): JobError {
  const known = error instanceof Error ? error : undefined;
  const code = said.code ?? codeOf(error);
  const responseStatus = said.responseStatus ?? statusOf(error);
  return {
    class: short(said.class ?? known?.name ?? typeof error) || 'Error',
    message: known?.message ?? textOf(error),
    ...(known?.stack !== undefined && { stack: stackOf(known) }),
    ...(code !== undefined && { code: short(code) }),
    ...(responseStatus !== undefined && { responseStatus }),
  };
}

/** With its causes, as Node shows them. */
function stackOf(error: Error): string {
  let text = error.stack ?? '';
  let at: unknown = error.cause;
  for (let depth = 0; at instanceof Error && depth < 5; depth += 1) {
    text += `\nCaused by: ${at.stack ?? at.message}`;
    at = at.cause;
  }
  return text;
}

function codeOf(error: unknown): string | undefined {
  const code = fieldOf(error, 'code');
  if (typeof code === 'string' && code !== '') return code;
  return typeof code === 'number' ? String(code) : undefined;
}

function statusOf(error: unknown): number | undefined {
  const candidates = [fieldOf(error, 'responseStatus'), fieldOf(error, 'status'), fieldOf(error, 'statusCode'), fieldOf(fieldOf(error, 'response'), 'status')];
  return candidates.find((status): status is number => typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600);
}

function durationOf(ms: unknown): number | undefined {
  return typeof ms === 'number' && ms >= 0 && Number.isFinite(ms) ? ms : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    return (value as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined; // a getter that throws
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return typeof value;
  }
}

/** The service takes names of at most 255 bytes. */
function short(text: string): string {
  let cut = text;
  while (Buffer.byteLength(cut) > 255) cut = cut.slice(0, Math.max(0, cut.length - 16));
  return cut;
}
