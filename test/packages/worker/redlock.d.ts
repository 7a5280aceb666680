// Its own types are not named in its package.json's exports.
declare module 'redlock' {
  export default class Redlock {
    constructor(clients: readonly unknown[], settings?: { readonly retryCount?: number; readonly retryDelay?: number });
    acquire(resources: string[], durationMs: number): Promise<{ release(): Promise<unknown> }>;
  }
}
