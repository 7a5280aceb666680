const HIDDEN = '[secret]';

/**
 * A value that a log line, an error message or a JSON answer must not show by accident. Only `reveal()`
 * gives it away, so that a search for `reveal` finds every place that does.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  /** What `console.log` and `util.inspect` print. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}
