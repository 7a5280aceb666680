/** A newer attempt of the job has written already. Stop: no later try with this token can succeed. */
export class StaleTokenError extends Error {
  override readonly name = 'StaleTokenError';
  /** Stable, for programs. */
  readonly code = 'stale_token';

  constructor(
    readonly resource: string,
    readonly token: number,
    options?: ErrorOptions,
  ) {
    super(`The token ${token} is stale for ${JSON.stringify(resource)}: a newer attempt has written there.`, options);
  }
}
