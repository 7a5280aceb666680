/** The embedded server could not be prepared or started; the message says why and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError';
}

/** Another live process serves this data folder. */
export class DataDirInUseError extends EmbeddedPostgresError {
  override readonly name = 'DataDirInUseError';

  constructor(
    readonly dataDir: string,
    /** The process that holds the folder; undefined when it did not answer. */
    readonly pid: number | undefined,
  ) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super(`The data folder ${dataDir} is in use by ${holder}. Stop that one first, or choose another folder.`);
  }
}

/** The server ended before it was ready. `lines` is the end of its own log. */
export class ServerStartError extends EmbeddedPostgresError {
  override readonly name = 'ServerStartError';

  constructor(
    reason: string,
    readonly lines: readonly string[],
  ) {
    super([`PostgreSQL did not start: ${reason}.`, ...lines.map((line) => `  ${line}`)].join('\n'));
  }

  /** Another program has taken the port. */
  get portTaken(): boolean {
    return this.lines.some((line) => line.includes('could not bind'));
  }

  /** A backend of an earlier server still runs and holds its shared memory. */
  get memoryHeld(): boolean {
    return this.lines.some((line) => line.includes('pre-existing shared memory block'));
  }
}
