import { CommanderError } from 'commander';
import { EXIT, type ExitCode } from './exit-codes.js';
import { buildProgram } from './program.js';
import { printable } from './terminal/table.js';
import type { Context } from './terminal/terminal.js';
import { unknownCommand } from './unknown-command.js';

/** One call of the command line: `args` without node and script. Never throws for what a caller can do wrong. */
export async function run(args: readonly string[], context: Context): Promise<ExitCode> {
  let exit: ExitCode = EXIT.fine;
  const program = buildProgram(context, (code) => {
    exit = code;
  });
  const unknown = unknownCommand(program, args);
  if (unknown !== null) {
    for (const line of unknown) context.terminal.err(printable(line));
    return EXIT.refused;
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      context.terminal.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return EXIT.differences;
    }
    // Help that was asked for and the version are no faults; help that is shown for want of a command is.
    return error.exitCode === 0 ? EXIT.fine : EXIT.refused;
  }
}
