/** An entry of the log as a reader of the contract sees it. */
export interface LogEntry {
  readonly cloudEvent: LoggedEvent;
  /** When it was appended, by the lane's clock: what windows are cut by. */
  readonly laneMs: number;
}

export interface LoggedEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  readonly type: string;
  /** The emitter's clock, which may be minutes wrong. */
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface JobError {
  readonly class: string;
  readonly message: string;
  readonly code?: string;
  readonly responseStatus?: number;
}
