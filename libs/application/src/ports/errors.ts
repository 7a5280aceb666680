/** A failure that may pass: repeat it. `code` is stable and public. */
export class RetryableError extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'RetryableError';
  }
}

/** A failure that repeating does not mend. `code` is stable and public. */
export class TerminalError extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'TerminalError';
  }
}
