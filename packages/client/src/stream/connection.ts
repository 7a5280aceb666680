import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { RefusedCallError, UnreachableError } from '../errors.js';
import { isRecord, retryAfterMs } from '../http.js';
import { parseBlock, type Block } from './block.js';

export interface Connected {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly silentMs: number;
  /** Does it keep the process alive? */
  readonly ref: boolean;
}

/**
 * One connection's blocks, until it breaks. By Node's own client and not by `fetch`, which on an abort in mid-stream
 * leaves a fresh connection behind that nobody uses: the service would wait for it when it ends.
 * @throws UnreachableError, RefusedCallError
 */
export async function* readConnection(to: Connected): AsyncGenerator<Block, void, void> {
  const response = await open(to);
  try {
    let rest = '';
    for await (const text of response.setEncoding('utf8') as AsyncIterable<string>) {
      const blocks = (rest + text).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      yield* blocks.map(parseBlock);
    }
  } finally {
    response.destroy();
  }
}

async function open({ url, headers, signal, silentMs, ref }: Connected): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? getHttps : getHttp;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // No agent: a stream keeps its connection, and gives it back to nobody.
    const request = get(url, { headers: { accept: 'text/event-stream', ...headers }, signal, agent: false }, resolve);
    request.setTimeout(silentMs, () => request.destroy(new Error(`nothing came for ${String(silentMs)} ms`)));
    if (!ref) request.on('socket', (socket) => socket.unref());
    // Also after the answer has begun: an abort then shows in the answer.
    request.on('error', reject);
  });
  if (response.statusCode === 200) return response;
  throw await refusalOf(url, response);
}

async function refusalOf(url: URL, response: IncomingMessage): Promise<Error> {
  const { statusCode: status = 0 } = response;
  const text = await textOf(response).catch(() => '');
  const problem = problemOf(text);
  const what = `GET ${url.pathname} was answered ${String(status)}${typeof problem['detail'] === 'string' ? `: ${problem['detail']}` : ''}`;
  const code = typeof problem['code'] === 'string' ? problem['code'] : `http_${String(status)}`;
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) return new RefusedCallError(what, status, code, problem);
  const wait = retryAfterMs(response.headers['retry-after']);
  return new UnreachableError(what, { status, ...(wait !== undefined && { retryAfterMs: wait }) });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) text += part;
  return text;
}

function problemOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const problem: unknown = JSON.parse(text);
    return isRecord(problem) ? problem : {};
  } catch {
    return {};
  }
}
