/** What a native queue says of itself (`jobwarden.queue.state.v1`): the newest report counts. */
export interface QueueStateStore {
  put(states: readonly QueueStateReport[]): Promise<void>;
}

export interface QueueStateReport {
  readonly namespace: string;
  readonly queue: string;
  readonly waiting: number | null;
  readonly oldestAgeMs: number | null;
  readonly paused: boolean | null;
}
