import { runDemo } from './run-demo.js';

/**
 * The demo as a guest of the service's own process: prints to its standard output. Resolves to the exit code with
 * `once`, else to null: the service goes on, for everything to be looked at.
 */
export function demoGuest({ once }: { readonly once: boolean }) {
  return async ({ url, signal }: { readonly url: string; readonly signal: AbortSignal }): Promise<number | null> => {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    const { ok, tookMs } = await runDemo({ baseUrl: url, signal, print });
    const seconds = `${(tookMs / 1_000).toFixed(0)} s`;
    print(ok ? `All four were found and dealt with, in ${seconds}.` : `Not all was found and dealt with, in ${seconds}.`);
    if (once) return ok ? 0 : 1;
    if (!signal.aborted) print('The service goes on, for you to look around. Ctrl-C ends it.');
    return null;
  };
}
