import { EventSource } from 'eventsource';
import { authorization } from '../api/token';
import type { Change } from './change';

/** `disconnected`: nothing tells of changes, calls may still be answered; `unreachable`: nobody answers at all. */
export type LinkState = 'connecting' | 'live' | 'disconnected' | 'unreachable';

export interface ConnectionEvents {
  readonly onState: (state: LinkState) => void;
  readonly onChange: (change: Change) => void;
  /** The stream stands again after it did not: whatever is shown may be old. */
  readonly onGap: () => void;
  readonly onSignedOut: () => void;
}

/** Nothing for so long, heartbeats included: the connection is one only in name. */
const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/** A short interruption is nobody's business: a proxy that was restarted, a replica that left. */
const UNNOTICED_MS = 1_500;

/** The live connection: kept up for as long as it is open, with the token in a header, where the browser's own has no place for one. */
export class Connection {
  private source: EventSource | null = null;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private notice: ReturnType<typeof setTimeout> | undefined;
  private waitMs = FIRST_WAIT_MS;
  private stoodBefore = false;
  /** The last attempt was answered by the service, if only to say no. */
  private answered = true;
  private noticed = false;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly events: ConnectionEvents,
  ) {}

  open(): void {
    this.closed = false;
    this.connect();
  }

  close(): void {
    this.closed = true;
    for (const timer of [this.retry, this.silence, this.notice]) clearTimeout(timer);
    this.source?.close();
  }

  /** Now rather than when its time comes: the tab is looked at again, or the network is back. */
  hurry(): void {
    if (this.source !== null || this.closed) return;
    clearTimeout(this.retry);
    this.connect();
  }

  private connect(): void {
    const source = new EventSource(this.url, {
      fetch: async (url, init) => {
        this.answered = false;
        const response = await fetch(url, { ...init, headers: { ...init.headers, ...authorization() } });
        // 502 to 504 are a proxy's, with nobody behind it.
        this.answered = response.status < 502;
        if (response.status === 401 && !this.closed) this.events.onSignedOut();
        return response;
      },
    });
    this.source = source;
    source.addEventListener('open', () => this.stands());
    source.addEventListener('error', () => this.fell(source));
    source.addEventListener('changes', (event) => {
      this.heard();
      for (const change of JSON.parse(String(event.data)) as readonly Change[]) this.events.onChange(change);
    });
    source.addEventListener('alive', () => this.heard());
    this.heard();
  }

  private stands(): void {
    this.heard();
    this.waitMs = FIRST_WAIT_MS;
    clearTimeout(this.notice);
    this.notice = undefined;
    this.noticed = false;
    this.events.onState('live');
    if (this.stoodBefore) this.events.onGap();
    this.stoodBefore = true;
  }

  private heard(): void {
    clearTimeout(this.silence);
    const { source } = this;
    this.silence = setTimeout(() => {
      if (source !== null) this.fell(source);
    }, SILENCE_MS);
  }

  private fell(source: EventSource): void {
    source.close();
    if (this.closed || this.source !== source) return;
    this.source = null;
    clearTimeout(this.silence);
    if (this.noticed) this.tellLost();
    this.notice ??= setTimeout(() => {
      this.noticed = true;
      this.tellLost();
    }, UNNOTICED_MS);
    this.retry = setTimeout(() => this.connect(), this.waitMs);
    this.waitMs = Math.min(LONGEST_WAIT_MS, this.waitMs * 2);
  }

  private tellLost(): void {
    this.events.onState(this.answered ? 'disconnected' : 'unreachable');
  }
}
