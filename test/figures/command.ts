/** What the commands that print figures have in common: `npm run bench`, `npm run report:trust`. */
interface Named {
  /** For `--only`. */
  readonly name: string;
}

/** Those that were asked for, in their own order; all where nobody asked. Throws with the names that there are. */
export function chosen<F extends Named>(figures: readonly F[], only: readonly string[] = []): readonly F[] {
  const names = figures.map((f) => f.name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no figure "${unknown}"; there are: ${names.join(', ')}`);
  return only.length === 0 ? figures : figures.filter((f) => only.includes(f.name));
}

interface Command<O> {
  readonly usage: string;
  /** Throws with what is wrong. */
  readonly read: (args: readonly string[]) => O;
  /** Answers the exit code. */
  readonly run: (options: O) => Promise<number>;
}

/** The exit code: 2 for options that are wrong. */
export async function runCommand<O extends { readonly help: boolean }>({ usage, read, run }: Command<O>): Promise<number> {
  let options: O;
  try {
    options = read(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (!options.help) return await run(options);
  console.log(usage);
  return 0;
}
