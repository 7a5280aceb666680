import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

/**
 * One connection that posts one body after the other. Not Node's own client: on the few cores of a bench that would take
 * more time than the service under test.
 */
export class HttpSender {
  private received = '';
  private waiting: { resolve: (body: string) => void; reject: (error: Error) => void } | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly head: string,
  ) {
    socket.setNoDelay(true);
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      this.received += chunk;
      this.answer();
    });
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error('the service closed the connection')));
  }

  static async open(port: number, path: string, contentType: string): Promise<HttpSender> {
    const socket = connect({ host: '127.0.0.1', port });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${String(port)}\r\nContent-Type: ${contentType}\r\nContent-Length: `;
    return new HttpSender(socket, head);
  }

  /** The answer's body. Throws on any status but 200. */
  async post(body: string): Promise<string> {
    return await new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(`${this.head}${String(Buffer.byteLength(body))}${HEAD_END}${body}`);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private answer(): void {
    const end = this.received.indexOf(HEAD_END);
    if (end < 0 || this.waiting === null) return;
    const head = this.received.slice(0, end);
    const length = Number(/content-length: (\d+)/iu.exec(head)?.[1]);
    const body = this.received.slice(end + HEAD_END.length);
    if (Number.isNaN(length)) this.settle(new Error(`an answer without a length: ${head}`));
    // The service answers in ASCII: names and numbers of the load.
    else if (body.length >= length) this.settle(head.startsWith('HTTP/1.1 200') ? body : new Error(`${head}\n${body}`));
  }

  private settle(result: string | Error): void {
    const { waiting } = this;
    this.received = '';
    this.waiting = null;
    if (typeof result === 'string') waiting?.resolve(result);
    else waiting?.reject(result);
  }
}
