import type { TraceState } from '@opentelemetry/api';

/** A `tracestate` that was read: its members in their order, the newest first. Immutable. */
export class ReadTraceState implements TraceState {
  private constructor(private readonly members: ReadonlyMap<string, string>) {}

  /** Members that are none are left out. */
  static of(text: string): ReadTraceState {
    const pairs = text.split(',').map((member) => member.trim()).filter((member) => member.indexOf('=') > 0);
    return new ReadTraceState(new Map(pairs.slice(0, MOST).map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])));
  }

  get(key: string): string | undefined {
    return this.members.get(key);
  }

  set(key: string, value: string): ReadTraceState {
    const others = [...this.members].filter(([name]) => name !== key);
    return new ReadTraceState(new Map([[key, value], ...others].slice(0, MOST) as [string, string][]));
  }

  unset(key: string): ReadTraceState {
    return new ReadTraceState(new Map([...this.members].filter(([name]) => name !== key)));
  }

  serialize(): string {
    return [...this.members].map(([key, value]) => `${key}=${value}`).join(',');
  }
}

/** As W3C has it. */
const MOST = 32;
