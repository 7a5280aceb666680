import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import type { Context } from '../terminal/terminal.js';

export interface PostmortemFlags extends ServiceOptions {
  readonly format: 'markdown' | 'json';
}

/** The postmortem of an incident, as the service tells it: nothing in it can steer a terminal. */
export async function runPostmortem(incident: string, flags: PostmortemFlags, context: Context): Promise<ExitCode> {
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') {
    context.terminal.err(client);
    return EXIT.refused;
  }
  const answer = await client.read(`v1/incidents/${encodeURIComponent(incident)}/postmortem`, { format: flags.format });
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  const decoder = new TextDecoder();
  let page = '';
  for await (const bytes of answer.body) page += decoder.decode(bytes, { stream: true });
  context.terminal.out((page + decoder.decode()).trimEnd());
  return EXIT.fine;
}
