/** Takes whole sentences; `console` and pino's loggers will do. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
}

/** Warnings to standard error, one line each. */
export const stderrLogger: Logger = {
  info: () => undefined,
  warn: (message) => void process.stderr.write(`jobwarden: ${message}\n`),
};
