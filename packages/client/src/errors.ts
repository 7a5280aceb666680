/** Nobody answered, or the answer was that nothing can be done now (5xx, 429). The same call may be made again. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** When to ask again at the earliest, ms, where the service said so. */
  readonly retryAfterMs?: number;

  constructor(message: string, more: { readonly status?: number; readonly retryAfterMs?: number; readonly cause?: unknown } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    if (more.status !== undefined) this.status = more.status;
    if (more.retryAfterMs !== undefined) this.retryAfterMs = more.retryAfterMs;
  }
}

/** The call was understood and refused: the same again will be refused again. */
export class RefusedCallError extends Error {
  override readonly name = 'RefusedCallError';

  constructor(
    message: string,
    /** HTTP status, 400 to 499. */
    readonly status: number,
    /** Stable word of the problem, such as `superseded`; `http_<status>` where the answer has none. */
    readonly code: string,
    /** The members of the problem details, as answered. */
    readonly problem: Readonly<Record<string, unknown>> = {},
    /** When asking again may help, ms, where the service said so. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}
