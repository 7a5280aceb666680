/** One thing wrong with a request, as the service names it. */
export interface Fault {
  readonly field: string;
  readonly rule: string;
  readonly send: string;
}

/** An answer that is no success: RFC 9457 problem details, or what stood in its place. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    /** HTTP status; 0: nobody answered. */
    readonly status: number,
    /** Stable, such as `scope_missing`. */
    readonly code: string,
    readonly title: string,
    /** What happened and what to do, in a sentence. */
    readonly detail: string,
    readonly faults: readonly Fault[] = [],
    /** Everything the service said. */
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail === '' ? title : detail);
  }

  /** Asking again may help: nobody answered, or somebody who was not able to. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export const UNREACHABLE = 'unreachable';

/** The problem in an answer, of whoever it is: a proxy in between answers in HTML. */
export function problemOf(status: number, body: unknown): Problem {
  const members = isRecord(body) ? body : {};
  const { code, title, detail, errors } = members;
  return new Problem(
    status,
    typeof code === 'string' ? code : `http_${String(status)}`,
    typeof title === 'string' ? title : '',
    typeof detail === 'string' ? detail : '',
    Array.isArray(errors) ? errors.filter(isFault) : [],
    members,
  );
}

function isFault(value: unknown): value is Fault {
  return isRecord(value) && ['field', 'rule', 'send'].every((name) => typeof value[name] === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
