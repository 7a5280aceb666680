import { demoFolder, type Variables } from './environment.js';
import { FAREWELL, guideLines } from './guide.js';
import { runDemo, type DemoReport } from './run-demo.js';

/**
 * The demo as a guest of the service's own process: prints to its standard output. With `once` it resolves to the exit code when
 * the four troubles are over; else it goes on, for everything to be looked at and dealt with, and resolves to null at the end.
 */
export function demoGuest({ once, env }: { readonly once: boolean; readonly env: Variables }) {
  return async ({ url, signal }: { readonly url: string; readonly signal: AbortSignal }): Promise<number | null> => {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    const onTroubles = ({ ok, tookMs }: DemoReport) => {
      const seconds = `${(tookMs / 1_000).toFixed(0)} s`;
      print(ok ? `All four were found and dealt with, in ${seconds}.` : `Not all was found and dealt with, in ${seconds}.`);
      if (once || signal.aborted) return;
      for (const line of [...guideLines(url), FAREWELL]) print(line);
    };
    const { ok } = await runDemo({ baseUrl: url, signal, print, once, folder: demoFolder(env), onTroubles });
    return once ? (ok ? 0 : 1) : null;
  };
}
