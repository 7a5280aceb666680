import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;

/**
 * Sockets as the library's own factory makes them, with one difference. The library disconnects a broker's connection again
 * and again while that broker is away, and lets go of its socket each time (`unref`). On a socket that has been closed
 * Node keeps that wish until it connects, which it never will: one listener more each time, and at the eleventh a warning.
 */
export const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  // Null without TLS, whatever the type says; an empty object is TLS with the system's authorities.
  const options = (ssl as ConnectionOptions | null | undefined) ?? null;
  const socket =
    options === null
      ? connect({ host, port }, onConnect)
      : connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...options }, onConnect);
  return lettingGoAlive(socket.setKeepAlive(true, KEEP_ALIVE_MS));
};

function lettingGoAlive(socket: Socket): Socket {
  const unref = socket.unref.bind(socket);
  socket.unref = () => (socket.destroyed ? socket : unref());
  return socket;
}
