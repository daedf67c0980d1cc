/** A TLS proxy in front of an HTTP server. Only clients with a certificate get answers. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as passOn } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Authority } from '@mandate/testing';

export async function tlsInFrontOf(port: number, { caPath, server }: Authority) {
  const front = createServer(
    {
      ca: readFileSync(caPath),
      cert: readFileSync(server.certPath),
      key: readFileSync(server.keyPath),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      const { method, url: path, headers } = request;
      const behind = passOn({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      behind.on('error', () => response.destroy());
      request.pipe(behind);
    },
  ).listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    url: `https://127.0.0.1:${(front.address() as AddressInfo).port}`,
    async stop() {
      front.close();
      front.closeAllConnections();
      await once(front, 'close');
    },
  };
}
