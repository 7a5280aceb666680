import type { Command } from 'commander';
import { nearest } from './terminal/nearest.js';

/**
 * What is wrong with the second word of a call, such as `dead-letters redrvie`. A group that has a command of its own for a
 * call without one would take the word for that one's argument, and say something else. null: nothing.
 */
export function unknownCommand(program: Command, [first, second]: readonly string[]): readonly string[] | null {
  const group = program.commands.find((command) => command.name() === first);
  if (group === undefined || second === undefined || second.startsWith('-')) return null;
  const names = group.commands.map((command) => command.name());
  if (names.length === 0 || second === 'help' || names.includes(second)) return null;
  const near = nearest(second, names);
  return [`error: unknown command '${second}' of ${group.name()}`, near === null ? `(There are ${names.join(', ')})` : `(Did you mean ${near}?)`];
}
