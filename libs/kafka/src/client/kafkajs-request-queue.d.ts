// A part of kafkajs that its own types leave out. The package has no exports map, so the path is reachable; its version
// is pinned.
declare module 'kafkajs/src/network/requestQueue/index.js' {
  /** The requests of one connection: sent, or pending because too many are in flight or the broker asked for patience. */
  export default class RequestQueue {
    constructor(options: {
      readonly maxInFlightRequests: number | null;
      readonly requestTimeout: number;
      readonly enforceRequestTimeout: boolean;
      readonly clientId: string;
      readonly broker: string;
      readonly logger: { debug(message: string): void; warn(message: string): void };
    });
    readonly pending: readonly unknown[];
    /** Milliseconds since 1970 until which nothing may be sent; -1 when there is no limit. */
    throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    push(request: {
      readonly entry: object;
      readonly expectResponse: boolean;
      readonly sendRequest: () => void;
    }): void;
    fulfillRequest(response: { readonly correlationId: number; readonly size: number; readonly payload: unknown }): void;
    maybeThrottle(ms: number): void;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
    destroy(): void;
  }
}
